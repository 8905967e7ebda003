// Package linetext analyses lines of text for the packages under edits: line ends,
// indentation, words, common parts and look-alike characters. It works only on strings.
package linetext
