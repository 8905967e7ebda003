package board

import (
	"slices"
	"time"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/state"
)

// Execution is an approval, a review, an undo or a command of a plan from when its intent is
// stored until it is known what came of it. A plan has at most one at a time.
type Execution struct {
	id      int64 // of its record in the store
	Verdict plan.Verdict
	Review  bool            // the user picks from the parts in the editor's own review
	command string          // id of the operation that runs, "" for edits
	Parts   []decision.Part // what the editor is asked for
	Made    []decision.Part // what is named besides and was made, or taken back, by hand: nobody is asked for it

	begun time.Time     // when the editor was asked
	Done  chan struct{} // closed when it has ended, or is left to the text; nil of one that another process began

	result state.Result // these two are set before done is closed
	Err    error        // why it failed
	noted  bool         // what came of it is stored, or will be; the plan's lock guards it

	// Board.mu guards the rest.
	waiting bool // the editor has not answered for a file: the text will settle it
	ended   bool // the editor has answered for all files, or the text has settled them
	late    bool // it had not ended when its decision was answered: an event tells what came of it
	tally   tally
}

// patience is how long an editor that does not answer may still be asking its user. After
// that the next decision goes by what is in the text.
const patience = time.Minute

// overdue reports whether the editor has had its time. If the clock was set back, the time
// begins anew. The caller holds Board.mu.
func (x *Execution) overdue(now time.Time) bool {
	if now.Before(x.begun) {
		x.begun = now
	}
	return now.Sub(x.begun) > patience
}

// foreign reports whether another process began the execution, and has ended.
func (x *Execution) foreign() bool { return x.Done == nil }

// Undoes reports whether the execution takes something back.
func (x *Execution) Undoes() bool { return x.Verdict == plan.VerdictUndo }

// asked is what the editor is asked for, as it is stored.
func (x *Execution) asked() plan.Verdict {
	if x.Review {
		return plan.VerdictReview
	}
	return x.Verdict
}

// files are the parts that the execution is about, one for each file.
func (x *Execution) files() []decision.Part {
	files := slices.Clone(x.Parts)
	for _, p := range x.Made {
		if !slices.ContainsFunc(files, func(other decision.Part) bool { return other.File == p.File }) {
			files = append(files, p)
		}
	}
	return files
}

// ready refuses an event that is not possible now, or while something is being carried out.
// The caller holds Board.mu.
func (h *entry) ready(e plan.Event) error {
	if x := h.execution; x != nil {
		return x.busy(h.Number())
	}
	if _, err := h.Plan().State.Next(e); err != nil {
		return refusal.New(refusal.WrongState, "Plan %d: %s", h.Number(), err)
	}
	return nil
}

// busy is the refusal of what has to wait for the execution. The caller holds Board.mu.
func (x *Execution) busy(number int) error {
	switch {
	case x.Review && !x.waiting:
		return refusal.New(refusal.Busy, "Plan %d is open in your editor's review: finish that, or dismiss it, first.", number)
	case x.waiting:
		return refusal.New(refusal.Busy, "The editor has not answered yet for plan %d: what is in its text, or saving the file, will settle it.", number)
	case x.command != "":
		return refusal.New(refusal.Busy, "Plan %d is running a command: wait until it has ended, or cancel it.", number)
	}
	return refusal.New(refusal.Busy, "Plan %d is being carried out: wait until it has ended.", number)
}

// end moves a plan on when an execution of it has ended, and returns the events that the plan
// went over. While a turn may add more to the plan (goesOn), the plan is not done.
func (x *Execution) end(p *plan.Plan, r *plan.Revision, goesOn bool) (events []plan.Event, err error) {
	if x.Undoes() && p.State != plan.Executing { // else an approval is taken back
		return x.endUndo(p)
	}
	p.SkipUnmet(r) // what has ended may have settled it
	if p.State == plan.Reviewing && p.Undecided(r).None() {
		// What nobody could see was the last that was open.
		if err := p.Apply(plan.Execute); err != nil {
			return nil, err
		}
		events = append(events, plan.Execute)
	}
	if event, ok := p.Outcome(r); ok && p.State == plan.Executing {
		if goesOn && event == plan.PlanExecuted {
			event = plan.PartExecuted
		}
		events, err = append(events, event), p.Apply(event)
	}
	return events, err
}

// endUndo reopens a plan of which something was taken back.
func (x *Execution) endUndo(p *plan.Plan) ([]plan.Event, error) {
	for _, part := range slices.Concat(x.Parts, x.Made) {
		taken := part.Move && p.Progress.File(p.Current, part.File.Change.Path).Move != plan.FileApplied
		for _, i := range part.Hunks {
			taken = taken || p.Progress.Hunk(part.File.Change.Hunks[i].ID).Status != plan.HunkApplied
		}
		if taken || part.EarlierTaken(p) {
			next, err := p.State.Next(plan.Undo)
			p.State = next
			return []plan.Event{plan.Undo}, err
		}
	}
	return nil, nil
}
