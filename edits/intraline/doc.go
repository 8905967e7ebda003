// Package intraline finds the words that differ in changed lines.
package intraline
