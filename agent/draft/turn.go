package draft

import (
	"slices"

	"redline/agent/plan"
)

// News returns the operations staged since the draft was made or resumed, in order.
func (draft *Draft) News() []plan.Operation {
	d, done := draft.open()
	defer done()
	return slices.Clone(d.operations[d.begun:])
}

// HasNews reports whether the turn has staged something, here or in an earlier draft.
func (draft *Draft) HasNews() bool {
	d, done := draft.open()
	defer done()
	return len(d.operations) > d.begun || len(d.touched) > 0
}

// GoOn makes a draft that was resumed in the middle of a turn take over from the turn's
// draft before it. A file that was only looked at keeps the base pinned then. Line
// numbers of a file that the turn has changed, or proposed to change, are not trusted
// any more. The plan that the turn has submitted stays, and so does what was refused.
// Call it before any other method.
func (draft *Draft) GoOn(before *Draft) {
	was := before.copied()
	d, done := draft.open()
	defer done()
	if was.submittedNow {
		d.submission, d.submittedNow = was.submission, true
	}
	d.refused = was.refused
	d.touched = was.touched
	if d.touched == nil {
		d.touched = map[string]bool{}
	}
	for path := range was.files {
		d.touched[path] = true
	}
	for path, b := range was.bases {
		if _, known := d.bases[path]; !known && !d.touched[path] {
			d.bases[path] = b
		}
	}
}
