package agent

import (
	"strings"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/plan"
)

// A turn may end without having done all that its model has tried: a limit ends it, a
// patch was refused in part, edits in the answer were not taken. What it has staged is
// kept, and the answer, the plan and the exit status of the command line say that it is
// not all. Nothing of such a turn is approved automatically.

// leftUndone is what a model has left undone that has stopped.
func leftUndone(out loop.Outcome, d *draft.Draft) plan.Unfinished {
	if out.Asked != nil { // it goes on
		return plan.Unfinished{}
	}
	u := plan.Unfinished{Stopped: out.Stopped, NotTaken: out.NotTaken}
	if d != nil {
		u.Refused = d.Refused(true)
	}
	return u
}

// withUndone is an answer that says what was left undone.
func withUndone(answer string, u plan.Unfinished) string {
	return strings.TrimSpace(answer + "\n\n" + strings.Join(u.Sentences(), "\n\n"))
}

// undoneIn is what a revision that is made of d says was left undone: what the turn
// has, and what earlier turns were refused and nobody has mended.
func (a *Agent) undoneIn(t *turn, d *draft.Draft) plan.Unfinished {
	a.mu.Lock()
	defer a.mu.Unlock()
	u := t.undone.Clone()
	u.Refused = d.Refused(false)
	return u
}
