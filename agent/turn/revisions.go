package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"redline/agent/backlog"
	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/toolset"
	"redline/workspace"
)

// revisions make revisions of plans from the operations that turns stage, and store them.
type revisions struct {
	session *session.Session
	ws      *workspace.Workspace
	store   *store.Store
	board   *board.Board
	backlog *backlog.Backlog
	unnamed sync.Map // conversation to revisedBy, the zero value if its last request named the plan
}

// makeFrom makes the next revision of a plan from the draft of a turn, or a new plan if revised
// is nil, stores it and announces it.
func (rs *revisions) makeFrom(ctx context.Context, t *turn, d *draft.Draft, revised *board.Held, description string) error {
	d, left := d.Lean(toolset.Replay(ctx, rs.ws))
	if t.request.Comment != nil {
		if err := removeComment(d, t.request); err != nil { // the other operations must not be lost
			description += "\n\n" + commentStays(t.request, err)
		}
	}
	sealed, err := d.Seal(rs.liveText)
	if err != nil {
		return err
	}
	notes := sealed.Notes
	if text := leftOut(left, sealed.Idle); text != "" {
		notes = append(notes, text)
	}
	if revised == nil && sealed.Empty() {
		t.Notice(strings.Join(append(notes, "Nothing is left to decide on."), " "))
		return nil
	}
	if len(notes) > 0 {
		description = strings.TrimSpace(description + "\n\n" + strings.Join(notes, "\n"))
	}
	r := rs.byModel(t, d, description, &sealed)
	if revised != nil {
		r.Predicted = revised.Revision().Predicted // the files of the revision are compared with these
	}
	return rs.keep(ctx, t, d, revised, r, sealed)
}

// keep stores a turn's revision and announces it. If the store cannot take it for a while, the
// backlog stores it later.
func (rs *revisions) keep(ctx context.Context, t *turn, d *draft.Draft, revised *board.Held, r plan.Revision, sealed draft.Sealed) error {
	store := func(ctx context.Context) (h *board.Held, err error) {
		tx := rs.board.Lock(revised)
		if revised == nil {
			h, err = rs.newPlan(ctx, t, goalIn(t, d), r, sealed, false)
		} else {
			h, err = rs.next(ctx, t, tx, revised, d, r, sealed)
		}
		tx.SetUnstored(backlog.MayPass(err)) // until it is stored, the revised plan stays drafting
		rs.undraft(tx)
		return h, err
	}
	h, err := store(context.WithoutCancel(ctx)) // a cancelled turn finishes storing
	if backlog.MayPass(err) {
		rs.storeLater(revised, func(ctx context.Context) error {
			h, err := store(ctx)
			if err == nil {
				rs.made(t, h)
			}
			return err
		}, err)
		return nil
	}
	if err == nil {
		rs.noteRevised(t, h, revised)
		rs.made(t, h)
	}
	return err
}

// storeLater has the backlog call store, which stores what a turn has staged. h is the plan that it
// revises, nil for none.
func (rs *revisions) storeLater(h *board.Held, store func(context.Context) error, err error) {
	number, what := 0, "The plan"
	if h != nil {
		number = h.Number()
		what = fmt.Sprintf("A revision of plan %d", number)
	}
	rs.backlog.Add(backlog.Record{Plan: number, Stored: "The plan is kept now, and waits for you.", Store: store},
		what+" is ready, but it cannot be kept yet, because the plan database cannot be written.", err)
}

// made notes which plan a turn has made or changed, and announces it: the next message of its
// conversation is about it.
func (rs *revisions) made(t *turn, h *board.Held) {
	rs.board.TakeUp(t.Conversation.ID, h.Number())
	t.Update(func(r *conversation.Result) { r.Plan = h.Number() })
	rs.board.Announce(h, t.ID)
}

// byModel returns a revision by the model of a turn, without its operations yet.
func (rs *revisions) byModel(t *turn, d *draft.Draft, description string, sealed *draft.Sealed) plan.Revision {
	steps := stepsOf(t, d)
	inSteps(sealed, steps)
	return plan.Revision{
		Author: plan.AuthorModel, Created: rs.session.Now().UTC(), Description: description, Tokens: plan.Tokens(t.Result().Usage),
		Steps: steps, Unfinished: undoneIn(t, d),
	}
}

// stepsOf returns the steps of a turn's plan: the turn's own, or those submitted in d, now or
// before; else one.
func stepsOf(t *turn, d *draft.Draft) []plan.Step {
	if t.steps != nil {
		return t.steps
	}
	if s, _ := d.Submitted(); len(s.Steps) > 0 {
		return s.Steps
	}
	return []plan.Step{{ID: onlyStep, Description: goalOf(t)}}
}

// inSteps makes every operation belong to one of the steps.
func inSteps(sealed *draft.Sealed, steps []plan.Step) {
	for i := range sealed.Operations {
		o := &sealed.Operations[i]
		if !slices.ContainsFunc(steps, func(s plan.Step) bool { return s.ID == o.Step }) {
			o.Step = plan.FirstStep(steps)
		}
	}
}

// liveText returns a file as it is now. Drafts are sealed on it.
func (rs *revisions) liveText(path string) (text string, exists bool, mode uint32, err error) {
	file, err := rs.ws.Read(path)
	if !file.Exists {
		file.Text = "" // the buffer of a missing file may have a line end
	}
	return file.Text, file.Exists, uint32(file.Mode.Perm()), err
}

// onlyStep is the one step of a plan whose model gave none.
const onlyStep = "s1"
