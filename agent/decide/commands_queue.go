package decide

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// recheckEvery is how often a waiting executor checks by itself whether it can continue, since
// another process's work does not wake it.
const recheckEvery = time.Second

// run runs the executor's turn.
func (e *executor) run(ctx context.Context) error {
	err := e.runQueue(ctx)
	e.close()
	if released := e.release(); err == nil {
		err = released
	}
	answer := strings.TrimSpace(strings.Join(e.results, " ") + " " + e.failure)
	if answer != "" {
		answer = fmt.Sprintf("Plan %d: %s", e.held.Number(), answer)
	}
	if e.failure != "" && err == nil {
		err = &plan.Refusal{Kind: plan.ApplyFailed, Reason: answer}
	}
	report := ""
	if e.ended > 0 && e.ex.hooks.Ran != nil && ctx.Err() == nil && (e.failure != "" || !e.left()) {
		report = e.ex.hooks.Ran(e.held)
	}
	e.follows = report != ""
	e.turn.Update(func(r *conversation.Result) { r.Answer, r.Printed, r.Report = answer, e.printed, report })
	e.ex.board.Announce(e.held, e.turn.ID)
	return err
}

// left reports whether commands of the plan are left to run.
func (e *executor) left() bool {
	p, r := e.held.Now()
	return len(p.Undecided(r).Commands) > 0
}

// follow starts the turn that waits for the end of this one.
func (e *executor) follow() {
	if e.follows {
		e.ex.conversations.Continue(e.turn.Conversation.ID)
	}
}

// runQueue runs the commands in order until none is left, or one stops the plan.
func (e *executor) runQueue(ctx context.Context) error {
	if e.after != nil {
		select {
		case <-e.after.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
		if e.after.Err() != nil {
			return plan.Refuse(plan.ApplyFailed, "No command of plan %d was run, because its edits were not made.", e.held.Number())
		}
	}
	for {
		next, err := e.next(ctx)
		switch {
		case err != nil:
			return err
		case next.done:
			return nil
		case next.notice != "":
			e.ex.session.Notify(state.Event{Kind: state.Noticed, Turn: e.turn.ID, Text: next.notice})
		}
		if !next.waits {
			e.shown = ""
			if err := e.runCommands(ctx, next.execution, next.command, next.beside); err != nil {
				return err
			}
			continue
		}
		if next.changed {
			e.ex.board.Announce(e.held, e.turn.ID)
		}
		e.showWait(next.doing)
		select {
		case <-e.woken:
		case <-time.After(recheckEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// action is what an executor does next: end, wait, or run a command that has begun.
type action struct {
	done    bool
	waits   bool
	changed bool   // for a wait: the command's status has changed
	notice  string // what to tell the user first
	doing   string // for a wait: what it waits for, for the progress of the turn; "" if that goes by itself

	execution *board.Execution
	command   *plan.Operation
	beside    []*plan.Operation // run at the same time; not begun
}

// next begins the first command of the queue, or returns that the executor has to wait.
func (e *executor) next(ctx context.Context) (action, error) {
	tx := e.ex.board.Lock(e.held)
	defer tx.Unlock()
	if err := ctx.Err(); err != nil {
		return action{}, err
	}
	o, a, err := e.first(tx)
	if o == nil || err != nil {
		return a, err
	}
	if err := e.recordRule(ctx, tx, o); err != nil {
		return action{}, err
	}
	if unsaved := e.unsavedFiles(); len(unsaved) > 0 && !e.runNow[o.ID] {
		return e.waitForSave(ctx, tx, o, unsaved)
	}
	x, err := tx.BeginCommand(ctx, o.ID, e.record)
	if err != nil {
		return action{}, err
	}
	e.record = 0
	return action{execution: x, command: o, beside: e.beside(o)}, nil
}

// first returns the first command of the queue. It returns nil if there is none, or if it waits
// for something other than a save.
func (e *executor) first(tx *board.Tx) (*plan.Operation, action, error) {
	p, r := e.held.Now()
	switch {
	case r.Hash != e.hash:
		return nil, action{}, plan.Refuse(plan.HashMismatch, "Plan %d has another revision now: look at it and approve its commands again.", p.Number)
	case tx.Unanswered():
		return nil, action{}, plan.Refuse(plan.Busy, "No command of plan %d is run now, because the editor has not answered for its edits: look at them, then approve the commands again.", p.Number)
	case tx.Executing() || p.State == plan.Drafting:
		return nil, action{waits: true}, nil
	}
	e.collect()
	e.queue = slices.DeleteFunc(e.queue, func(id string) bool {
		m := p.Progress.Command(id)
		if m.Settled {
			e.results = append(e.results, skippedInWords(p, r, []string{id})...)
		}
		return m.Status == plan.CommandRejected || m.Status == plan.CommandSucceeded || m.Settled
	})
	if len(e.queue) == 0 {
		closed := e.closeIfIdle()
		return nil, action{done: closed, waits: !closed}, nil
	}
	o, _ := r.Operation(e.queue[0])
	ready := newReadiness(p, r, nil)
	if missing := ready.missing(o.ID); missing != "" {
		return nil, action{}, plan.Refuse(plan.WrongState, "Command %s of plan %d was not run: it comes after %s, which is not applied.", o.ID, p.Number, missing)
	}
	if err := ready.checkCondition(o, nil); err != nil {
		return nil, action{}, err
	}
	return o, action{}, nil
}

// recordRule records that the user's own rules allow a command, unless the user's decision allows
// it.
func (e *executor) recordRule(ctx context.Context, tx *board.Tx, o *plan.Operation) error {
	rule := e.rules[o.ID]
	if rule == "" {
		return nil
	}
	p, r := e.held.Now()
	now := e.ex.now()
	d := view.RecordDecision(p, r, view.Request{Operation: o.ID, Who: "rule: " + rule, Client: "settings"}, plan.VerdictApprove, nil, now)
	d.Commands = []string{o.ID}
	next := p.Clone()
	next.Updated = now.UTC()
	if err := tx.Save(ctx, next, d); err != nil {
		return err
	}
	delete(e.rules, o.ID)
	return nil
}

// showWait makes the turn's progress say what the user can do, for as long as a command waits. The
// notice is gone before: another message or the progress takes its place, as in Emacs' echo area.
func (e *executor) showWait(doing string) {
	if doing == "" || doing == e.shown {
		return
	}
	e.shown = doing
	e.ex.session.NotifyOnly(state.Event{Kind: state.Doing, Turn: e.turn.ID, Conversation: e.turn.Conversation.ID, Name: "save", Text: doing})
}

// waitForSave makes a command wait until the unsaved files are saved, and tells the user once.
func (e *executor) waitForSave(ctx context.Context, tx *board.Tx, o *plan.Operation, unsaved []string) (action, error) {
	a := action{waits: true, changed: e.held.Plan().Progress.Command(o.ID).Status != plan.CommandWaitingForSave}
	named := phrase.And(phrase.FirstOf(unsaved, 5, "file"))
	a.doing = fmt.Sprintf("save %s to run %s", named, quotedIn(o))
	if a.changed {
		record, err := tx.WaitForSave(ctx, o.ID, e.record)
		if err != nil {
			return action{}, err
		}
		e.record = record
	}
	if !e.reported {
		a.notice = fmt.Sprintf("Plan %d: the command %s waits until you have saved %s. Approve it again to run it at once.", e.held.Number(), quotedIn(o), named)
	}
	e.reported = true
	return a, nil
}

// unsavedFiles returns the files of the plan that an editor has not saved. It ignores an empty
// buffer without a file, which has nothing to save.
func (e *executor) unsavedFiles() (paths []string) {
	elsewhere := e.ex.presence.Elsewhere()
	for _, f := range e.ex.board.View(e.held).Files {
		b, open := e.ex.ws.Buffer(f.Path)
		switch {
		case !open && elsewhere(f.Path) == "", open && !b.Dirty:
			continue
		case open && edits.Blank(b.Lines.Text()):
			if exists, _, err := e.ex.ws.Stat(f.Path); err == nil && !exists {
				continue
			}
		}
		paths = append(paths, f.Path)
	}
	return paths
}

// release makes a command that waits for a save pending again, because this executor will not
// run it any more.
func (e *executor) release() error {
	if e.record == 0 {
		return nil
	}
	tx := e.ex.board.Lock(e.held)
	defer tx.Unlock()
	record := e.record
	e.record = 0
	return tx.ReleaseCommands(record)
}
