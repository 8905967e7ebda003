package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/agent/conversation"
	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/refusal"
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
		tx := ex.board.Lock(h)
		next, err := ex.nextCommand(ctx, tx, h, e)
		tx.Unlock()
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
func (ex *Executors) nextCommand(ctx context.Context, tx *Tx, h *heldPlan, e *executor) (following, error) {
	if err := ctx.Err(); err != nil {
		return following{}, err
	}
	o, f, err := firstCommand(tx, h, e)
	if o == nil || err != nil {
		return f, err
	}
	if err := ex.recordRule(ctx, tx, h, e, o); err != nil {
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
			record, err := tx.WaitForSave(ctx, o.ID, e.open)
			if err != nil {
				return following{}, err
			}
			e.open = record
		}
		if !told {
			f.told = fmt.Sprintf("Plan %d: the command %s waits until you have saved %s. Approve it again to run it at once.",
				h.plan().Number, quotedIn(o), phrase.And(phrase.FirstOf(unsaved, 5, "file")))
		}
		return f, nil
	}
	x, err := tx.BeginCommand(ctx, o.ID, e.open)
	if err != nil {
		return following{}, err
	}
	e.open = 0
	return following{x: x, operation: o}, nil
}

// recordRule records that the user's own rules have allowed a command, if they
// have: nobody else has. The caller has locked the plan.
func (ex *Executors) recordRule(ctx context.Context, tx *Tx, h *heldPlan, e *executor, o *plan.Operation) error {
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
	if err := tx.Save(ctx, next, d); err != nil {
		return err
	}
	ex.board.mu.Lock()
	delete(e.rules, o.ID)
	ex.board.mu.Unlock()
	return nil
}

// firstCommand returns the command that is next, nil if there is none or it has to wait
// for something else than a save. The caller has locked the plan and does not hold Board.mu.
func firstCommand(tx *Tx, h *heldPlan, e *executor) (*plan.Operation, following, error) {
	n := h.plan().Number
	switch {
	case h.revision().Hash != e.hash:
		return nil, following{}, refusal.New(refusal.HashMismatch, "Plan %d has another revision now: look at it and approve its commands again.", n)
	case tx.Unanswered():
		return nil, following{}, refusal.New(refusal.Busy, "No command of plan %d is run now, because the editor has not answered for its edits: look at them, then approve the commands again.", n)
	case tx.Executing() || h.plan().State == plan.Drafting:
		return nil, following{waits: true}, nil
	}
	tx.b.mu.Lock()
	defer tx.b.mu.Unlock()
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

// unsavedFiles are the files of the plan that are unsaved in an editor, as far as
// that matters: a buffer without a text is nothing to save where there is no file.
// The caller has locked the plan, and does not hold Board.mu.
func (ex *Executors) unsavedFiles(h *heldPlan) []string {
	v := ex.board.View(h)
	var paths []string
	elsewhere := ex.unsavedElsewhere()
	for _, f := range v.Files {
		path := f.Path
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

// release makes the commands that wait pending again, because nobody will run them any more.
func (ex *Executors) release(h *heldPlan, e *executor) error {
	tx := ex.board.Lock(h)
	defer tx.Unlock()
	record := e.open
	e.open = 0
	if record == 0 {
		return nil
	}
	return tx.ReleaseCommands(record)
}
