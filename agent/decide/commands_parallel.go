package decide

import (
	"context"
	"slices"
	"time"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
)

// beside returns the commands of the queue that run at the same time as its first one, o, if
// they could begin now. The plan, and so its approval hash, says which.
func (e *executor) beside(o *plan.Operation) (others []*plan.Operation) {
	p, r := e.held.Now()
	along := r.Alongside(o.ID)
	if len(along) == 0 || e.ex.options.Parallel < 2 {
		return nil
	}
	ready, unsaved := newReadiness(p, r, nil), len(e.unsavedFiles()) > 0
	for _, id := range e.queue[1:] {
		other, _ := r.Operation(id)
		if !slices.Contains(along, id) || unsaved && !e.runNow[id] || ready.missing(id) != "" {
			break
		}
		others = append(others, other)
	}
	return others
}

// together is a group of commands that run at the same time.
type together struct {
	*executor
	x         *board.Execution
	began     time.Time         // when the first began
	waiting   []*plan.Operation // commands that have not begun
	running   int
	comparing int // failed commands that run again without the plan's edits, see compare
	results   chan finished
}

// finished is a command that has run.
type finished struct {
	command  *plan.Operation
	seen     commands.Observation
	compared bool       // verdict was found out
	verdict  plan.Class // what is known of its failure, see [Compare]
}

// runCommands runs a command that has begun, together with the others, and records their
// results. If one fails, those that have not begun are not run, and the running ones continue to
// their end. While it is found out what a failure means, none begins.
func (e *executor) runCommands(ctx context.Context, x *board.Execution, first *plan.Operation, others []*plan.Operation) error {
	g := &together{executor: e, x: x, began: e.ex.now(), waiting: others, results: make(chan finished)}
	defer func() { e.spent += e.ex.now().Sub(g.began) }()
	e.dequeue([]string{first.ID})
	g.start(ctx, first)
	err := g.begin(ctx)
	for g.running+g.comparing > 0 {
		one := <-g.results
		if g.ended(one); g.comparable(ctx, one) && g.keep(one) == nil {
			g.compare(ctx, one)
			continue
		}
		noted := g.end(one)
		if err == nil {
			err = noted
		}
		if err == nil {
			err = g.begin(ctx)
		}
		e.ended++
		e.ex.board.Announce(e.held, e.turn.ID)
	}
	return err
}

// begin begins further commands, as many as may run, unless one has failed.
func (g *together) begin(ctx context.Context) error {
	for len(g.waiting) > 0 && g.comparing == 0 && g.running < g.ex.options.Parallel && g.failure == "" && ctx.Err() == nil {
		o := g.waiting[0]
		g.waiting = g.waiting[1:]
		if err := g.join(ctx, o); err != nil {
			g.waiting = nil
			return err
		}
		g.dequeue([]string{o.ID})
		g.start(ctx, o)
	}
	return nil
}

// join stores that a command runs at the same time as others.
func (g *together) join(ctx context.Context, o *plan.Operation) error {
	tx := g.ex.board.Lock(g.held)
	defer tx.Unlock()
	if err := g.recordRule(ctx, tx, o); err != nil {
		return err
	}
	return tx.JoinCommand(ctx, g.x, o.ID)
}

// start runs a command that has begun, on a goroutine of its own.
func (g *together) start(ctx context.Context, o *plan.Operation) {
	g.running++
	g.tellRunning(o)
	within := g.room(g.began)
	go func() {
		one := finished{command: o, seen: commands.Observation{Problem: "It could not be run."}}
		err := session.Contain(func() error { one.seen = g.observe(ctx, o, within); return nil })
		g.ex.session.LogPanic("a command panicked", err)
		g.results <- one
	}()
}

// end records the result of a command, and what follows from it for the rest of the queue. The
// last result ends the execution. Until then another command is always stored as running, since
// the next one begins while another still runs: after a crash these records show how to settle
// the plan.
func (g *together) end(one finished) error {
	tx := g.ex.board.Lock(g.held)
	defer tx.Unlock()
	next := g.held.Plan().Clone()
	g.note(next, one)
	if g.running+g.comparing == 0 {
		return tx.EndCommand(g.x, next)
	}
	return tx.NoteCommand(next)
}

// ended counts a command that has run, or was compared.
func (g *together) ended(one finished) {
	if one.compared {
		g.comparing--
	} else {
		g.running--
	}
}

// comparable reports whether a command has failed such that the plan stops, and it can be found
// out whether it fails without the plan's edits too. What a call of a tool server does is not
// known, so it never runs twice.
func (g *together) comparable(ctx context.Context, one finished) bool {
	code := one.seen.ExitCode
	if one.seen.Refused != "" { // a trial would write a copy, and say nothing of the plan
		return false
	}
	if one.compared || g.ex.hooks.Compare == nil || code == nil || *code == 0 || one.command.CallsServer() || g.failure != "" || ctx.Err() != nil {
		return false
	}
	_, goesOn := markResult(g.held.Plan().Clone(), g.held.Revision(), one)
	return !goesOn
}

// keep stores the result of a command that is still to be compared. The command counts as running,
// but if Redline is killed the next session knows how it ended.
func (g *together) keep(one finished) error {
	tx := g.ex.board.Lock(g.held)
	defer tx.Unlock()
	next := g.held.Plan().Clone()
	mark := markOf(one)
	mark.Status = plan.CommandRunning
	next.Progress.MarkCommand(one.command.ID, mark)
	return tx.NoteCommand(next)
}

// compare finds out, on a goroutine of its own, what a failure means. Until then the command is
// stored as running, with its result, see keep.
func (g *together) compare(ctx context.Context, one finished) {
	g.comparing++
	g.turn.Notify(state.Event{Kind: state.ToolCalled, ID: one.command.ID, Name: "try_command", Summary: "trying " + quotedIn(one.command) + " without the plan's edits"})
	within, cancel := g.room(g.began), func() {}
	if within.limited {
		ctx, cancel = context.WithTimeout(ctx, within.left)
	}
	go func() {
		defer cancel()
		one.compared = true
		err := session.Contain(func() error {
			one.verdict = g.ex.hooks.Compare(ctx, g.held, one.command, one.seen)
			return nil
		})
		g.ex.session.LogPanic("a comparison panicked", err)
		g.results <- one
	}()
}
