package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/recall"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// begin opens the conversation's undecided plan for a new revision. It returns nil if the
// message begins a new plan. If asks is true, the user is asked about each operation: then the
// plan keeps its state and can be decided on during the turn.
func (rs *revisions) begin(t *turn, asks bool) (*board.Held, error) {
	if t.request.Revise == 0 && (t.request.Mode == "plan" || t.continued != nil || t.request.Apart) {
		return nil, nil
	}
	waits := rs.unnamedPlan(t)
	if waits != nil {
		if named := rs.namesElse(t, waits); named != nil {
			rs.sayApart(t, waits, named)
			return nil, nil
		}
	}
	h := t.about
	if h == nil {
		return nil, nil
	}
	opened, err := rs.open(h, asks)
	if !opened {
		return nil, err
	}
	if h == waits {
		rs.sayRevises(t, h)
	}
	return h, nil
}

// open sets the plan to drafting unless it is closed. See begin.
func (rs *revisions) open(h *board.Held, asks bool) (opened bool, err error) {
	tx := rs.board.Lock(h)
	defer tx.Unlock()
	if !h.Plan().State.Open() {
		return false, nil
	}
	if asks && h.Plan().State != plan.Drafting {
		return true, nil // stage waits while a decision is carried out
	}
	if err := tx.Ready(plan.RequestRevision, view.Request{}); err != nil {
		return false, err
	}
	if err := tx.Draft(h.Plan(), plan.RequestRevision); err != nil {
		return false, err
	}
	return true, nil
}

// planMeant returns the plan that a message is about, nil if the session has none.
func (rs *revisions) planMeant(t *turn) *board.Held {
	if t.request.Revise != 0 {
		return rs.board.Held(t.request.Revise)
	}
	return rs.board.Threads.Plan(t.Conversation.ID)
}

// end restores the state that a plan had before the turn if the turn made no new revision of it.
// Drafting is never stored, so a crash has the same effect.
func (rs *revisions) end(h *board.Held) {
	if h == nil {
		return
	}
	tx := rs.board.Lock(h)
	defer tx.Unlock()
	tx.Undraft()
}

// draftFor makes the draft of a turn on files: empty, or with what the plan h proposes except
// for what the user rejected.
func (rs *revisions) draftFor(ctx context.Context, files draft.Reader, h *board.Held) (*draft.Draft, error) {
	if h == nil {
		return draft.New(files), nil
	}
	return draft.Resume(files, h.Plan(), rs.store.Texts(ctx))
}

// unnamedPlan returns the waiting plan that a message would change without naming it, nil for
// none. Feedback, a message from the plan's own files, and one that names its conversation name
// the plan.
func (rs *revisions) unnamedPlan(t *turn) *board.Held {
	m := &t.request
	if m.Revise != 0 || m.Comment != nil || m.FromChat || m.Named || m.Again {
		return nil
	}
	if _, own := rs.ws.Own().Is(m.Path); own {
		return nil
	}
	if t.about == nil || !t.about.Plan().State.Open() {
		return nil
	}
	return t.about
}

// namesElse returns the files and identifiers that a message is about if none of them belongs to
// the waiting plan h, else none. It reads the disk.
func (rs *revisions) namesElse(t *turn, h *board.Held) []string {
	m := chat.PlacedRequest{Text: t.request.Text, Exists: func(path string) bool {
		exists, isDir, err := rs.ws.Stat(path)
		return err == nil && exists && !isDir
	}}
	if t.request.Selection != "" {
		m.Selected = t.request.Path
	}
	return chat.Apart(m, subjectOf(rs.board.View(h)))
}

// subjectOf returns what a plan is about.
func subjectOf(v *view.Plan) chat.PlanContent {
	p := chat.PlanContent{Goal: v.Plan.Goal}
	texts := []string{v.Revision.Description}
	for _, s := range v.Revision.Steps {
		texts = append(texts, s.Description)
	}
	for _, o := range v.Revision.Operations {
		texts = append(texts, string(o.Args))
	}
	for _, f := range v.Files {
		p.Paths = append(p.Paths, f.Change.Path)
		if f.Change.NewPath != "" {
			p.Paths = append(p.Paths, f.Change.NewPath)
		}
		texts = append(texts, f.Base, f.Proposed)
	}
	p.Paths = append(p.Paths, v.Revision.Predicted...)
	p.Has = func(word string) bool {
		for _, text := range texts {
			if recall.HasWord(text, word) {
				return true
			}
		}
		return false
	}
	return p
}

// sayApart tells the user that a message begins a new plan although another one waits.
func (rs *revisions) sayApart(t *turn, h *board.Held, named []string) {
	n := h.Number()
	t.Notify(state.Event{Kind: state.Noticed, PlanNumber: n, Text: fmt.Sprintf(
		"Plan %d still waits: this begins a plan of its own, since plan %d has nothing of %s. To change plan %d instead, send /rework %d and the request.",
		n, n, edits.Visible(strings.Join(named, ", ")), n, n)})
}

// sayRevises tells the user that a message changes the waiting plan.
func (rs *revisions) sayRevises(t *turn, h *board.Held) {
	n, goal := h.Number(), h.Plan().Goal
	t.before = goal
	t.Notify(state.Event{Kind: state.Noticed, PlanNumber: n, Text: fmt.Sprintf(
		"This changes plan %d, which waits (%s). /apart makes it a plan of its own.", n, edits.Visible(phrase.FirstLine(goal, 80)))})
}

// goalWith adds a turn's request to the goal of the plan that it changes if the request did not
// name the plan, so that the goal mentions the change.
func goalWith(goal string, t *turn) string {
	if t.before == "" {
		return goal
	}
	return phrase.FirstLine(goal+"; then: "+goalOf(t), 200)
}

// revisedBy is a message that changed the waiting plan without naming it, and the state of the
// plan before the change.
type revisedBy struct {
	request       conversation.Request
	plan          int
	was, revision int    // the plan's revision before and after
	goal          string // of the plan before the change
}

// noteRevised notes whether a turn has revised a plan that its message did not name.
func (rs *revisions) noteRevised(t *turn, h, revised *board.Held) {
	m, r := t.request, h.Revision()
	by, request := revisedBy{}, ""
	if revised != nil && m.Revise == 0 && m.Comment == nil && r.Parent != 0 && t.continued == nil {
		by = revisedBy{request: m, plan: h.Number(), was: r.Parent, revision: r.Number, goal: t.before}
		request = m.Text
	}
	rs.unnamed.Store(t.Conversation.ID, by)
	rs.board.Threads.NoteUnnamed(t.Conversation.ID, h, request)
}

// drafting is a plan that a turn is still making. The state shows it without a number and
// without a hash, so nothing of it can be decided on.
type drafting struct {
	turn, conversation string
	goal               string
	steps              []plan.Step // the turn's; nil means those submitted in draft
	draft              *draft.Draft
	revises            *board.Held // the plan that gets another revision; nil for a new plan
	writing            string      // the file that the model is writing a call for, "" for none
}

// show shows what a turn has staged so far in the state. A plan that the turn revises is there
// too, as drafting, with its last content.
func (r *revising) show(d *draft.Draft) { r.showWriting(d, "") }

// showWriting does what show does. path is the file that the model is writing a call for, "" for none.
func (r *revising) showWriting(d *draft.Draft, path string) {
	t := r.turn
	r.revisions.drafts.Store(t.ID, &drafting{
		turn: t.ID, conversation: t.Conversation.ID, goal: goalOf(t), steps: t.steps, draft: d, revises: r.plan, writing: path,
	})
}

// follow returns a context under which the state shows for which file the model writes a call.
func (r *revising) follow(ctx context.Context, env *tool.Env) context.Context {
	return model.WhenBegun(ctx, func(c model.Call) {
		t, known := tool.Find(tool.All(), c.Name)
		if path := tool.PathIn(c.Arguments); known && t.Edits() && path != "" {
			if clean, err := r.revisions.ws.Clean(path); err == nil {
				r.showWriting(env.Draft, clean)
			}
		}
	})
}

// hideDraft removes what show has shown: the plan is made, or will not be.
func (rs *revisions) hideDraft(turn string) { rs.drafts.Delete(turn) }

// Drafting appends to plans those that turns are still making, with what is staged so far: state
// drafting, number and revision 0. It leaves out a draft that cannot be shown now. Of a plan that is
// worked out it updates the predicted files.
func (ts *Turns) Drafting(ctx context.Context, plans []state.Plan) []state.Plan {
	var drafts []state.Plan
	ts.revisions.drafts.Range(func(_, value any) bool {
		d := value.(*drafting)
		p, err := ts.revisions.draftState(ctx, d)
		if err != nil {
			return true
		}
		if len(p.Operations) > 0 {
			drafts = append(drafts, p)
		}
		if i := slices.IndexFunc(plans, func(x state.Plan) bool { return p.Revises != 0 && x.Plan == p.Revises }); i >= 0 && plans[i].TextOnly {
			plans[i].PredictedFiles = p.PredictedFiles
		}
		return true
	})
	slices.SortStableFunc(drafts, func(x, y state.Plan) int {
		return cmp.Or(len(x.Turn)-len(y.Turn), strings.Compare(x.Turn, y.Turn))
	})
	return append(plans, drafts...)
}

// draftState returns a draft in the form of a plan.
func (rs *revisions) draftState(ctx context.Context, d *drafting) (state.Plan, error) {
	sealed, err := d.draft.Seal(rs.liveText)
	if err != nil {
		return state.Plan{}, err
	}
	submitted, _ := d.draft.Submitted()
	n := newRevision{Revision: plan.Revision{Author: plan.AuthorModel, Created: rs.session.Now().UTC(), Steps: d.steps, Report: submitted.Report}}
	if len(n.Steps) == 0 {
		n.Steps = submitted.Steps
	}
	if len(n.Steps) == 0 {
		n.Steps = []plan.Step{{ID: onlyStep, Description: d.goal}}
	}
	n.Steps = slices.Clone(n.Steps)
	n = n.with(sealed)
	p, revises := &plan.Plan{Conversation: d.conversation, Goal: cmp.Or(submittedGoal(d.draft), d.goal), State: plan.Drafting}, 0
	if d.revises != nil {
		now, r := d.revises.Now()
		p = now.Clone()
		p.State, revises, n.Predicted = plan.Drafting, p.Number, r.Predicted
	}
	if err := board.AppendRevision(ctx, rs.board, p, n.in(p), sealed.Texts); err != nil {
		return state.Plan{}, err
	}
	s, err := rs.board.DraftState(ctx, board.NewRevision{Plan: p, Texts: sealed.Texts}, d.turn)
	s.Plan, s.Revises = 0, revises
	for i := range s.PredictedFiles {
		if f := &s.PredictedFiles[i]; f.Path == d.writing && f.Status == plan.PredictedPending {
			f.Status = plan.PredictedCreating
		}
	}
	return s, err
}
