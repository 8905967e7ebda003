package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/agent/plan"
	"redline/edits"
)

// answerWithin is how long a decision waits for its execution. Some editors
// block until a command is answered, or drop the answer after 20 s.
const answerWithin = 5 * time.Second

// execution is one approval or undo being carried out.
type execution struct {
	id      int64 // of its record in the store
	verdict plan.Verdict
	parts   []part
	changes []edits.Change // one for each part
	done    chan struct{}  // closed when the editor was asked and has answered, or not
	result  Result
	err     error
	waiting bool // the editor did not answer: the text will settle it
}

// ready tells whether the event is possible and nothing is being carried out.
func (h *heldPlan) ready(e plan.Event) error {
	if h.execution != nil {
		return refuse(Busy, "Plan %d is being carried out: wait until it has ended.", h.plan.Number)
	}
	if _, err := h.plan.State.Next(e); err != nil {
		return refuse(WrongState, "Plan %d: %s", h.plan.Number, err)
	}
	return nil
}

// replace reads the files that no editor shows again and places their hunks.
func (a *Agent) replace(h *heldPlan) {
	for _, f := range h.files {
		if _, open := a.ws.Buffer(f.livePath(h.plan)); !open {
			a.place(h, f)
		}
	}
	a.changed(h)
}

// begin stores a decision with the intent to carry it out, before anything is
// sent. The caller holds a.mu.
func (a *Agent) begin(ctx context.Context, h *heldPlan, next *plan.Plan, x *execution, d *plan.Decision) error {
	next.Updated = a.now().UTC()
	paths := make([]string, len(x.changes))
	for i, c := range x.changes {
		paths[i] = c.Path
	}
	id, err := a.store.Begin(ctx, a.workspaceKey(), next, d, paths)
	if err != nil {
		return err
	}
	x.id, x.done = id, make(chan struct{})
	h.plan, h.execution = next, x
	a.changed(h)
	return nil
}

// carryOut has the editor make the changes and waits for the end, at most
// five seconds; the execution goes on by itself after that.
func (a *Agent) carryOut(ctx context.Context, h *heldPlan, x *execution) (Result, error) {
	a.announce(h, "")
	a.work.Go(func() {
		err := contained(func() error { return a.execute(h, x) })
		a.mu.Lock()
		if err != nil {
			x.err = err
		}
		if !x.waiting {
			h.execution = nil
		}
		x.result = a.resultOf(h, x)
		a.changed(h)
		a.mu.Unlock()
		close(x.done)
		a.announce(h, "")
	})
	timer := time.NewTimer(answerWithin)
	defer timer.Stop()
	select {
	case <-x.done:
		return x.result, x.err
	case <-timer.C:
	case <-ctx.Done():
		return Result{}, ctx.Err() // it goes on all the same
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.resultOf(h, x), nil
}

// execute sends the changes, takes the earlier ones back when a later one is
// refused, and records what came of each file.
func (a *Agent) execute(h *heldPlan, x *execution) error {
	outcomes, err := a.editor.Apply(a.root, x.changes)
	if err != nil {
		outcomes = unknownFrom(outcomes, x.changes)
	}
	failure := firstRefusal(outcomes)
	if failure != nil && x.verdict == plan.VerdictApprove {
		return a.takeBack(h, x, outcomes, *failure)
	}
	if err := a.record(h, x, outcomes); err != nil {
		return err
	}
	if failure != nil {
		return refuse(ApplyFailed, "%s was not changed: %s", failure.Path, failure.Reason)
	}
	return nil
}

// firstRefusal returns the first change that the editor refused, nil for none.
func firstRefusal(outcomes []edits.Applied) *edits.Applied {
	for i := range outcomes {
		if outcomes[i].Status == edits.Refused {
			return &outcomes[i]
		}
	}
	return nil
}

// unknownFrom fills up what an editor that went away did not say.
func unknownFrom(outcomes []edits.Applied, changes []edits.Change) []edits.Applied {
	for _, c := range changes[len(outcomes):] {
		outcomes = append(outcomes, edits.Applied{
			Path: c.Path, Status: edits.Unknown, Reason: "the editor went away before it answered",
		})
	}
	return outcomes
}

// takeBack undoes the files of an approval that were changed before one was
// refused: all files land, or none stay.
func (a *Agent) takeBack(h *heldPlan, x *execution, outcomes []edits.Applied, failure edits.Applied) error {
	a.mu.Lock()
	var undo []edits.Change
	var undone []int // index into x.parts
	left := []string{}
	applied := h.plan.Clone()
	for i, o := range outcomes {
		if o.Status == edits.Done {
			markApplied(applied, h.revision, x.parts[i])
		}
	}
	before := h.plan
	h.plan = applied // so that the hunks are found as applied
	for i, o := range outcomes {
		if o.Status != edits.Done {
			continue
		}
		a.place(h, x.parts[i].file)
		c, conflicts := a.backward(h, x.parts[i])
		if len(conflicts) > 0 {
			left = append(left, o.Path)
			continue
		}
		undo, undone = append(undo, c), append(undone, i)
	}
	h.plan = before
	a.mu.Unlock()

	taken, err := a.editor.Apply(a.root, undo)
	if err != nil {
		taken = unknownFrom(taken, undo)
	}
	final := make([]edits.Applied, len(x.parts))
	for i, p := range x.parts {
		final[i] = edits.Applied{
			Path: p.file.change.Path, Status: edits.Refused,
			Reason: fmt.Sprintf("taken back, because %s could not be changed", failure.Path),
		}
		if i >= len(outcomes) {
			final[i].Reason = fmt.Sprintf("not begun, because %s could not be changed", failure.Path)
		} else if outcomes[i].Status != edits.Done {
			final[i] = outcomes[i]
		}
	}
	for k, i := range undone {
		if k >= len(taken) || taken[k].Status != edits.Done {
			left = append(left, x.changes[i].Path)
			final[i] = outcomes[i]
		}
	}
	for i, o := range outcomes {
		if o.Status == edits.Done && !slices.Contains(undone, i) {
			final[i] = o
		}
	}
	if err := a.record(h, x, final); err != nil {
		return err
	}
	if len(left) > 0 {
		return refuse(ApplyFailed, "%s was not changed: %s. Still changed, because it could not be taken back: %s.",
			failure.Path, trimDot(failure.Reason), strings.Join(left, ", "))
	}
	return refuse(ApplyFailed, "%s was not changed: %s. Nothing of this approval stays applied.", failure.Path, trimDot(failure.Reason))
}

// record stores what came of each part and moves the plan on.
func (a *Agent) record(h *heldPlan, x *execution, outcomes []edits.Applied) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := h.plan.Clone()
	stays := false // something of a refused execution stays applied
	for _, o := range outcomes {
		stays = stays || o.Status == edits.Done
	}
	for i, p := range x.parts {
		o := edits.Applied{Status: edits.Refused, Reason: "not begun"}
		if i < len(outcomes) {
			o = outcomes[i]
		}
		mark(next, h.revision, x.verdict, p, o, stays)
		x.waiting = x.waiting || o.Status == edits.Unknown
	}
	return a.conclude(h, x, next)
}

// mark notes what came of one part of an execution.
func mark(p *plan.Plan, r *plan.Revision, verdict plan.Verdict, part part, o edits.Applied, stays bool) {
	path := part.file.change.Path
	landed, missed := markApplied, markPending
	if verdict == plan.VerdictUndo {
		landed, missed = missed, landed
	}
	switch o.Status {
	case edits.Done:
		landed(p, r, part)
	case edits.Refused:
		missed(p, r, part)
		if verdict == plan.VerdictApprove && stays {
			p.Progress.MarkFile(r.Number, path, plan.FileFailed, o.Reason)
		} else {
			p.Progress.Settle(r.Number, path, o.Reason)
		}
	case edits.Unknown:
		p.Progress.MarkFile(r.Number, path, plan.FileApplying, o.Reason)
	case edits.Unverified:
		if len(o.Landings) != len(part.hunks) || slices.Contains(o.Landings, edits.Unclear) {
			p.Progress.MarkFile(r.Number, path, plan.FileUnverified, o.Reason)
			return
		}
		// The text shows each hunk: some landed and some did not.
		for k, i := range part.hunks {
			status := plan.HunkPending
			if (o.Landings[k] == edits.Landed) == (verdict == plan.VerdictApprove) {
				status = plan.HunkApplied
			}
			p.Progress.MarkHunk(part.file.change.Hunks[i].ID, status, "")
		}
		p.Progress.MarkFile(r.Number, path, plan.FileFailed, o.Reason)
	}
}

func markApplied(p *plan.Plan, r *plan.Revision, part part) {
	for _, i := range part.hunks {
		p.Progress.MarkHunk(part.file.change.Hunks[i].ID, plan.HunkApplied, "")
	}
	part.settle(p, r, plan.FileApplied)
}

func markPending(p *plan.Plan, r *plan.Revision, part part) {
	for _, i := range part.hunks {
		p.Progress.MarkHunk(part.file.change.Hunks[i].ID, plan.HunkPending, "")
	}
	part.settle(p, r, plan.FilePending)
}

// settle ends what was open of a file, and its move if that was a part of it.
func (part part) settle(p *plan.Plan, r *plan.Revision, move plan.FileStatus) {
	if part.move {
		p.Progress.MarkFile(r.Number, part.file.change.Path, move, "")
	} else {
		p.Progress.Settle(r.Number, part.file.change.Path, "")
	}
}

// conclude moves the plan to the state that its parts call for and stores it.
// The caller holds a.mu.
func (a *Agent) conclude(h *heldPlan, x *execution, next *plan.Plan) error {
	if !x.waiting {
		if x.verdict == plan.VerdictUndo {
			next.State = afterUndo(next)
		} else if event, ok := next.Outcome(h.revision); ok && next.State == plan.Executing {
			if err := next.Apply(event); err != nil {
				return err
			}
		}
	}
	next.Updated = a.now().UTC()
	h.plan = next
	for _, f := range h.files {
		a.place(h, f)
	}
	a.changed(h)
	a.forgetDecided(h)
	return a.store.Finish(a.root, a.workspaceKey(), next, x.id, x.waiting)
}

// forgetDecided lets the conversation begin a new plan once this one is done.
func (a *Agent) forgetDecided(h *heldPlan) {
	if conv := a.conversations[h.plan.Conversation]; conv != nil {
		if !h.plan.State.Open() && conv.plan == h.plan.Number {
			conv.plan = 0
		} else if h.plan.State.Open() && conv.plan == 0 {
			conv.plan = h.plan.Number
		}
	}
}

// resultOf tells what came of an execution as the plan stands. The caller
// holds a.mu.
func (a *Agent) resultOf(h *heldPlan, x *execution) Result {
	r := Result{
		Plan: h.plan.Number, Revision: h.revision.Number, State: string(h.plan.State),
		Files: []FileResult{}, Commands: commandStates(h.plan, h.revision),
	}
	for _, p := range x.parts {
		v := a.fileView(h, p.file)
		r.Files = append(r.Files, FileResult{Path: p.file.change.Path, Status: string(v.Status), Reason: v.Reason})
	}
	return r
}
