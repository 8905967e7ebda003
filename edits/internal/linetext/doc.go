// Package linetext is what the packages under edits know about the text of
// lines: how lines end, their indentation and words, what two texts have in
// common, and which characters look alike. It works on strings alone.
package linetext
