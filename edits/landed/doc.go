// Package landed finds out, from the text alone, which of the edits sent to an editor it
// has made.
package landed
