// Package decide carries out what users decide on plans: it checks a decision, stores it, makes
// the changes through the editor, and records the result. Each kind of decision has a file:
// approve, review, undo, reject, stage and roll back, rate, and edits of a preview.
package decide

import (
	"cmp"
	"context"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/workspace"
)

// Decisions carry out what users decide on plans: they check a decision, store it, make the
// changes through the editor, and record the result. Their methods may be called from any
// goroutine.
type Decisions struct {
	session   *session.Session
	ws        *workspace.Workspace
	store     *store.Store
	log       *zap.Logger
	now       func() time.Time
	root      context.Context
	presence  *board.Presence
	board     *board.Board
	executors *Executors
	options   Options
}

// Options configure Decisions.
type Options struct {
	// SomeBuffers means that the editor shows only some of its buffers: a file that it does not
	// show may be unsaved there, and is changed only with [view.Request.Saved].
	SomeBuffers bool
	// AnswerWithin is how long a decision waits for the editor before it returns with the state
	// executing; 0 for 5 s. Some editors block until a command is answered, or drop an answer
	// that takes 20 s.
	AnswerWithin time.Duration
	// Forbidden are the ways in which nothing can be approved.
	Forbidden view.Forbidden
	// Words approves a plan in words, which starts a turn that works out its edits.
	Words func(context.Context, *board.Held, view.Request) (state.Result, error)
}

// New makes the decisions of a session.
func New(s *session.Session, p *board.Presence, b *board.Board, ex *Executors, o Options) *Decisions {
	o.AnswerWithin = cmp.Or(o.AnswerWithin, 5*time.Second)
	return &Decisions{
		session: s, ws: s.Workspace, store: s.Store, log: s.Log, now: s.Now, root: s.Context(),
		presence: p, board: b, executors: ex, options: o,
	}
}

// Allows reports whether plans can be approved in a way.
func (ds *Decisions) Allows(w view.Way) bool {
	_, forbidden := ds.options.Forbidden[w]
	return !forbidden
}

// find returns a plan, reconciled with the texts of its files.
func (ds *Decisions) find(ctx context.Context, n int) (*board.Held, error) {
	h, err := ds.board.Find(ctx, n)
	if err == nil {
		err = ds.board.Reconcile(ctx, h)
	}
	return h, err
}

// locked calls do with the plan locked.
func (ds *Decisions) locked(h *board.Held, do func(*board.Tx) error) error {
	tx := ds.board.Lock(h)
	defer tx.Unlock()
	return do(tx)
}

// apply applies the events to a plan.
func apply(p *plan.Plan, events ...plan.Event) error {
	for _, e := range events {
		if err := p.Apply(e); err != nil {
			return plan.Refuse(plan.WrongState, "Plan %d: %s", p.Number, err)
		}
	}
	return nil
}

// announced announces a changed plan and returns its state. If err is not nil it only returns
// err.
func (ds *Decisions) announced(h *board.Held, err error) (state.Plan, error) {
	if err != nil {
		return state.Plan{}, err
	}
	ds.board.Announce(h, "")
	return ds.board.StateOf(h), nil
}
