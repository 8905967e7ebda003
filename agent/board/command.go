package board

import (
	"context"
	"errors"
	"slices"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/workspace"
)

// Unanswered reports whether the editor has not answered for some file of the plan's execution.
func (tx *Tx) Unanswered() bool {
	x := tx.b.peek(tx.Held).execution
	return x != nil && x.waiting
}

// WaitForSave stores that a command waits until files are saved. record is the store's record of
// the command's execution, 0 if there is none yet; WaitForSave returns the record to use from
// then on.
func (tx *Tx) WaitForSave(ctx context.Context, command string, record int64) (int64, error) {
	id, next, err := tx.storeCommand(ctx, command, record, plan.CommandWaitingForSave)
	if err == nil {
		tx.swap(next)
	}
	return id, err
}

// BeginCommand stores that a command runs, before it starts, and returns its execution. No other
// decision on the plan is carried out until EndCommand. record is as in WaitForSave.
func (tx *Tx) BeginCommand(ctx context.Context, command string, record int64) (*Execution, error) {
	id, next, err := tx.storeCommand(ctx, command, record, plan.CommandRunning, plan.Execute)
	if err != nil {
		return nil, err
	}
	x := &Execution{b: tx.b, held: tx.Held, id: id, intent: Intent{Verdict: plan.VerdictApprove}, command: command, begun: tx.b.now(), done: make(chan struct{})}
	tx.swapWith(next, func(_ *table, e *entry) { e.execution = x }, plan.Execute)
	return x, nil
}

// JoinCommand stores, before it starts, that another command runs at the same time, in an
// execution that BeginCommand has begun.
func (tx *Tx) JoinCommand(ctx context.Context, x *Execution, command string) error {
	_, next, err := tx.storeCommand(ctx, command, x.id, plan.CommandRunning)
	if err == nil {
		tx.swap(next)
	}
	return err
}

// NoteCommand stores next, which has the result of a command, while others of its execution are
// still running or due. It returns nil if next cannot be stored now: then EndCommand stores it.
func (tx *Tx) NoteCommand(next *plan.Plan) error {
	next.Updated = tx.b.now().UTC()
	err := tx.b.store.Save(context.WithoutCancel(tx.b.root), tx.b.session.Key(), next, nil)
	if err != nil && !MayPass(err) {
		return tx.b.StoreError(next.Number, err)
	}
	tx.swap(next)
	return nil
}

// EndCommand stores next, which has the result of a command, and ends the command's execution.
func (tx *Tx) EndCommand(x *Execution, next *plan.Plan) error {
	err := tx.Conclude(x, next, false)
	tx.b.with(tx.Held, func(t *table, e *entry) {
		e.finish(x)
		t.changed(e)
	})
	close(x.done)
	return err
}

// ReleaseCommands makes the commands that wait for a save pending again, because this process
// will not run them any more. record is as in WaitForSave.
func (tx *Tx) ReleaseCommands(record int64) error {
	p, r := tx.Held.Now()
	next, reason := p.Clone(), ""
	if tx.b.root.Err() != nil {
		reason = endedWhileItWaited
	}
	for i := range r.Operations {
		if id := r.Operations[i].ID; next.Progress.Command(id).Status == plan.CommandWaitingForSave {
			next.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandPending, Reason: reason})
		}
	}
	if next.State != plan.Drafting {
		return tx.Conclude(&Execution{id: record, intent: Intent{Verdict: plan.VerdictApprove}}, next, false)
	}
	stored := next.Clone() // the state drafting is never stored
	stored.State, stored.Updated = tx.Held.before, tx.b.now().UTC()
	if err := tx.b.store.Finish(context.WithoutCancel(tx.b.root), tx.b.session.Key(), stored, record, false); err != nil {
		return tx.b.StoreError(stored.Number, err)
	}
	next.Version = stored.Version
	tx.swap(next)
	return nil
}

// storeCommand applies the events to the plan and stores it with the new status of a command,
// before the status becomes true. It returns the store's record of the command's execution, and
// the plan as stored.
func (tx *Tx) storeCommand(ctx context.Context, command string, record int64, status plan.CommandStatus, events ...plan.Event) (int64, *plan.Plan, error) {
	next := tx.Held.Plan().Clone()
	next.Progress.MarkCommand(command, plan.CommandMark{Status: status})
	for _, e := range events {
		if err := next.Apply(e); err != nil {
			return 0, nil, plan.Refuse(plan.WrongState, "Plan %d: %s", next.Number, err)
		}
	}
	next.Updated = tx.b.now().UTC()
	if status == plan.CommandRunning {
		next.Progress.Proceed(next.Updated)
	}
	id, err := tx.b.store.Command(ctx, tx.b.session.Key(), next, command, record)
	switch {
	case errors.Is(err, store.ErrNotAsShown), errors.Is(err, store.ErrNotApproved):
		return 0, nil, view.NotAsShown(next.Number)
	case err != nil:
		return 0, nil, tx.b.StoreError(next.Number, err)
	}
	return id, next, nil
}

// Why a command that ran or waited does not continue.
const (
	endedWhileItRan    = "Redline was ended while it ran; it is not known how it ended"
	endedWhileItWaited = "Redline was ended before it could run: approve it again"
)

// reconcileCommands settles the commands that a process left open when it exited. One that was
// running has failed, with its result if that was kept, else it is unknown; one that waited is
// pending again. It runs no command.
func (tx *Tx) reconcileCommands(ctx context.Context) (changed bool, err error) {
	b, h := tx.b, tx.Held
	open := h.openCommands()
	own := b.peek(h).execution != nil || b.hooks.RunsCommands(h.Plan().Number) || h.Plan().State == plan.Drafting
	if len(open) == 0 || own {
		return false, nil
	}
	id, alive, err := tx.unfinished(ctx)
	if err != nil || alive {
		return false, err
	}
	next := h.Plan().Clone()
	for _, operation := range open {
		switch m := next.Progress.Command(operation); {
		case m.Status == plan.CommandRunning && m.ExitCode != nil: // it was being compared
			m.Status = plan.CommandFailed
			next.Progress.MarkCommand(operation, m)
		case m.Status == plan.CommandRunning:
			next.Progress.MarkCommand(operation, plan.CommandMark{Status: plan.CommandFailed, Reason: endedWhileItRan})
		default:
			next.Progress.MarkCommand(operation, plan.CommandMark{Status: plan.CommandPending, Reason: endedWhileItWaited})
		}
	}
	return true, tx.Conclude(&Execution{id: id, intent: Intent{Verdict: plan.VerdictApprove}}, next, false)
}

// openCommands returns the commands of the plan that run or wait for a save.
func (h *Held) openCommands() []string {
	return slices.DeleteFunc(h.Plan().Runs(h.Revision()), func(id string) bool {
		status := h.Plan().Progress.Command(id).Status
		return status != plan.CommandRunning && status != plan.CommandWaitingForSave
	})
}

// CommandRules applies the user's own rules to the commands of plans.
type CommandRules struct {
	rules *commands.Rules // nil for none
	ws    *workspace.Workspace
}

// NewCommandRules applies the rules r (nil for none) to commands that run in the workspace.
func NewCommandRules(r *commands.Rules, ws *workspace.Workspace) CommandRules {
	return CommandRules{rules: r, ws: ws}
}

// Judge returns the rules' verdict on a command. Rules match command lines, so the user always
// decides on a call of a tool server.
func (c CommandRules) Judge(o *plan.Operation) commands.Verdict {
	if o.CallsServer() {
		return commands.Verdict{Answer: commands.Ask}
	}
	return c.rules.Judge(o.Command, c.folder(o))
}

// folder returns the folder of a command in the form that rules compare: a workspace path, ""
// for the root, ".." for anything outside the workspace.
func (c CommandRules) folder(o *plan.Operation) string {
	given := o.CommandArgs().Cwd
	if given == "" {
		return ""
	}
	clean, err := c.ws.Clean(given)
	switch {
	case err != nil:
		return ".." // it is refused again when it is about to run
	case clean == ".":
		return ""
	}
	return clean
}

// allowed counts the commands that the rules run when the plan is approved as a whole.
func (c CommandRules) allowed(p *plan.Plan, r *plan.Revision) (n int) {
	for _, id := range p.Runnable(r) {
		o, _ := r.Operation(id)
		if c.Judge(o).Answer != commands.Allow {
			break
		}
		n++
	}
	return n
}

// states returns the commands of a revision in the form that clients see.
func (c CommandRules) states(p *plan.Plan, r *plan.Revision) []state.Command {
	listed := []state.Command{}
	if !slices.ContainsFunc(r.Operations, func(o plan.Operation) bool { return o.IsCommand() }) {
		return listed
	}
	groups := map[string][]string{} // each command to those that run at the same time, itself included
	for _, group := range r.Parallel() {
		for _, id := range group {
			groups[id] = group
		}
	}
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() {
			m := p.Progress.Command(o.ID)
			if m.Status == plan.CommandRunning { // the result that it may have is not the last word
				m = plan.CommandMark{Status: m.Status}
			}
			s := state.Command{
				ID: o.ID, Command: o.Command, Cwd: o.Folder(), Status: string(m.Status), ExitCode: m.ExitCode, Output: view.ReportOutput(m), Verdict: string(m.Verdict), Reason: m.Reason,
			}
			for _, id := range groups[o.ID] {
				if id != o.ID {
					s.Alongside = append(s.Alongside, id)
				}
			}
			if v := c.Judge(o); v.Answer == commands.Allow && m.Status == plan.CommandPending {
				s.Rule = v.Rule
			}
			if step, ok := r.Step(o.Step); ok && m.Status == plan.CommandPending && !p.MayRun(r, o) {
				s.Waits = step.When.String()
			}
			listed = append(listed, s)
		}
	}
	return listed
}
