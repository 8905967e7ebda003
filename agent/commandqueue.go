package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/agent/conversation"
	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/store"
	"redline/internal/phrase"
)

// carryOutCommands is the work of the turn that runs a plan's approved commands.
func (ex *Executors) carryOutCommands(ctx context.Context, h *heldPlan, e *executor) error {
	err := ex.runQueue(ctx, h, e)
	ex.board.mu.Lock()
	e.ended = true // nobody adds to it any more
	ex.board.mu.Unlock()
	if released := ex.release(h, e); released != nil && err == nil {
		err = released
	}
	ex.board.mu.Lock()
	answer := strings.Join(e.did, " ")
	if answer != "" {
		answer = fmt.Sprintf("Plan %d: %s", h.plan().Number, answer)
	}
	if e.failed != "" {
		answer = strings.TrimSpace(answer + " " + e.failed)
		if err == nil {
			err = &refusal.Error{Kind: refusal.ApplyFailed, Reason: answer}
		}
	}
	ex.board.mu.Unlock()
	e.turn.Update(func(r *conversation.Result) { r.Answer = answer })
	ex.board.renewPreview(h)
	ex.board.announce(h, e.turn.ID)
	return err
}

// runQueue runs the commands in order until there are none, or one stops the plan.
func (ex *Executors) runQueue(ctx context.Context, h *heldPlan, e *executor) error {
	if x := e.edits; x != nil {
		select {
		case <-x.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if x.err != nil {
			return refusal.New(refusal.ApplyFailed, "No command of plan %d was run, because its edits were not made.", h.plan().Number)
		}
	}
	for {
		unlock := ex.board.lock(h)
		next, err := ex.nextCommand(ctx, h, e)
		unlock()
		switch {
		case err != nil:
			return err
		case next.done:
			return nil
		case next.told != "":
			ex.notify(event.Event{Kind: event.Noticed, Turn: e.turn.ID, Text: next.told})
		}
		if next.waits {
			ex.announceOnce(h, e, next.changed)
			select {
			case <-e.wake:
			case <-time.After(lookEvery):
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		if err := ex.runCommand(ctx, h, e, next.x, next.operation); err != nil {
			return err
		}
	}
}

func (ex *Executors) announceOnce(h *heldPlan, e *executor, changed bool) {
	if changed {
		ex.board.renewPreview(h)
		ex.board.announce(h, e.turn.ID)
	}
}

// following is what an executor does next.
type following struct {
	done      bool
	waits     bool
	changed   bool   // how the command stands has changed
	told      string // what the user is to be told first
	x         *execution
	operation *plan.Operation
}

// nextCommand looks at the first command of the queue: it begins it, or says that
// it has to wait. The caller has locked the plan.
func (ex *Executors) nextCommand(ctx context.Context, h *heldPlan, e *executor) (following, error) {
	if err := ctx.Err(); err != nil {
		return following{}, err
	}
	ex.board.mu.Lock()
	o, f, err := h.first(e)
	ex.board.mu.Unlock()
	if o == nil || err != nil {
		return f, err
	}
	if err := ex.recordRule(ctx, h, e, o); err != nil {
		return following{}, err
	}
	unsaved := ex.unsavedFiles(h)
	ex.board.mu.Lock()
	atOnce, told := e.at[o.ID], e.told
	e.told = told || len(unsaved) > 0 && !atOnce
	ex.board.mu.Unlock()
	if len(unsaved) > 0 && !atOnce {
		f := following{waits: true, changed: h.plan().Progress.Command(o.ID).Status != plan.CommandWaitingForSave}
		if f.changed {
			if err := ex.toStore(ctx, h, e, o.ID, plan.CommandMark{Status: plan.CommandWaitingForSave}, ""); err != nil {
				return following{}, err
			}
		}
		if !told {
			f.told = fmt.Sprintf("Plan %d: the command %s waits until you have saved %s. Approve it again to run it at once.",
				h.plan().Number, quotedIn(o), phrase.And(phrase.FirstOf(unsaved, 5, "file")))
		}
		return f, nil
	}
	if err := ex.toStore(ctx, h, e, o.ID, plan.CommandMark{Status: plan.CommandRunning}, plan.Execute); err != nil {
		return following{}, err
	}
	ex.board.mu.Lock()
	defer ex.board.mu.Unlock()
	x := &execution{id: e.open, verdict: plan.VerdictApprove, command: o.ID, begun: ex.now(), done: make(chan struct{})}
	e.open = 0
	h.execution = x
	return following{x: x, operation: o}, nil
}

// recordRule records that the user's own rules have allowed a command, if they
// have: nobody else has. The caller has locked the plan.
func (ex *Executors) recordRule(ctx context.Context, h *heldPlan, e *executor, o *plan.Operation) error {
	ex.board.mu.Lock()
	rule := e.rules[o.ID]
	ex.board.mu.Unlock()
	if rule == "" {
		return nil
	}
	next := h.plan().Clone()
	next.Updated = ex.now().UTC()
	d := decisionOn(h.plan(), h.revision(), Decide{Operation: o.ID, Who: "rule: " + rule, Client: "settings"}, plan.VerdictApprove, scope{}, ex.now())
	d.Commands = []string{o.ID}
	if err := ex.store.Save(ctx, ex.workspaceKey(), next, d); err != nil {
		return ex.board.kept(next.Number, err)
	}
	ex.board.swap(h, next)
	ex.board.mu.Lock()
	delete(e.rules, o.ID)
	ex.board.mu.Unlock()
	return nil
}

// first returns the command that is next, nil if there is none or it has to wait
// for something else than a save. The caller has locked the plan and holds Board.mu.
func (h *heldPlan) first(e *executor) (*plan.Operation, following, error) {
	n := h.plan().Number
	switch x := h.execution; {
	case h.revision().Hash != e.hash:
		return nil, following{}, refusal.New(refusal.HashMismatch, "Plan %d has another revision now: look at it and approve its commands again.", n)
	case x != nil && x.waiting:
		return nil, following{}, refusal.New(refusal.Busy, "No command of plan %d is run now, because the editor has not answered for its edits: look at them, then approve the commands again.", n)
	case x != nil || h.plan().State == plan.Drafting:
		return nil, following{waits: true}, nil
	}
	e.queue = slices.DeleteFunc(e.queue, func(id string) bool {
		m := h.plan().Progress.Command(id)
		if m.Settled {
			e.did = append(e.did, skippedInWords(h.plan(), h.revision(), []string{id})...)
		}
		return m.Status == plan.CommandRejected || m.Status == plan.CommandSucceeded || m.Settled
	})
	if len(e.queue) == 0 {
		e.ended = true
		return nil, following{done: true}, nil
	}
	o, _ := h.revision().Operation(e.queue[0])
	ready := newReadiness(h.plan(), h.revision(), nil)
	if missing := ready.missing(o.ID); missing != "" {
		return nil, following{}, refusal.New(refusal.WrongState, "Command %s of plan %d was not run: it comes after %s, which is not applied.", o.ID, n, missing)
	}
	if err := ready.checkCondition(o, nil); err != nil {
		return nil, following{}, err
	}
	return o, following{}, nil
}

// toStore stores how a command stands now, before that is so. The caller has
// locked the plan.
func (ex *Executors) toStore(ctx context.Context, h *heldPlan, e *executor, operation string, mark plan.CommandMark, event plan.Event) error {
	next := h.plan().Clone()
	next.Progress.MarkCommand(operation, mark)
	var events []plan.Event
	if event != "" {
		if err := next.Apply(event); err != nil {
			return refusal.New(refusal.WrongState, "Plan %d: %s", next.Number, err)
		}
		events = append(events, event)
	}
	next.Updated = ex.now().UTC()
	id, err := ex.store.Command(ctx, ex.workspaceKey(), next, operation, e.open)
	switch {
	case errors.Is(err, store.ErrNotAsShown), errors.Is(err, store.ErrNotApproved):
		return notAsShown(next.Number)
	case err != nil:
		return ex.board.kept(next.Number, err)
	}
	e.open = id
	ex.board.swap(h, next, events...)
	return nil
}

// unsavedFiles are the files of the plan that are unsaved in an editor, as far as
// that matters: a buffer without a text is nothing to save where there is no file.
// The caller has locked the plan, and does not hold Board.mu.
func (ex *Executors) unsavedFiles(h *heldPlan) []string {
	ex.board.mu.Lock()
	var all, paths []string
	for _, f := range h.files {
		all = append(all, f.livePath(h.plan()))
	}
	ex.board.mu.Unlock()
	elsewhere := ex.unsavedElsewhere()
	for _, path := range all {
		b, open := ex.ws.Buffer(path)
		switch {
		case !open && !elsewhere(path), open && !b.Dirty:
			continue
		case open && isBlank(b.Lines):
			if exists, _, err := ex.ws.Stat(path); err == nil && !exists {
				continue
			}
		}
		paths = append(paths, path)
	}
	return paths
}

// release puts a command that waits back to what it was before it was approved,
// since nobody will run it any more.
func (ex *Executors) release(h *heldPlan, e *executor) error {
	defer ex.board.lock(h)()
	ex.board.mu.Lock()
	id, next := e.open, h.plan().Clone()
	e.open = 0
	ex.board.mu.Unlock()
	if id == 0 {
		return nil
	}
	reason := ""
	if ex.root.Err() != nil {
		reason = endedWhileItWaited
	}
	for i := range h.revision().Operations {
		if o := h.revision().Operations[i].ID; next.Progress.Command(o).Status == plan.CommandWaitingForSave {
			next.Progress.MarkCommand(o, plan.CommandMark{Status: plan.CommandPending, Reason: reason})
		}
	}
	x := &execution{id: id, verdict: plan.VerdictApprove}
	if next.State != plan.Drafting {
		return ex.board.conclude(h, x, next)
	}
	stored := next.Clone() // that a plan is drafted is never stored
	stored.State, stored.Updated = h.before, ex.now().UTC()
	if err := ex.store.Finish(context.WithoutCancel(ex.root), ex.workspaceKey(), stored, id, false); err != nil {
		return ex.board.kept(stored.Number, err)
	}
	next.Version = stored.Version
	ex.board.swap(h, next)
	return nil
}
