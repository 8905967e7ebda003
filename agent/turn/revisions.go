package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"redline/agent/backlog"
	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/toolset"
	"redline/internal/phrase"
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
