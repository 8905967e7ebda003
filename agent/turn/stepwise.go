package turn

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/agent/view"
	"redline/edits"
)

// stepwise is a turn that asks the user about its operations as they are staged. What one reply
// of the model stages becomes a revision of the plan at once, and the turn continues on a draft
// resumed from that revision, so it respects what the user approves or rejects meanwhile. The
// plan is never drafting. Only the turn's goroutine uses it.
type stepwise struct {
	*work                   // its revising.plan is nil until something was staged
	sealed  int             // how many operations of the draft are in a revision
	removed bool            // the removal of the comment that asked is staged
	text    strings.Builder // all that the model has said
	used    model.Usage     // by the turn so far
	charged model.Usage     // the part of used that is already counted in revisions

	// The draft was resumed from the plan seen and the texts live; the model was last told of
	// the plan told.
	seen, told *plan.Plan
	live       []*edits.Lines

	left     []string // sentences for the user on operations that are not in the plan
	lost     []string // operations that could not be staged again, see rebase; not yet reported to the model
	unstored error    // why the staged operations could not be stored; a later try may succeed
	over     bool     // the turn has ended
}

// begin resumes the draft from the plan that the turn revises, if there is one. The report on
// the plans already has the decisions made before.
func (k *stepwise) begin(ctx context.Context) error {
	if k.revising.plan == nil {
		return nil
	}
	k.Board.SetStaging(k.revising.plan, true)
	err := k.resume(ctx)
	k.told = k.seen
	return err
}

// hooks returns the hooks of a stepwise turn.
func (k *stepwise) hooks() loop.Hooks {
	h := k.work.hooks()
	text := h.Text
	h.Text = func(s string) { k.text.WriteString(s); text(s) }
	h.Staged = nil // offers report operations once they are stored, with the names of their hunks
	h.Before, h.After = k.beforeCall, k.afterReply
	return h
}

// beforeCall updates the draft with the user's decisions and typing before the next request to
// the model. note describes the decisions to the model.
func (k *stepwise) beforeCall(ctx context.Context) (note string, err error) {
	if k.revising.plan == nil {
		return "", nil
	}
	if err := k.Board.Follower.Refresh(ctx); err != nil && !board.MayPass(err) {
		return "", err
	}
	if k.behind() {
		err = k.advance(ctx)
	}
	return k.news(), err
}

// flush stores the operations that are in no revision yet. If the store cannot take them now,
// they stay in the draft. An answer alone makes no new revision, because that would
// invalidate what the user was shown.
func (k *stepwise) flush(ctx context.Context) error {
	if !k.unsealed() {
		return nil
	}
	err := k.stage(ctx)
	if k.unstored = nil; board.MayPass(err) {
		k.unstored, err = err, nil
	}
	return err
}

// advance stores the draft and resumes the next one from what is stored.
func (k *stepwise) advance(ctx context.Context) error {
	if err := k.flush(ctx); err != nil || k.unstored != nil {
		return err
	}
	return k.resume(ctx)
}

// news describes to the model what has changed, "" for nothing.
func (k *stepwise) news() string {
	var notes []string
	if k.told != k.seen {
		notes = append(notes, view.DecidedSince(k.told, k.seen))
		k.told = k.seen
	}
	if len(k.lost) > 0 {
		notes = append(notes, "["+strings.Join(k.lost, " ")+"]")
		k.lost = nil
	}
	return strings.TrimSpace(strings.Join(notes, "\n"))
}

// afterReply stores the operations that the calls of one reply have staged.
func (k *stepwise) afterReply(ctx context.Context, used model.Usage) error {
	k.used = used
	if !k.unsealed() {
		return nil
	}
	defer k.text.WriteString("\n\n")
	return k.advance(ctx)
}

// unsealed reports whether the draft has operations or steps that no revision has.
func (k *stepwise) unsealed() bool {
	if len(k.env.Draft.Operations()) > k.sealed {
		return true
	}
	s, now := k.env.Draft.Submitted()
	if !now || k.revising.plan == nil {
		return false
	}
	return !reflect.DeepEqual(k.revising.plan.Revision().Steps, s.Steps)
}

// behind reports whether the plan, or the text of one of its files, has changed since the draft
// was resumed.
func (k *stepwise) behind() bool {
	v := k.Board.View(k.revising.plan)
	return v.Plan != k.seen || !slices.Equal(k.live, liveTexts(v))
}

// liveTexts returns the current texts of a plan's files.
func liveTexts(v *view.Plan) []*edits.Lines {
	texts := make([]*edits.Lines, len(v.Files))
	for i, f := range v.Files {
		texts[i] = f.Live
	}
	return texts
}

// resume begins a new draft with what the plan now proposes. It uses texts that are read
// already.
func (k *stepwise) resume(ctx context.Context) error {
	v := k.Board.View(k.revising.plan)
	k.seen, k.live = v.Plan, liveTexts(v)
	d, err := draft.Resume(k.ws, v.Plan, v.TextsOr(k.store.Texts(ctx)))
	if err != nil {
		return err
	}
	d.ContinueFrom(k.env.Draft)
	k.env.Draft, k.sealed = d, len(d.Operations())
	return nil
}

// end ends the turn, even a failed one. It shows the last preview, closes the plan if all its
// parts were decided meanwhile, and leaves what could not be stored to the backlog. Until the
// backlog has stored it, the plan can be decided on, as during the turn.
func (k *stepwise) end() {
	k.over = true
	if k.revising.plan != nil {
		k.release()
	}
	if k.unstored != nil {
		k.revisions.storeLater(k.revising.plan, func(ctx context.Context) error {
			_, err := k.save(ctx)
			return err
		}, k.unstored)
	}
}

// release marks the plan as complete, since no turn adds to it any more, and closes it if all of
// it is decided.
func (k *stepwise) release() {
	k.Board.SetStaging(k.revising.plan, false)
	if k.unstored == nil {
		if err := k.Board.CloseDecided(context.WithoutCancel(k.Session.Context()), k.revising.plan); err != nil {
			k.log.Warn("a plan of which everything is decided could not be closed", zap.Int("plan", k.revising.plan.Number()), zap.Error(err))
		}
	}
	k.Board.Announce(k.revising.plan, k.turn.ID)
}

// handleStepwise handles a change in stepwise mode: the user is asked about each operation as it
// is staged, while the turn continues.
func handleStepwise(ctx context.Context, w *work) (err error) {
	if w.revising.plan, err = w.revisions.begin(w.turn, true); err != nil {
		return err
	}
	w.stageIn(draft.New(w.ws))
	k := &stepwise{work: w}
	defer k.end()
	if err := k.begin(ctx); err != nil {
		return err
	}
	if w.turn.continued != nil { // operations staged before stepwise mode was on were not offered
		k.lost = w.revisions.stageAgain(ctx, w.turn, k.env.Draft, 0, "the files as they are now", w.turn.continued.parked.Draft.Operations)
		k.env.Draft.Refuse(w.turn.continued.parked.Draft.Refused...)
	}
	w.turn.Update(func(r *conversation.Result) { r.AskedEach = true })
	about, err := w.briefing.reworked(ctx, "rework")
	if err != nil {
		return err
	}
	messages, err := w.briefing.request(ctx, w.briefing.changeSystem()+"\n"+w.prompt("offered"), about)
	if err != nil {
		return err
	}
	runErr := w.converse(ctx, messages, append(tool.All(), w.reverting(ctx)), k.hooks())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := k.flush(ctx); err != nil {
		return err
	}
	if q := w.outcome.Asked; q != nil {
		return w.park(ctx, q)
	}
	if runErr == nil || w.revising.plan != nil {
		w.remember(withUndone(w.outcome.Text, w.undone))
	}
	return runErr
}

// errOutdated means that a draft cannot be stored because the plan has a newer revision than the
// one that the draft was resumed from.
var errOutdated = errors.New("the plan has another revision by now")

// stage stores the draft as a revision of the plan, shows it, and asks about what is new.
func (k *stepwise) stage(ctx context.Context) error {
	request := k.turn.request
	if request.Comment != nil && !k.removed {
		if err := removeComment(k.env.Draft, request); err != nil {
			k.turn.Warn(commentStays(request, err))
		}
		k.removed = true
	}
	lean, left := k.env.Draft.Lean(toolset.Replay(ctx, k.ws)) // forget what one reply has staged in vain
	k.env.Draft = lean
	if len(left) > 0 {
		k.left = append(k.left, leftOut(left, nil))
	}
	fresh, err := k.save(ctx)
	if err == nil && k.revising.plan != nil {
		k.Offers.Add(ctx, k.revising.plan, fresh, decide.OfferTurn{
			ID: k.turn.ID, Conversation: k.turn.Conversation.ID, Client: request.Client, Waits: request.AskAtOnce,
		})
	}
	return err
}

// save stores the draft as a revision of the plan and shows it. It returns the ids of the
// operations that are new in the plan. During the turn it waits while a decision is carried out;
// after the turn the backlog calls it again.
func (k *stepwise) save(ctx context.Context) (fresh []string, err error) {
	for tries := 0; ; tries++ {
		sealed, err := k.env.Draft.Seal(k.revisions.liveText)
		if err != nil || k.revising.plan == nil && sealed.Empty() {
			return nil, err
		}
		fresh, err := k.storeRevision(context.WithoutCancel(ctx), sealed)
		switch {
		case err == nil:
			k.sealed = len(k.env.Draft.Operations())
			k.revisions.made(k.turn, k.revising.plan)
			return fresh, nil
		case errors.Is(err, board.ErrUnderway) && !k.over:
			err = k.Board.AwaitExecution(ctx, k.revising.plan)
		case errors.Is(err, errOutdated):
			err = k.rebase(ctx)
		case errors.Is(err, store.ErrChanged) && tries < 5:
			err = nil // the plan was read anew
		}
		if err != nil {
			return nil, err
		}
	}
}

// rebase stages the new operations of the draft on the plan's current revision, for instance
// after the user has taken operations out. It tells the user at once which of them cannot be
// staged there, and the model with its next request.
func (k *stepwise) rebase(ctx context.Context) error {
	news := k.env.Draft.Operations()[k.sealed:]
	seen := k.seen
	if err := k.resume(ctx); err != nil {
		k.seen = seen // the draft is still based on that revision
		return err
	}
	k.lost = append(k.lost, k.revisions.stageAgain(ctx, k.turn, k.env.Draft, k.seen.Number, uponRevision(k.seen), news)...)
	return nil
}

// storeRevision stores one revision. It returns the ids of the operations that are new in the
// plan, none if the draft proposes the same as before.
func (k *stepwise) storeRevision(ctx context.Context, sealed draft.Sealed) (fresh []string, err error) {
	description := strings.TrimSpace(strings.Join(slices.Concat([]string{k.text.String()}, sealed.Notes, k.left), "\n"))
	n := k.revisions.byModel(k.turn, k.env.Draft, description, sealed)
	n.Tokens = plan.Tokens(asUsage(k.used.Minus(k.charged)))
	before := &plan.Revision{} // its operations are not fresh
	var h *board.Held
	if k.revising.plan == nil {
		h, err = k.revisions.newPlan(ctx, n, !k.over)
	} else {
		before = k.revising.plan.Plan().Latest()
		h, err = k.revise(ctx, n)
	}
	if h == nil || err != nil {
		return nil, err
	}
	for _, o := range h.Plan().Latest().Operations {
		if _, known := before.Operation(o.ID); !known {
			fresh = append(fresh, o.ID)
		}
	}
	k.charged, k.revising.plan, k.told = k.used, h, cmp.Or(k.told, h.Plan())
	return fresh, nil
}

// revise stores a further revision of the plan. It returns nil if the draft proposes the same as
// before.
func (k *stepwise) revise(ctx context.Context, n newRevision) (*board.Held, error) {
	tx := k.Board.Lock(k.revising.plan)
	defer tx.Unlock()
	p, current := k.revising.plan.Now()
	switch {
	case tx.Executing() || p.State == plan.Executing:
		return nil, board.ErrUnderway
	case p.Current != k.seen.Current:
		return nil, errOutdated
	case sameContent(current, n.sealed) && reflect.DeepEqual(current.Steps, n.Steps):
		return nil, nil
	}
	n.Predicted = current.Predicted
	events := stagingOn(p.State)
	p = p.Clone()
	p.Goal = cmp.Or(submittedGoal(k.env.Draft), p.Goal)
	h, err := k.revisions.add(ctx, tx, p, n, !k.over, events...)
	if errors.Is(err, store.ErrChanged) {
		tx.Reread(ctx)
	}
	return h, err
}

// stagingOn returns the events that bring a plan into a state where more operations can be
// added. A plan that was closed meanwhile is opened again.
func stagingOn(s plan.State) []plan.Event {
	switch s {
	case plan.Failed:
		return []plan.Event{plan.RequestRevision, plan.FinishDrafting}
	case plan.Completed, plan.Cancelled:
		return []plan.Event{plan.Start, plan.FinishDrafting}
	}
	return []plan.Event{plan.OperationStaged}
}

// sameContent reports whether a draft proposes the same as a revision. Then another revision
// would only invalidate what the user was shown.
func sameContent(r *plan.Revision, s draft.Sealed) bool {
	operations := func(a, b plan.Operation) bool { return a.ID != "" && a.ID == b.ID }
	changes := func(a, b plan.Change) bool {
		return a.Path == b.Path && a.NewPath == b.NewPath && a.Action == b.Action && a.Base == b.Base && a.Proposed == b.Proposed &&
			slices.EqualFunc(a.Hunks, b.Hunks, func(a, b plan.Hunk) bool { return a.ID == b.ID })
	}
	return slices.EqualFunc(r.Operations, s.Operations, operations) && slices.EqualFunc(r.Changes, s.Changes, changes)
}
