package board

import (
	"slices"
	"time"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/state"
)

// Intent is what an execution is to do.
type Intent struct {
	Verdict plan.Verdict
	Parts   []decision.Part // what the editor is asked for
	Made    []decision.Part // what is named besides, and was applied or reverted by hand: no editor is asked for it
}

// Execution is an approval, a review, an undo or a command of a plan, from when its intent is
// stored until its result is known. A plan has at most one at a time.
type Execution struct {
	id      int64  // of its record in the store
	intent  Intent // does not change, unless another process began the execution
	command string // id of the operation that runs, "" for edits

	begun time.Time     // when the editor was asked
	done  chan struct{} // nil if another process began the execution

	result state.Result // this and the next are set before done is closed
	err    error
	noted  bool // its result is stored, or will be; the plan's lock guards this

	// The table guards the rest; waiting changes under the plan's lock too.
	waiting bool // the editor has not answered for a file: the text will settle it
	ended   bool // the editor has answered for all files, or the text has settled them
	late    bool // it had not ended when its decision was answered: an event reports its result
	tally   tally
}

// Done returns a channel that is closed when the execution has ended, or only the text can still
// settle it.
func (x *Execution) Done() <-chan struct{} { return x.done }

// Err returns why the execution failed, nil if it did not. Call it after Done is closed.
func (x *Execution) Err() error { return x.err }

// patience is how long an editor that does not answer may still be asking its user. After that
// the next decision goes by the text.
const patience = time.Minute

// overdue reports whether the editor has timed out. If the clock was set back, the time begins
// anew. Call it while you have the table.
func (x *Execution) overdue(now time.Time) bool {
	if now.Before(x.begun) {
		x.begun = now
	}
	return now.Sub(x.begun) > patience
}

// foreign reports whether another process, which has exited, began the execution.
func (x *Execution) foreign() bool { return x.done == nil }

// Undoes reports whether the intent is an undo.
func (i *Intent) Undoes() bool { return i.Verdict == plan.VerdictUndo }

// Reviews reports whether the user picks from the parts in the editor's own review.
func (i *Intent) Reviews() bool { return i.Verdict == plan.VerdictReview }

// files returns the parts of the intent, one for each file.
func (i *Intent) files() []decision.Part {
	files := slices.Clone(i.Parts)
	for _, p := range i.Made {
		if !slices.ContainsFunc(files, func(other decision.Part) bool { return other.File == p.File }) {
			files = append(files, p)
		}
	}
	return files
}

// busy returns the refusal of a decision that has to wait for the plan's execution.
func (h *entry) busy() error {
	switch x, number := h.execution, h.Number(); {
	case x.intent.Reviews() && !x.waiting:
		return refusal.New(refusal.Busy, "Plan %d is open in your editor's review: finish that, or dismiss it, first.", number)
	case x.waiting:
		return refusal.New(refusal.Busy, "The editor has not answered yet for plan %d: what is in its text, or saving the file, will settle it.", number)
	case x.command != "":
		return refusal.New(refusal.Busy, "Plan %d is running a command: wait until it has ended, or cancel it.", number)
	default:
		return refusal.New(refusal.Busy, "Plan %d is being carried out: wait until it has ended.", number)
	}
}

// end moves a plan on when an execution of it has ended, and returns the events that led there.
// While a turn may add more to the plan (goesOn), the plan is not done.
func (i *Intent) end(p *plan.Plan, r *plan.Revision, goesOn bool) (events []plan.Event, err error) {
	if i.Undoes() && p.State != plan.Executing { // else an approval is taken back
		return i.endUndo(p)
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

// endUndo reopens a plan if something of it was reverted.
func (i *Intent) endUndo(p *plan.Plan) ([]plan.Event, error) {
	if !slices.ContainsFunc(slices.Concat(i.Parts, i.Made), func(part decision.Part) bool { return part.Taken(p) }) {
		return nil, nil
	}
	next, err := p.State.Next(plan.Undo)
	p.State = next
	return []plan.Event{plan.Undo}, err
}
