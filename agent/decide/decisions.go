// Package decide carries out what users decide on plans: it checks a decision, stores it, has
// the editor make the changes, and records what came of it. A file is one kind of decision:
// approve, review, undo, reject, stage, roll back, rate, and what the user writes into a
// preview.
package decide

import (
	"cmp"
	"context"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/presence"
	"redline/agent/refusal"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/workspace"
)

// Decisions carry out what users decide on plans: they check a decision, store it, have the
// editor make the changes, and record what came of it. Their methods may be called from any
// goroutine.
type Decisions struct {
	session   *session.Session
	ws        *workspace.Workspace
	store     *store.Store
	log       *zap.Logger
	now       func() time.Time
	root      context.Context
	presence  *presence.Presence
	board     *board.Board
	executors *commands.Executors
	options   Options
}

// Options are what decisions depend on besides the session.
type Options struct {
	// SomeBuffers says that the editor shows only some of its buffers: a file that it does not
	// show may be unsaved there, and is changed only with [decision.Request.Saved].
	SomeBuffers bool
	// AnswerWithin is how long a decision waits for the editor before it returns with the state
	// executing; 0 for 5 s. Some editors block until a command is answered, or drop an answer
	// that takes 20 s.
	AnswerWithin time.Duration
	// Words approves a plan in words: it is worked out as a turn.
	Words func(context.Context, *board.Held, decision.Request) (state.Result, error)
}

// New makes the decisions of a session.
func New(s *session.Session, p *presence.Presence, b *board.Board, ex *commands.Executors, o Options) *Decisions {
	o.AnswerWithin = cmp.Or(o.AnswerWithin, 5*time.Second)
	return &Decisions{
		session: s, ws: s.Workspace, store: s.Store, log: s.Log, now: s.Now, root: s.Context(),
		presence: p, board: b, executors: ex, options: o,
	}
}

// find returns a plan, compared with the texts of its files.
func (ds *Decisions) find(ctx context.Context, n int) (*board.Held, error) {
	h, err := ds.board.Find(ctx, n)
	if err == nil {
		err = ds.board.Reconcile(ctx, h)
	}
	return h, err
}

// locked calls do with a plan that is locked.
func (ds *Decisions) locked(h *board.Held, do func(*board.Tx) error) error {
	tx := ds.board.Lock(h)
	defer tx.Unlock()
	return do(tx)
}

// apply moves a plan on by the events.
func apply(p *plan.Plan, events ...plan.Event) error {
	for _, e := range events {
		if err := p.Apply(e); err != nil {
			return refusal.New(refusal.WrongState, "Plan %d: %s", p.Number, err)
		}
	}
	return nil
}

// announced announces a plan that was changed and returns its state, or only err.
func (ds *Decisions) announced(h *board.Held, err error) (state.Plan, error) {
	if err != nil {
		return state.Plan{}, err
	}
	ds.board.Announce(h, "")
	return ds.board.StateOf(h), nil
}
