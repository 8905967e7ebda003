package board

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

// While an approval or an undo is carried out, clients follow it file by file. What the texts
// have shown so far is kept with the execution and never stored. In the store, a file that the
// editor was asked for is applying until the whole execution has its result, since a later file
// may be refused and all files are then reverted. After a crash the texts decide.

// eachUpTo is how many files an execution may have for each to get an event of its own, for
// editors that follow the events: an event has the whole plan. Above that, about steps events
// report them.
const (
	eachUpTo = 200
	steps    = 10
)

// reportsFile reports whether there is an event about the nth file of an execution.
func (b *Board) reportsFile(x *Execution, n int) bool {
	all := len(x.intent.Parts)
	return all <= eachUpTo && b.session.Editor().Follows() || n%max(1, all/steps) == 0
}

// Landed records that the texts of the first n parts of an execution have the requested changes,
// and announces the plan. The result of the execution may still differ.
func (b *Board) Landed(h *Held, x *Execution, n int) {
	b.with(h, func(*table, *entry) {
		for i := range n {
			if _, known := x.seen[i]; !known {
				x.seen[i] = edits.Applied{Status: edits.Done}
			}
		}
	})
	if b.reportsFile(x, n) {
		b.Announce(h, "")
	}
}

// TakenBack records that a part of an approval was reverted for the given reason, and announces
// the plan.
func (b *Board) TakenBack(h *Held, x *Execution, part int, reason string) {
	b.PlacedAs(h, x.intent.Parts[part].File, h.Plan()) // places its hunks in the text without the change
	b.with(h, func(*table, *entry) { x.seen[part] = edits.Applied{Status: edits.Refused, Reason: reason} })
	if b.reportsFile(x, part) {
		b.Announce(h, "")
	}
}

// underway returns the view of a plan for clients. While an execution is under way, each file
// that is applying has the status that its text has shown.
func (t *table) underway(h *entry) *view.Plan {
	v, x := t.planView(h), h.execution
	if x == nil || x.waiting || len(x.seen) == 0 {
		return v
	}
	now := *v
	now.Plan, now.Files = v.Plan.Clone(), slices.Clone(v.Files)
	at := make(map[*plan.Change]int, len(h.files))
	for i, f := range h.files {
		at[f.Change] = i
	}
	for i, p := range x.intent.Parts {
		o, known := x.seen[i]
		at, held := at[p.File.Change]
		if !known || !held || h.mark(h.files[at]).Status != plan.FileApplying {
			continue // nothing is known about it, or its result is stored
		}
		p.NoteOutcome(now.Plan, x.intent.Verdict, o, false)
		now.Files[at] = h.files[at].viewAs(t.ws, now.Plan, now.Revision)
	}
	return &now
}
