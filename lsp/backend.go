package lsp

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/refusal"
	"redline/internal/phrase"
	"redline/lsp/window"
	"redline/lsp/wire"
	"redline/workspace"
)

// backend is the agent of a connection. It makes what needs the agent wait until the plans
// of earlier sessions were read, and refuses it if there is no agent.
type backend struct {
	options backendOptions
	agent   *agent.Agent // nil when err says why
	err     error

	// Only the read loop uses these.
	ended chan struct{} // closed at the end of the last recovery that recoverSoon began, nil before the first
	last  chan struct{} // closed at the end of the work that runInOrder got last

	mu        sync.Mutex // held during a recovery: everyone waits for that
	recovered bool
	told      string // the failure that the user was told
}

// backendOptions are what a backend works with.
type backendOptions struct {
	Conn      *wire.Conn
	Window    *window.Window
	Workspace *workspace.Workspace
	Changed   func() // brings the client up to date; must not block
	Log       *zap.Logger

	Leave  time.Duration // how long leave may take
	Watch  time.Duration // how often to look whether another process has changed plans
	Retain time.Duration // how often to look whether old plans are to be removed
}

// newBackend returns a backend without an agent.
func newBackend(o backendOptions) *backend { return &backend{options: o} }

// connect gives the backend its agent, or the error that says why there is none. It is
// called once, before anything else.
func (b *backend) connect(a *agent.Agent, err error) {
	if b.agent, b.err = a, err; err != nil {
		b.agent = nil
	}
}

// theAgent returns the agent, nil if there is none.
func (b *backend) theAgent() *agent.Agent { return b.agent }

// failure returns the error that says why there is no agent, nil if there is one.
func (b *backend) failure() error { return b.err }

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
	ctx, cancel := context.WithTimeout(context.Background(), b.options.Leave)
	defer cancel()
	if err := b.agent.CatchUp(ctx); err != nil {
		b.options.Log.Warn("what was saved last could not be recorded", zap.Error(err))
	}
	for _, buffer := range b.options.Workspace.Buffers() {
		b.options.Workspace.Close(buffer.URI)
	}
	if err := b.agent.Leave(ctx); err != nil {
		b.options.Log.Warn("what was not saved could not be found out", zap.Error(err))
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
func (b *backend) plan(n int) *agent.PlanView { return b.snapshot().Plan(n) }

// ready returns the agent once the plans of earlier sessions were looked for, or
// a refusal that says what is missing. It may wait for the store: not for the
// read loop.
func (b *backend) ready(ctx context.Context) (*agent.Agent, error) {
	switch {
	case b.err != nil:
		return nil, &refusal.Error{Kind: refusal.NotAllowed, Reason: phrase.OneSentence(b.err.Error())}
	case len(b.options.Workspace.Folders()) == 0:
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

// runInOrder is run for work that is done in the order of these calls, one after the
// other, though off the read loop. The work must be run.
func (b *backend) runInOrder(work func(context.Context, *agent.Agent) (any, error)) wire.Run {
	before, done := b.last, make(chan struct{})
	b.last = done
	run := b.run(work)
	return func(ctx context.Context) (any, error) {
		defer close(done)
		if before != nil {
			<-before
		}
		return run(ctx)
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
		b.options.Conn.Go("plans", func(ctx context.Context) { b.agent.Watch(ctx, b.options.Watch) })
		b.options.Conn.Go("retention", func(ctx context.Context) { b.agent.Retain(ctx, b.options.Retain) })
	}
	if err != nil && err.Error() != b.told {
		b.told = err.Error()
		b.options.Log.Warn("the plans of earlier sessions could not be read", zap.Error(err))
		b.options.Window.Error(phrase.OneSentence("The plans of earlier sessions could not be read: " + b.told))
	}
	b.options.Changed()
}

// recoverSoon is recover for the read loop. It reports whether there is anything to
// recover.
func (b *backend) recoverSoon() bool {
	if b.agent == nil || len(b.options.Workspace.Folders()) == 0 {
		return false
	}
	ended := make(chan struct{})
	b.ended = ended
	b.options.Conn.Go("recovery", func(ctx context.Context) {
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
