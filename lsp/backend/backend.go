// Package backend gives the handlers of one connection access to the agent: it first reads the
// plans of earlier sessions, keeps messages in order, and turns refusals into LSP errors.
package backend

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/internal/wire"
	"redline/lsp/window"
	"redline/workspace"
)

// Backend is the agent of a connection. Work that needs the agent waits until the plans of
// earlier sessions are read, and is refused if there is no agent.
type Backend struct {
	options Options
	agent   *agent.Agent // nil when err says why
	err     error

	// Only the read loop uses these.
	ended chan struct{} // closed at the end of the last recovery that RecoverSoon began, nil before the first
	last  chan struct{} // closed at the end of the last work that RunInOrder returned, nil before the first

	mu        sync.Mutex // held during a recovery, which all others wait for
	recovered bool
	told      string // the last failure that was shown to the user
}

// Options configure a Backend.
type Options struct {
	Conn      *wire.Conn
	Window    *window.Window
	Workspace *workspace.Workspace
	Changed   func() // brings the client up to date; must not block
	Log       *zap.Logger
	Client    string // the editor's name for itself

	Leave  time.Duration // timeout of Leave
	Watch  time.Duration // how often to check whether another process has changed plans or hands over a decision
	Retain time.Duration // how often to check for old plans to remove
}

// New returns a backend without an agent.
func New(o Options) *Backend { return &Backend{options: o} }

// Connect sets the agent, or the error that says why there is none. Call it once, before
// anything else.
func (b *Backend) Connect(a *agent.Agent, err error) {
	if b.agent, b.err = a, err; err != nil {
		b.agent = nil
	}
}

// Agent returns the agent, nil if there is none.
func (b *Backend) Agent() *agent.Agent { return b.agent }

// Err returns the error that says why there is no agent, nil if there is one.
func (b *Backend) Err() error { return b.err }

// Close cancels the turns and waits for their end, so that none keeps spending tokens after the
// editor has left.
func (b *Backend) Close() {
	if b.agent != nil {
		b.agent.Close()
	}
}

// Leave closes the client's buffers after the end of a connection. The agent records what was
// saved before that, and what was lost unsaved.
func (b *Backend) Leave() {
	if b.agent == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), b.options.Leave)
	defer cancel()
	if err := b.agent.Board.Reconciler.CatchUp(ctx); err != nil {
		b.options.Log.Warn("what was saved last could not be recorded", zap.Error(err))
	}
	for _, buffer := range b.options.Workspace.Buffers() {
		b.options.Workspace.Close(buffer.URI)
	}
	if err := b.agent.Board.Reconciler.Leave(ctx); err != nil {
		b.options.Log.Warn("what was not saved could not be found out", zap.Error(err))
	}
}

// Snapshot returns the current plans. It is cheap.
func (b *Backend) Snapshot() *view.Snapshot {
	if b.agent == nil {
		return &view.Snapshot{}
	}
	return b.agent.Board.Snapshot()
}

// TrialStanding returns what is known about whether trials are possible. It is cheap: a
// missing answer is found out in the background.
func (b *Backend) TrialStanding() trial.Standing {
	if b.agent == nil {
		return trial.Unoffered
	}
	return b.agent.Trials.Standing()
}

// TrialChecksKnown reports whether the project has checks of its own, as far as
// TrialStanding knows.
func (b *Backend) TrialChecksKnown() bool { return b.agent != nil && b.agent.Trials.ChecksKnown() }

// Plan returns the plan with the given number, nil if the snapshot does not have it.
func (b *Backend) Plan(n int) *view.Plan { return b.Snapshot().Plan(n) }

// Ready returns the agent after it has read the plans of earlier sessions, or a refusal
// that says what is missing. It may wait for the store, so the read loop must not call it.
func (b *Backend) Ready(ctx context.Context) (*agent.Agent, error) {
	switch {
	case b.err != nil:
		return nil, &plan.Refusal{Kind: plan.NotAllowed, Reason: phrase.OneSentence(b.err.Error())}
	case len(b.options.Workspace.Folders()) == 0:
		return nil, &plan.Refusal{Kind: plan.Invalid, Reason: "No folder is open: open a folder, or a file, in the editor first."}
	}
	b.recover(ctx)
	return b.agent, nil
}

// Run returns work that begins when the agent is ready.
func (b *Backend) Run(work func(context.Context, *agent.Agent) (any, error)) wire.Run {
	return func(ctx context.Context) (any, error) {
		a, err := b.Ready(ctx)
		if err != nil {
			return nil, err
		}
		return work(ctx, a)
	}
}

// RunInOrder does what [Backend.Run] does, for the read loop: the work it returns waits until
// the work of the earlier calls has ended. The caller must run it.
func (b *Backend) RunInOrder(work func(context.Context, *agent.Agent) (any, error)) wire.Run {
	before, done := b.last, make(chan struct{})
	b.last = done
	run := b.Run(work)
	return func(ctx context.Context) (any, error) {
		defer close(done)
		if before != nil {
			<-before
		}
		return run(ctx)
	}
}

// recover reads the plans of earlier sessions, once. If that fails, the next caller tries again;
// the user gets one message for each reason.
func (b *Backend) recover(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.recovered {
		return
	}
	err := b.agent.Recover(context.WithoutCancel(ctx))
	if b.recovered = err == nil; b.recovered {
		b.agent.Conversations.Remind()
		b.options.Conn.Go("plans", func(ctx context.Context) { b.agent.Board.Follower.Watch(ctx, b.options.Watch) })
		b.options.Conn.Go("handovers", func(ctx context.Context) { b.agent.ServeHandovers(ctx, b.options.Watch, b.options.Client) })
		b.options.Conn.Go("retention", func(ctx context.Context) { b.agent.Retain(ctx, b.options.Retain) })
	}
	if err != nil && err.Error() != b.told {
		b.told = err.Error()
		b.options.Log.Warn("the plans of earlier sessions could not be read", zap.Error(err))
		b.options.Window.Error(phrase.OneSentence("The plans of earlier sessions could not be read: " + b.told))
	}
	b.options.Changed()
}

// RecoverSoon starts reading the plans of earlier sessions off the read loop. It returns false
// if there is no agent or no folder.
func (b *Backend) RecoverSoon() bool {
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

// Recovering returns a channel that is closed when the running recovery ends, nil if none is
// running. Only the read loop may call it.
func (b *Backend) Recovering() <-chan struct{} {
	select {
	case <-b.ended:
		return nil
	default:
		return b.ended
	}
}

// Error returns the error that answers a request, with the code and the data of a refusal.
// The code is InvalidParams if the refusal is of kind Invalid, else RequestFailed. An error that
// is not a refusal is returned unchanged.
func Error(err error) error {
	refused, ok := plan.RefusalOf(err)
	if !ok {
		return err
	}
	code := wire.RequestFailed
	if refused.Kind == plan.Invalid {
		code = jsonrpc2.InvalidParams
	}
	return wire.Error(code, refused.Reason, refusalData(refused))
}

// refusalData returns the data member of a refusal: its kind, and the hunks concerned, if any.
func refusalData(r *plan.Refusal) json.RawMessage {
	raw, err := json.Marshal(struct {
		Kind  plan.RefusalKind `json:"kind"`
		Hunks []string         `json:"hunks,omitempty"`
	}{r.Kind, r.Hunks})
	if err != nil {
		return nil
	}
	return raw
}

// InvalidParams returns the error that answers a request whose params cannot be read.
func InvalidParams(reason string) error {
	return wire.Error(jsonrpc2.InvalidParams, reason, refusalData(&plan.Refusal{Kind: plan.Invalid}))
}
