// Package landed tells from a text alone which of the edits that an editor was
// asked to make are in it.
package landed
