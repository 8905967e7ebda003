package draft

import (
	"maps"
	"slices"
)

// Fork returns a draft that begins with what d has, and of which d hears nothing:
// for somebody who works beside others, and knows of no line numbers yet. [Join]
// puts the work of several together again.
func (d *Draft) Fork() *Draft {
	f := d.clone()
	f.begun, f.touched = len(f.operations), nil
	f.start = f.clone()
	return f
}

// clone returns a copy. What the maps lead to is never changed in place.
func (d *Draft) clone() *Draft {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.clonedHere()
}

// clonedHere is clone for who holds d.mu.
func (d *Draft) clonedHere() *Draft {
	return &Draft{
		w: d.w, maxFile: d.maxFile,
		bases: maps.Clone(d.bases), files: maps.Clone(d.files), steps: maps.Clone(d.steps), touched: maps.Clone(d.touched),
		operations: slices.Clone(d.operations), notes: slices.Clone(d.notes), begun: d.begun,
		submission: d.submission, submittedNow: d.submittedNow, refused: d.refused,
	}
}

// become makes d what other is, but for when its turn began.
func (d *Draft) become(other *Draft) {
	d.bases, d.files, d.steps, d.operations, d.notes = other.bases, other.files, other.steps, other.operations, other.notes
}

// now returns what a path has in the draft, without looking at the workspace.
func (d *Draft) now(path string) (text string, exists, known bool) {
	if f, ok := d.files[path]; ok {
		return f.text, f.exists, true
	}
	b, ok := d.bases[path]
	return b.text, b.exists, ok
}
