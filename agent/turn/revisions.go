package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
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
	backlog *board.Backlog
	unnamed sync.Map // conversation id to revisedBy, the zero value if its last request named the plan
	drafts  sync.Map // id of a turn to the *drafting of a plan that it has begun
}

// newRevision is a revision that a turn has made of its draft and that is not stored yet. Its
// operations and changes stay in sealed until they get their ids.
type newRevision struct {
	plan.Revision
	turn   *turn
	draft  *draft.Draft
	sealed draft.Sealed
}

// byModel returns the revision of a turn whose model has filled the draft d, sealed.
func (rs *revisions) byModel(t *turn, d *draft.Draft, description string, sealed draft.Sealed) newRevision {
	return newRevision{turn: t, draft: d, Revision: plan.Revision{
		Author: plan.AuthorModel, Created: rs.session.Now().UTC(), Description: description, Tokens: plan.Tokens(t.Result().Usage),
		Steps: stepsOf(t, d), Report: wantsReport(d), Unfinished: undoneIn(t, d),
	}}.with(sealed)
}

// with returns the revision with the sealed operations, each assigned to one of its steps.
func (n newRevision) with(sealed draft.Sealed) newRevision {
	for i := range sealed.Operations {
		o := &sealed.Operations[i]
		if !slices.ContainsFunc(n.Steps, func(s plan.Step) bool { return s.ID == o.Step }) {
			o.Step = plan.FirstStep(n.Steps)
		}
	}
	n.sealed = sealed
	return n
}

// in numbers the operations with the next ids of the plan p and returns the revision with them.
func (n *newRevision) in(p *plan.Plan) plan.Revision {
	p.NextOperation = n.sealed.Name(p.NextOperation)
	r := n.Revision
	r.Operations, r.Changes = n.sealed.Operations, n.sealed.Changes
	return r
}

// makeFrom makes a revision of a turn's draft: the next one of the plan revised, or the first of
// a new plan if revised is nil. It stores and announces it.
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
	if len(left)+len(sealed.Idle) > 0 {
		notes = append(notes, leftOut(left, sealed.Idle))
	}
	if revised == nil && sealed.Empty() {
		t.Notice(strings.Join(append(notes, "Nothing is left to decide on."), " "))
		return nil
	}
	if len(notes) > 0 {
		description = strings.TrimSpace(description + "\n\n" + strings.Join(notes, "\n"))
	}
	n := rs.byModel(t, d, description, sealed)
	if revised != nil {
		n.Predicted = revised.Revision().Predicted // the files of the revision will be compared with these
	}
	return rs.keep(ctx, revised, n)
}

// keep stores a turn's revision, of the plan revised or of a new plan if revised is nil, and
// announces it. If the store cannot take it now, the backlog stores it later.
func (rs *revisions) keep(ctx context.Context, revised *board.Held, n newRevision) error {
	store := func(ctx context.Context) (*board.Held, error) {
		if revised == nil {
			return rs.newPlan(ctx, n, false)
		}
		tx := rs.board.Lock(revised)
		defer tx.Unlock()
		h, err := rs.next(ctx, tx, n)
		tx.SetUnstored(board.MayPass(err)) // until it is stored, the plan stays drafting
		tx.Undraft()
		return h, err
	}
	h, err := store(context.WithoutCancel(ctx)) // even a cancelled turn finishes storing
	switch {
	case board.MayPass(err):
		rs.storeLater(revised, func(ctx context.Context) error {
			h, err := store(ctx)
			if err == nil {
				rs.made(n.turn, h)
			}
			return err
		}, err)
		return nil
	case err == nil:
		rs.noteRevised(n.turn, h, revised)
		rs.made(n.turn, h)
	}
	return err
}

// newPlan creates a plan with its first revision. staging is true if the turn may add more
// operations.
func (rs *revisions) newPlan(ctx context.Context, n newRevision, staging bool) (*board.Held, error) {
	now := rs.session.Now().UTC()
	p := &plan.Plan{Conversation: n.turn.Conversation.ID, Goal: cmp.Or(submittedGoal(n.draft), goalOf(n.turn)), State: plan.Drafting, Created: now, Updated: now}
	r := n.in(p)
	if err := plan.CheckConditions(&r); err != nil {
		return nil, plan.Refuse(plan.WrongState, "The plan could not be made: %s. Send the message again.", err)
	}
	text := func(b plan.Blob) string { return n.sealed.Texts[b] }
	board.NameCharsets(rs.board, &r, text)
	p.Add(r, text)
	n.turn.tried.addTo(p, p.Latest().Number)
	if err := p.Apply(plan.PlanCreated); err != nil {
		return nil, err
	}
	return rs.board.Create(ctx, board.NewRevision{Plan: p, Texts: n.sealed.Texts, Staging: staging, Answered: n.turn.answered()})
}

// next stores a further revision of the plan that tx has locked. If another process has
// meanwhile decided on a part of the plan or revised it, the revision is made again on the
// newest one. If another process has closed the plan, the turn's operations become a new plan.
func (rs *revisions) next(ctx context.Context, tx *board.Tx, n newRevision) (*board.Held, error) {
	p := tx.Held.Plan().Clone()
	from := p.Current
	p.Goal = cmp.Or(submittedGoal(n.draft), goalWith(p.Goal, n.turn))
	h, err := rs.add(ctx, tx, p, n, false, plan.FinishDrafting)
	if !errors.Is(err, store.ErrChanged) {
		return h, err
	}
	if p, err = rs.store.Plan(ctx, rs.session.Key(), p.Number); err != nil {
		return nil, err
	}
	p.Goal = cmp.Or(submittedGoal(n.draft), goalWith(p.Goal, n.turn))
	if p.Current != from && n.TextOnly {
		return nil, plan.Refuse(plan.WrongState, "Plan %d was changed elsewhere meanwhile: look at it, then send the message again.", p.Number)
	}
	if p.Current != from {
		sealed, err := rs.sealUpon(ctx, n.turn, p, n.draft)
		if err != nil {
			return nil, err
		}
		n = n.with(sealed)
	}
	if err := p.Apply(plan.RequestRevision); err != nil {
		return rs.planOfItsOwn(ctx, p, n)
	}
	return rs.add(ctx, tx, p, n, false, plan.FinishDrafting)
}

// planOfItsOwn stores the operations of a turn as a new plan, on the current files, because
// another process has closed its plan p.
func (rs *revisions) planOfItsOwn(ctx context.Context, p *plan.Plan, n newRevision) (*board.Held, error) {
	own := draft.New(rs.ws)
	lost := rs.stageAgain(ctx, n.turn, own, p.Number, "the files as they are now", n.draft.News())
	sealed, err := own.Seal(rs.liveText)
	if err != nil {
		return nil, err
	}
	if sealed.Empty() {
		return nil, plan.Refuse(plan.WrongState, "Plan %d was %s elsewhere meanwhile, and nothing of this turn stands without it: send the message again.", p.Number, p.State)
	}
	why := fmt.Sprintf("Plan %d was %s elsewhere meanwhile: what this turn has staged is a plan of its own.", p.Number, p.State)
	n.Description = strings.TrimSpace(n.Description + "\n\n" + strings.Join(append([]string{why}, lost...), "\n"))
	return rs.newPlan(ctx, n.with(sealed), false)
}

// sealUpon seals the operations of a turn in d on the current revision of p, from which d was
// not resumed.
func (rs *revisions) sealUpon(ctx context.Context, t *turn, p *plan.Plan, d *draft.Draft) (draft.Sealed, error) {
	next, err := draft.Resume(rs.ws, p, rs.store.Texts(ctx))
	if err != nil {
		return draft.Sealed{}, err
	}
	next.ContinueFrom(d)
	rs.stageAgain(ctx, t, next, p.Number, uponRevision(p), d.News())
	return next.Seal(rs.liveText)
}

// uponRevision names the current revision of p, for a sentence of stageAgain.
func uponRevision(p *plan.Plan) string {
	return fmt.Sprintf("revision %d of plan %d, which was made meanwhile", p.Current, p.Number)
}

// stageAgain stages the operations of a turn on plan n again, in the draft d, which upon
// describes. For each operation that cannot be staged it tells the user and returns a sentence.
func (rs *revisions) stageAgain(ctx context.Context, t *turn, d *draft.Draft, n int, upon string, operations []plan.Operation) (lost []string) {
	stage := toolset.Replay(ctx, rs.ws)
	for _, o := range operations {
		if _, err := stage(d, o); err != nil {
			text := fmt.Sprintf("%s could not be staged upon %s: %s.",
				strings.TrimSpace(o.Tool+" "+o.Path), upon, phrase.TrimStop(strings.TrimPrefix(err.Error(), "error: ")))
			t.Notify(state.Event{Kind: state.Noticed, PlanNumber: n, Error: text})
			lost = append(lost, text)
		}
	}
	return lost
}

// add stores a further revision of p, a copy of the plan that tx has locked. The events lead to
// its new state.
func (rs *revisions) add(ctx context.Context, tx *board.Tx, p *plan.Plan, n newRevision, staging bool, events ...plan.Event) (*board.Held, error) {
	if err := board.AppendRevision(ctx, rs.board, p, n.in(p), n.sealed.Texts); err != nil {
		return nil, err
	}
	n.turn.tried.addTo(p, p.Latest().Number)
	p.Answer(n.turn.request.Comments)
	for _, e := range events {
		if err := p.Apply(e); err != nil {
			return nil, err
		}
	}
	return tx.Revise(ctx, board.NewRevision{Plan: p, Texts: n.sealed.Texts, Staging: staging, Answered: n.turn.answered()}, events...)
}

// storeLater lets the backlog call store, which stores what a turn has staged. h is the plan
// that the turn revises, nil for none.
func (rs *revisions) storeLater(h *board.Held, store func(context.Context) error, err error) {
	number, what := 0, "The plan"
	if h != nil {
		number = h.Number()
		what = fmt.Sprintf("A revision of plan %d", number)
	}
	rs.backlog.Add(board.Unstored{Plan: number, Stored: "The plan is kept now, and waits for you.", Store: store},
		what+" is ready, but it cannot be kept yet, because the plan database cannot be written.", err)
}

// made notes which plan a turn has made or changed, so that the conversation's next message is
// about it, and announces the plan.
func (rs *revisions) made(t *turn, h *board.Held) {
	rs.hideDraft(t.ID)
	rs.board.Threads.TakeUp(t.Conversation.ID, h.Number())
	t.Update(func(r *conversation.Result) { r.Plan = h.Number() })
	rs.board.Announce(h, t.ID)
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

// wantsReport reports whether the model asked for a turn that reports on the commands of a
// draft.
func wantsReport(d *draft.Draft) bool {
	s, _ := d.Submitted()
	return s.Report
}

// liveText returns the current text of a file. Drafts are sealed on it.
func (rs *revisions) liveText(path string) (text string, exists bool, mode uint32, err error) {
	file, err := rs.ws.Read(path)
	if !file.Exists {
		file.Text = "" // the buffer of a missing file may have line ends
	}
	return file.Text, file.Exists, uint32(file.Mode.Perm()), err
}

// onlyStep is the only step of a plan whose model submitted none.
const onlyStep = "s1"

// goalOf returns the goal of a turn, in one line.
func goalOf(t *turn) string {
	if t.request.Goal != "" {
		return t.request.Goal
	}
	return phrase.FirstLine(t.request.Text, 200)
}

// submittedGoal returns the goal that a turn has submitted in d, "" for none.
func submittedGoal(d *draft.Draft) string {
	s, now := d.Submitted()
	if !now {
		return ""
	}
	return s.Goal
}

// answered returns the id of the stored question that the turn's result answers, if there is
// one.
func (t *turn) answered() []int64 {
	if t.continued == nil || t.continued.id == 0 {
		return nil
	}
	return []int64{t.continued.id}
}
