package decide

import (
	"context"
	"slices"
	"time"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/session"
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
		e.announce()
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
