package patch

import (
	"slices"

	"redline/edits"
	"redline/edits/match"
)

// A part of a patch that changes nothing is a note: it may locate the part below it, else
// Redline skips it. A patch of only notes is refused.

// changesNothing reports whether a chunk leaves its lines as they are.
func (c *Chunk) changesNothing() bool { return c.Old == c.New && c.Old != "" }

// changesNothing reports whether f leaves the text of its file as it is.
func (f *File) changesNothing() bool {
	return len(f.Chunks) > 0 && !slices.ContainsFunc(f.Chunks, func(c Chunk) bool { return !c.changesNothing() })
}

// allTheSame refuses chunks if none of them changes anything. The error is that of
// chunk i, or of none if i is -1.
func allTheSame(chunks []Chunk) (i int, err error) {
	switch {
	case !(&File{Chunks: chunks}).changesNothing():
		return 0, nil
	case len(chunks) == 1:
		return 0, &match.Refusal{Reason: match.ReasonNoop}
	}
	return -1, reason("No part of the patch changes anything in the file: in each, the new lines are the same as the old ones. Nothing was changed. Mark each line that goes with -, and each that comes with +.")
}

// withoutNotes drops the files in which nothing changes, unless that leaves none.
func withoutNotes(files []File) []File {
	isNote := func(f File) bool { return f.Kind == edits.Update && f.changesNothing() }
	if !slices.ContainsFunc(files, func(f File) bool { return !isNote(f) }) {
		return files
	}
	return slices.DeleteFunc(files, isNote)
}
