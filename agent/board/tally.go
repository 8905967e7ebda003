package board

import (
	"slices"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// tally counts the changes of an execution. Before that begins, it lists what is not yet as the
// execution will leave it.
type tally struct {
	todo  []todo
	past  []decision.EarlierPart // of an undo: what earlier revisions have applied
	stale []string               // paths of files that were stale already
}

// todo is a hunk of a file, or the file itself where it has no hunks.
type todo struct {
	file *view.File
	hunk int
}

// newTally returns the tally of an execution that is about to begin.
func (t *table) newTally(h *entry, x *Execution) tally {
	var sum tally
	for _, p := range slices.Concat(x.intent.Parts, x.intent.Made) {
		sum.past = append(sum.past, p.Earlier...)
		if p.File.Outside {
			continue
		}
		v := t.current(h, p.File)
		if v.Status == plan.FileStale {
			sum.stale = append(sum.stale, v.Change.Path)
		}
		for _, i := range p.Units() {
			if v.Applied(i) == x.intent.Undoes() {
				sum.todo = append(sum.todo, todo{p.File, i})
			}
		}
	}
	return sum
}

// outcomeOf returns the result of an execution of edits so far.
func (t *table) outcomeOf(h *entry, x *Execution) *state.Outcome {
	o := &state.Outcome{Verdict: x.intent.Verdict, Ended: x.ended, Already: !x.intent.Undoes()}
	done := map[string]bool{}
	for _, one := range x.tally.todo {
		if t.current(h, one.file).Applied(one.hunk) != x.intent.Undoes() {
			o.Changes++
			done[one.file.Change.Path] = true
		}
	}
	o.ChangedFiles = len(done)
	changes, files := pastTaken(h.Plan(), x.tally.past)
	o.Changes, o.ChangedFiles = o.Changes+changes, o.ChangedFiles+files
	for _, p := range x.intent.files() {
		if p.File.Outside {
			continue
		}
		v := t.current(h, p.File)
		o.Paths = append(o.Paths, p.File.Change.Path, p.File.Change.NewPath)
		o.Already = o.Already && v.Status == plan.FileApplied
		o.Unclear = o.Unclear || v.Status == plan.FileUnverified
		o.Left += undecidedUnits(v)
		if v.Reason != "" && (v.Status != plan.FileStale || x.intent.Reviews() && !slices.Contains(x.tally.stale, p.File.Change.Path)) {
			o.Problems = append(o.Problems, state.FileResult{Path: p.File.Change.Path, Status: string(v.Status), Reason: v.Reason})
		}
	}
	o.Already = o.Already && o.Changes == 0
	return o
}

// undecidedUnits counts the hunks of a file that are pending or stale; a file without
// hunks counts as one.
func undecidedUnits(v *view.File) int {
	if v.Len() == 0 && v.Status == plan.FilePending {
		return 1
	}
	n := 0
	for range v.Undecided {
		n++
	}
	return n
}

// pastTaken counts the hunks and moves of the parts that are not applied any more, and their
// files.
func pastTaken(p *plan.Plan, parts []decision.EarlierPart) (changes, files int) {
	in := map[string]bool{}
	for _, part := range parts {
		n := part.Taken(p)
		if changes += n; n > 0 {
			in[part.Change.Path] = true
		}
	}
	return changes, len(in)
}
