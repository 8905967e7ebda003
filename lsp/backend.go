package lsp

import (
	"context"
	"sync"

	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/refusal"
	"redline/internal/phrase"
	"redline/lsp/window"
	"redline/lsp/wire"
	"redline/workspace"
)

// backend is the agent of a connection. There may be none, and commands wait until the
// plans of earlier sessions have been looked for.
type backend struct {
	agent *agent.Agent // nil when err says why
	err   error

	conn      *wire.Conn
	window    *window.Window
	workspace *workspace.Workspace
	timeouts  Timeouts
	changed   func() // brings the client up to date
	log       *zap.Logger

	ended chan struct{} // closed when the last look for plans that was begun is over, nil before the first; the read loop's

	mu        sync.Mutex // held while plans are looked for: everyone waits for that
	recovered bool
	told      string // the failure that the user was told
}

// close ends the turns and waits for them: a turn must not go on spending when
// nobody listens.
func (b *backend) close() {
	if b.agent != nil {
		b.agent.Close()
	}
}

// leave has the agent record what the client saved last, and closes the client's buffers,
// so that the agent notes what was lost with them.
func (b *backend) leave() {
	if b.agent == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), b.timeouts.Request)
	defer cancel()
	if err := b.agent.CatchUp(ctx); err != nil {
		b.log.Warn("what was saved last could not be recorded", zap.Error(err))
	}
	for _, buffer := range b.workspace.Buffers() {
		b.workspace.Close(buffer.URI)
	}
	if err := b.agent.Leave(ctx); err != nil {
		b.log.Warn("what was not saved could not be found out", zap.Error(err))
	}
}

// snapshot returns the plans to show now. It is cheap.
func (b *backend) snapshot() *agent.Snapshot {
	if b.agent == nil {
		return &agent.Snapshot{}
	}
	return b.agent.Snapshot()
}

// plan returns the plan with the given number, nil if there is nothing of it to show.
func (b *backend) plan(n int) *agent.PlanView { return planIn(b.snapshot(), n) }

func planIn(s *agent.Snapshot, n int) *agent.PlanView {
	for _, p := range s.Plans {
		if p.Plan.Number == n {
			return p
		}
	}
	return nil
}

// ready returns the agent once the plans of earlier sessions were looked for, or
// a refusal that says what is missing. It may wait for the store: not for the
// read loop.
func (b *backend) ready(ctx context.Context) (*agent.Agent, error) {
	switch {
	case b.err != nil:
		return nil, &refusal.Error{Kind: refusal.NotAllowed, Reason: phrase.OneSentence(b.err.Error())}
	case len(b.workspace.Folders()) == 0:
		return nil, &refusal.Error{Kind: refusal.Invalid, Reason: "No folder is open: open a folder, or a file, in the editor first."}
	}
	b.recover(ctx)
	return b.agent, nil
}

// run returns the work of a command that needs the agent.
func (b *backend) run(work func(context.Context, *agent.Agent) (any, error)) wire.Run {
	return func(ctx context.Context) (any, error) {
		a, err := b.ready(ctx)
		if err != nil {
			return nil, err
		}
		return work(ctx, a)
	}
}

// recover finds the plans of earlier sessions. If that fails the next command tries
// again, and the user is told each reason once.
func (b *backend) recover(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.recovered {
		return
	}
	err := b.agent.Recover(context.WithoutCancel(ctx))
	if b.recovered = err == nil; b.recovered {
		b.agent.Remind()
		b.conn.Go("plans", func(ctx context.Context) { b.agent.Watch(ctx, b.timeouts.Plans) })
		b.conn.Go("retention", func(ctx context.Context) { b.agent.Retain(ctx, b.timeouts.Retain) })
	}
	if err != nil && err.Error() != b.told {
		b.told = err.Error()
		b.log.Warn("the plans of earlier sessions could not be read", zap.Error(err))
		b.window.Error(phrase.OneSentence("The plans of earlier sessions could not be read: " + b.told))
	}
	b.changed()
}

// recoverSoon is recover for the read loop. It reports whether there is anything to
// recover.
func (b *backend) recoverSoon() bool {
	if b.agent == nil || len(b.workspace.Folders()) == 0 {
		return false
	}
	ended := make(chan struct{})
	b.ended = ended
	b.conn.Go("recovery", func(ctx context.Context) {
		defer close(ended)
		b.recover(ctx)
	})
	return true
}

// recovering returns a channel that is closed when the look for earlier plans ends, nil
// when none is under way. It is for the read loop.
func (b *backend) recovering() <-chan struct{} {
	select {
	case <-b.ended:
		return nil
	default:
		return b.ended
	}
}
