package draft

import (
	"fmt"
	"maps"
	"slices"

	"redline/agent/plan"
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

// errOther says that an operation that is staged once more comes to none, or to
// several.
type errOther int

func (n errOther) Error() string { return fmt.Sprintf("it came to %d operations", int(n)) }

// again stages an operation once more, as the operation that it was.
func (d *content) again(replay Replay, o plan.Operation) ([]Staged, error) {
	at := len(d.operations)
	alone := &Draft{guarded: *d}
	staged, err := replay(alone, o)
	*d = alone.guarded
	if n := len(d.operations) - at; err == nil && n != 1 {
		err = errOther(n)
	}
	if err != nil {
		return nil, err
	}
	o.Path = d.operations[at].Path
	d.operations[at] = o
	d.steps[o.Step] = true
	return staged, nil
}

// now returns what a path has in the draft, without looking at the workspace.
func (l *layer) now(path string) (text string, exists, known bool) {
	if f, ok := l.files[path]; ok {
		return f.text, f.exists, true
	}
	b, ok := l.bases[path]
	return b.text, b.exists, ok
}
