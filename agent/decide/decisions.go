// Package decide carries out what users decide on plans: it checks a decision, stores it, makes
// the changes through the editor, and records the result ([Decisions]). It also runs the approved
// commands of plans ([Executors]), asks about operations as they are staged ([Offers]), and removes
// plans that are no longer kept ([Retention]).
package decide

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/internal/phrase"
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
	previews  *preview.Previews
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
func New(s *session.Session, p *board.Presence, b *board.Board, ex *Executors, pv *preview.Previews, o Options) *Decisions {
	o.AnswerWithin = cmp.Or(o.AnswerWithin, 5*time.Second)
	return &Decisions{
		session: s, ws: s.Workspace, store: s.Store, log: s.Log, now: s.Now, root: s.Context(),
		presence: p, board: b, executors: ex, previews: pv, options: o,
	}
}

// Allows reports whether plans can be approved in a way.
func (ds *Decisions) Allows(w view.Way) bool {
	_, forbidden := ds.options.Forbidden[w]
	return !forbidden
}

// seen is a plan that is locked for a decision, and its view, on which the decision is checked.
type seen struct {
	*board.Tx
	view  *view.Plan
	files *board.ReadAhead
}

// open locks and views a plan for a decision. It refuses one for which the event is not possible
// now, and one that has changed since it was shown.
func (ds *Decisions) open(ctx context.Context, e plan.Event, d view.Request) (*seen, error) {
	tx, err := ds.board.Open(ctx, d.Plan)
	if err != nil {
		return nil, err
	}
	opened := false
	defer tx.UnlockUnless(&opened)
	s := &seen{Tx: tx}
	s.view, s.files, err = tx.Look(e, d)
	opened = err == nil
	return s, err
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

// textsAsShown refuses a decision if its changes were computed from a text other than the
// revision's. The store checks its own texts; these are the session's.
func (x *checked) textsAsShown() error {
	is := func(c *plan.Change, base, proposed string) bool {
		return plan.BlobOf(base) == c.Base && plan.BlobOf(proposed) == c.Proposed
	}
	for _, p := range x.Parts {
		if !p.File.Outside && !is(p.File.Change, p.File.Base, p.File.Proposed) {
			return view.NotAsShown(x.held.Number())
		}
		for _, past := range p.Earlier {
			if !is(past.Change, past.Base, past.Proposed) {
				return view.NotAsShown(x.held.Number())
			}
		}
	}
	return nil
}

// busyElsewhere refuses a decision that would change a file with unsaved changes in another
// editor: its user sees another text than the disk has, and whoever saves last would win.
//
// A user can start typing in another editor after this check: see [board.Presence.Guard].
func (ds *Decisions) busyElsewhere(x *checked) error {
	elsewhere := ds.presence.Elsewhere()
	page := ds.ws.Own().Path(view.PreviewName(x.held.Number(), x.held.Revision().Number)) // another process may have written it
	var paths []string
	for _, c := range x.changes {
		paths = append(paths, c.Path, c.NewPath)
	}
	for _, p := range x.Made { // as on the disk: the other editor may not have it
		paths = append(paths, p.File.Path)
	}
	if by := elsewhere(page); by != "" {
		return plan.Refuse(plan.UnsavedPreview, "The preview of plan %d has unsaved changes in another editor (%s): save or undo them there, or decide there.", x.held.Number(), by)
	}
	by := ""
	var files []string
	for _, path := range paths {
		if one := elsewhere(path); one != "" && (by == "" || by == one) && !slices.Contains(files, path) {
			by, files = one, append(files, path)
		}
	}
	switch len(files) {
	case 0:
		return nil
	case 1:
		return plan.Refuse(plan.Busy, "%s has unsaved changes in another editor (%s): save it there, or decide there.", files[0], by)
	}
	return plan.Refuse(plan.Busy, "%s have unsaved changes in another editor (%s): save them there, or decide there.", phrase.And(phrase.FirstOf(files, 5, "file")), by)
}

// unseen refuses a decision that would change a file whose buffer the editor may not show to
// Redline ([Options.SomeBuffers]): the user may have another text than the disk. Only the user
// knows, and confirms with [view.Request.Saved] that the file is saved. A file that is to be
// created has no buffer.
func (ds *Decisions) unseen(x *checked, d view.Request) error {
	if !ds.options.SomeBuffers || d.Saved {
		return nil
	}
	var paths []string
	for _, p := range x.Parts {
		path := p.File.Path
		if p.File.Change.Action == plan.Create && x.Verdict != plan.VerdictUndo || slices.Contains(paths, path) {
			continue
		}
		if _, open := ds.ws.Buffer(path); !open {
			paths = append(paths, path)
		}
	}
	switch len(paths) {
	case 0:
		return nil
	case 1:
		return plan.Refuse(plan.Busy, "Your editor does not show %s to Redline, so it may be unsaved there: save it, then choose the action that says so, or send /%s %d saved.", paths[0], again(x), x.held.Number())
	}
	return plan.Refuse(plan.Busy, "Your editor does not show %s to Redline, so they may be unsaved there: save them, then choose the action that says so, or send /%s %d saved.", phrase.And(phrase.FirstOf(paths, 5, "file")), again(x), x.held.Number())
}

// again returns the name of the slash command that makes the decision.
func again(x *checked) string {
	if x.Undoes() {
		return "undo"
	}
	return "approve"
}

// Rate records the user's rating of a plan, from 1 to 5. A plan can be rated in any state, any
// number of times. The plan's time of last change stays the same, because a rating decides
// nothing.
func (ds *Decisions) Rate(ctx context.Context, n, rating int) (state.Plan, error) {
	if rating < 1 || rating > 5 {
		return state.Plan{}, plan.Refuse(plan.Invalid, "A rating is a number from 1 to 5, and %d is not.", rating)
	}
	tx, err := ds.board.Open(ctx, n)
	if err != nil {
		return state.Plan{}, err
	}
	defer tx.Unlock()
	next := tx.Held.Plan().Clone()
	if tx.Executing() || next.State == plan.Drafting {
		return state.Plan{}, plan.Refuse(plan.Busy, "Plan %d is being worked on: rate it once that is done.", next.Number)
	}
	next.Rating = rating
	return ds.announced(tx.Held, tx.Save(ctx, next, nil))
}
