package draft

import (
	"maps"
	"slices"

	"redline/agent/plan"
)

// News returns the operations that were staged since the draft was made, or
// resumed, in order.
func (d *Draft) News() []plan.Operation {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.operations[d.begun:])
}

// HasNews tells whether the turn has staged something, here or in an earlier draft.
func (d *Draft) HasNews() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.operations) > d.begun || len(d.touched) > 0
}

// GoOn has a draft that was resumed in the middle of a turn take over from the
// one that the turn had before: a file that was only looked at keeps the base
// that was pinned then, and of one that the turn has changed, or proposed to
// change, line numbers are not trusted any more. It must come before the first
// call on d. A plan that the turn has submitted stays its plan, and what was refused
// in it stays refused.
func (d *Draft) GoOn(before *Draft) {
	before.mu.Lock()
	defer before.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	if before.submittedNow {
		d.submission, d.submittedNow = before.submission, true
	}
	d.refused = before.refused
	d.touched = maps.Clone(before.touched)
	if d.touched == nil {
		d.touched = map[string]bool{}
	}
	for path := range before.files {
		d.touched[path] = true
	}
	for path, b := range before.bases {
		if _, known := d.bases[path]; !known && !d.touched[path] {
			d.bases[path] = b
		}
	}
}
