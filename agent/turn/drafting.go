package turn

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/stable"
)

// drafting is a plan that a turn is still making. The state shows it without a number and
// without a hash, so nothing of it can be decided on.
type drafting struct {
	turn, conversation string
	goal               string
	steps              []plan.Step // the turn's; nil means those submitted in draft
	draft              *draft.Draft
}

// showDraft shows what a turn has staged so far in the state. If the turn revises a plan, that
// plan is shown as drafting instead, with its last content. Only the turn's goroutine calls it.
func (w *work) showDraft() {
	t := w.turn
	if w.revised == nil {
		w.revisions.drafts.Store(t.ID, &drafting{turn: t.ID, conversation: t.Conversation.ID, goal: goalOf(t), steps: t.steps, draft: w.env.Draft})
	}
}

// hideDraft removes what showDraft has shown: the plan is made, or will not be.
func (rs *revisions) hideDraft(turn string) { rs.drafts.Delete(turn) }

// Drafting returns the plans that turns are still making, with what is staged so far: state
// drafting, number and revision 0. It leaves out a draft that cannot be shown now.
func (ts *Turns) Drafting(ctx context.Context) (plans []state.Plan) {
	ts.revisions.drafts.Range(func(_, value any) bool {
		if p, err := ts.revisions.draftState(ctx, value.(*drafting)); err == nil && len(p.Operations) > 0 {
			plans = append(plans, p)
		}
		return true
	})
	stable.Sort(plans, func(x, y state.Plan) int {
		return cmp.Or(len(x.Turn)-len(y.Turn), strings.Compare(x.Turn, y.Turn))
	})
	return plans
}

// draftState returns a draft in the form of a plan.
func (rs *revisions) draftState(ctx context.Context, d *drafting) (state.Plan, error) {
	sealed, err := d.draft.Seal(rs.liveText)
	if err != nil {
		return state.Plan{}, err
	}
	s, _ := d.draft.Submitted()
	n := newRevision{Revision: plan.Revision{Author: plan.AuthorModel, Created: rs.session.Now().UTC(), Steps: d.steps, Report: s.Report}}
	if len(n.Steps) == 0 {
		n.Steps = s.Steps
	}
	if len(n.Steps) == 0 {
		n.Steps = []plan.Step{{ID: onlyStep, Description: d.goal}}
	}
	n.Steps = slices.Clone(n.Steps)
	n = n.with(sealed)
	p := &plan.Plan{Conversation: d.conversation, Goal: cmp.Or(submittedGoal(d.draft), d.goal), State: plan.Drafting}
	p.Add(n.in(p), func(b plan.Blob) string { return sealed.Texts[b] })
	return rs.board.DraftState(ctx, board.NewRevision{Plan: p, Texts: sealed.Texts}, d.turn)
}
