package decide

import (
	"context"

	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
)

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
