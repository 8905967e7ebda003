package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"redline/agent/board"
	"redline/agent/draft"
	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/store"
	"redline/agent/toolset"
	"redline/internal/phrase"
)

// named gives the operations their ids and puts them into the revision.
func named(p *plan.Plan, r plan.Revision, sealed *draft.Sealed) plan.Revision {
	p.NextOperation = sealed.Name(p.NextOperation)
	r.Operations, r.Changes = sealed.Operations, sealed.Changes
	return r
}

// newPlan creates a plan with its first revision. staging says that the turn may add more
// operations to it.
func (rs *revisions) newPlan(ctx context.Context, t *turn, goal string, r plan.Revision, sealed draft.Sealed, staging bool) (*board.Held, error) {
	now := rs.session.Now().UTC()
	p := &plan.Plan{Conversation: t.Conversation.ID, Goal: goal, State: plan.Drafting, Created: now, Updated: now}
	r = named(p, r, &sealed)
	if err := plan.CheckConditions(&r); err != nil {
		return nil, refusal.New(refusal.WrongState, "The plan could not be made: %s. Send the message again.", err)
	}
	p.Add(r, func(b plan.Blob) string { return sealed.Texts[b] })
	if err := p.Apply(plan.PlanCreated); err != nil {
		return nil, err
	}
	return rs.board.Create(ctx, board.NewRevision{Plan: p, Texts: sealed.Texts, Staging: staging, Answered: t.answered()})
}

// next stores a further revision of the plan h, which tx has locked. If another process has
// decided on a part of it or revised it meanwhile, this revision follows the newest one; if it
// has closed the plan, the turn's operations become a new plan.
func (rs *revisions) next(ctx context.Context, t *turn, tx *board.Tx, h *board.Held, d *draft.Draft, r plan.Revision, sealed draft.Sealed) (*board.Held, error) {
	p := h.Plan().Clone()
	from := p.Current
	p.Goal = cmp.Or(submittedGoal(d), goalWith(p.Goal, t))
	next, err := rs.add(ctx, t, tx, p, r, sealed, false, plan.FinishDrafting)
	if !errors.Is(err, store.ErrChanged) {
		return next, err
	}
	if p, err = rs.store.Plan(ctx, rs.session.Key(), p.Number); err != nil {
		return nil, err
	}
	p.Goal = cmp.Or(submittedGoal(d), goalWith(p.Goal, t))
	if p.Current != from && r.TextOnly {
		return nil, refusal.New(refusal.WrongState, "Plan %d was changed elsewhere meanwhile: look at it, then send the message again.", p.Number)
	}
	if p.Current != from {
		if sealed, err = rs.sealUpon(ctx, t, p, d); err != nil {
			return nil, err
		}
	}
	if err := p.Apply(plan.RequestRevision); err != nil {
		return rs.planOfItsOwn(ctx, t, p, d, r)
	}
	return rs.add(ctx, t, tx, p, r, sealed, false, plan.FinishDrafting)
}

// planOfItsOwn stores the operations of a turn in d as a new plan, on the files as they are
// now, because another process has closed its plan p meanwhile.
func (rs *revisions) planOfItsOwn(ctx context.Context, t *turn, p *plan.Plan, d *draft.Draft, r plan.Revision) (*board.Held, error) {
	own := draft.New(rs.ws)
	lost := rs.stageAgain(ctx, t, own, p.Number, "the files as they are now", d.News())
	sealed, err := own.Seal(rs.liveText)
	if err != nil {
		return nil, err
	}
	if sealed.Empty() {
		return nil, refusal.New(refusal.WrongState, "Plan %d was %s elsewhere meanwhile, and nothing of this turn stands without it: send the message again.", p.Number, p.State)
	}
	inSteps(&sealed, stepsOf(t, d))
	why := fmt.Sprintf("Plan %d was %s elsewhere meanwhile: what this turn has staged is a plan of its own.", p.Number, p.State)
	r.Description = strings.TrimSpace(r.Description + "\n\n" + strings.Join(append([]string{why}, lost...), "\n"))
	return rs.newPlan(ctx, t, goalIn(t, d), r, sealed, false)
}

// sealUpon seals the operations of a turn in d on the current revision of p, which d was not
// resumed from.
func (rs *revisions) sealUpon(ctx context.Context, t *turn, p *plan.Plan, d *draft.Draft) (draft.Sealed, error) {
	next, err := draft.Resume(rs.ws, p, rs.store.Texts(ctx))
	if err != nil {
		return draft.Sealed{}, err
	}
	next.GoOn(d)
	rs.stageAgain(ctx, t, next, p.Number, uponRevision(p), d.News())
	sealed, err := next.Seal(rs.liveText)
	inSteps(&sealed, stepsOf(t, d))
	return sealed, err
}

// uponRevision names the current revision of p, for a sentence of stageAgain.
func uponRevision(p *plan.Plan) string {
	return fmt.Sprintf("revision %d of plan %d, which was made meanwhile", p.Current, p.Number)
}

// stageAgain stages the operations of a turn on plan n again, in the draft d, which upon
// describes. For each that is not possible there it tells the user, and returns a sentence.
func (rs *revisions) stageAgain(ctx context.Context, t *turn, d *draft.Draft, n int, upon string, operations []plan.Operation) (lost []string) {
	stage := toolset.Replay(ctx, rs.ws)
	for _, o := range operations {
		if _, err := stage(d, o); err != nil {
			text := fmt.Sprintf("%s could not be staged upon %s: %s.",
				strings.TrimSpace(o.Tool+" "+o.Path), upon, phrase.TrimStop(strings.TrimPrefix(err.Error(), "error: ")))
			rs.session.Notify(event.Event{Kind: event.Noticed, Turn: t.ID, Conversation: t.Conversation.ID, PlanNumber: n, Error: text})
			lost = append(lost, text)
		}
	}
	return lost
}

// add stores r as a further revision of p, a value of the plan that tx has locked. The events
// lead to its new state.
func (rs *revisions) add(ctx context.Context, t *turn, tx *board.Tx, p *plan.Plan, r plan.Revision, sealed draft.Sealed, staging bool, events ...plan.Event) (*board.Held, error) {
	if err := board.AppendRevision(ctx, rs.store, p, named(p, r, &sealed), sealed.Texts); err != nil {
		return nil, err
	}
	for _, e := range events {
		if err := p.Apply(e); err != nil {
			return nil, err
		}
	}
	return tx.Revise(ctx, board.NewRevision{Plan: p, Texts: sealed.Texts, Staging: staging, Answered: t.answered()}, events...)
}
