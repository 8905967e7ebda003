package draft

import (
	"fmt"
	"maps"
	"slices"
)

// Fork returns a draft that begins with what this one has and goes its own way: for
// a specialist who works beside others, and knows no line numbers yet. [Draft.Join]
// puts the work of several together again.
func (draft *Draft) Fork() *Draft {
	f := draft.copied()
	f.begun, f.touched = len(f.operations), nil
	f.start = f.clone()
	return &Draft{guarded: *f}
}

// copied returns a copy of what the draft holds.
func (draft *Draft) copied() *content {
	d, done := draft.open()
	defer done()
	return d.clone()
}

// clone returns a copy. What the maps lead to is never changed in place.
func (d *content) clone() *content {
	return &content{
		layer: layer{w: d.w, maxFile: d.maxFile, bases: maps.Clone(d.bases), files: maps.Clone(d.files)},
		steps: maps.Clone(d.steps), touched: maps.Clone(d.touched),
		operations: slices.Clone(d.operations), notes: slices.Clone(d.notes), begun: d.begun,
		submission: d.submission, submittedNow: d.submittedNow, refused: d.refused,
	}
}

// become takes over what other holds, but for when its turn began.
func (d *content) become(other *content) {
	d.bases, d.files, d.steps, d.operations, d.notes = other.bases, other.files, other.steps, other.operations, other.notes
}

func (n errOther) Error() string { return fmt.Sprintf("it came to %d operations", int(n)) }
