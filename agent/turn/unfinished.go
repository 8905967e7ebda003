package turn

import (
	"strings"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/plan"
)

// A turn may end before all that its model has tried is done: a limit ends it, a patch was
// refused in part, edits in the answer were not taken. Its operations are kept, and the answer,
// the plan and the exit status of the command line say that something is missing. Nothing of
// such a turn is approved automatically.

// leftUndone returns what a model has left undone when it stops.
func leftUndone(out loop.Outcome, d *draft.Draft) plan.Unfinished {
	if out.Asked != nil { // the turn continues
		return plan.Unfinished{}
	}
	return plan.Unfinished{Stopped: out.Stopped, NotTaken: out.NotTaken, Refused: missing(d)}
}

// missing returns the files that the plan of a turn lacks because their patches were refused. A
// turn that has staged nothing has no plan that could look complete, and the model's answer
// says the rest.
func missing(d *draft.Draft) []plan.Refused {
	if d == nil || !d.HasNews() {
		return nil
	}
	return d.Refused(true)
}

// withUndone adds to an answer what was left undone.
func withUndone(answer string, u plan.Unfinished) string {
	return strings.TrimSpace(answer + "\n\n" + strings.Join(u.Sentences(), "\n\n"))
}

// undoneIn returns what is undone in a revision made from d: by the turn, and by refused patches
// of earlier turns that were not fixed since.
func undoneIn(t *turn, d *draft.Draft) plan.Unfinished {
	u := t.Result().Unfinished.Clone()
	u.Refused = d.Refused(false)
	return u
}
