package turn

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/view"
	"redline/edits"
)

// stepwise is a turn that asks the user about its operations as they are staged. What one reply
// of the model stages becomes a revision of the plan at once, and the turn continues on a draft
// resumed from that revision, so it respects what the user approves or rejects meanwhile. The
// plan is never drafting. Only the turn's goroutine uses it.
type stepwise struct {
	*work                   // its revised is nil until something was staged
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
	if k.revised == nil {
		return nil
	}
	k.Board.SetStaging(k.revised, true)
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
	if k.revised == nil {
		return "", nil
	}
	if err := k.Board.Refresh(ctx); err != nil && !board.MayPass(err) {
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
	if !now || k.revised == nil {
		return false
	}
	return !reflect.DeepEqual(k.revised.Revision().Steps, s.Steps)
}

// behind reports whether the plan, or the text of one of its files, has changed since the draft
// was resumed.
func (k *stepwise) behind() bool {
	v := k.Board.View(k.revised)
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
	v := k.Board.View(k.revised)
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
	if k.revised != nil {
		k.release()
	}
	if k.unstored != nil {
		k.revisions.storeLater(k.revised, func(ctx context.Context) error {
			_, err := k.save(ctx)
			return err
		}, k.unstored)
	}
}

// release marks the plan as complete, since no turn adds to it any more, and closes it if all of
// it is decided.
func (k *stepwise) release() {
	k.Board.SetStaging(k.revised, false)
	if k.unstored == nil {
		if err := k.Board.CloseDecided(context.WithoutCancel(k.Session.Context()), k.revised); err != nil {
			k.log.Warn("a plan of which everything is decided could not be closed", zap.Int("plan", k.revised.Number()), zap.Error(err))
		}
	}
	k.Board.Announce(k.revised, k.turn.ID)
}

// handleStepwise handles a change in stepwise mode: the user is asked about each operation as it
// is staged, while the turn continues.
func handleStepwise(ctx context.Context, w *work) (err error) {
	if w.revised, err = w.revisions.begin(w.turn, true); err != nil {
		return err
	}
	w.env = w.envFor(draft.New(w.ws))
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
	about, err := w.reworked(ctx)
	if err != nil {
		return err
	}
	messages, err := w.request(ctx, w.changeSystem()+"\n"+w.prompt("offered"), about)
	if err != nil {
		return err
	}
	runErr := w.converse(ctx, messages, append(tool.All(), w.reverting()), k.hooks())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := k.flush(ctx); err != nil {
		return err
	}
	if q := w.outcome.Asked; q != nil {
		return w.park(ctx, q)
	}
	if runErr == nil || w.revised != nil {
		w.remember(withUndone(w.outcome.Text, w.undone))
	}
	return runErr
}

// decidesStepwise reports whether the user is asked about each operation of a conversation's
// plans as it is staged.
func (ts *Turns) decidesStepwise(conv *conversation.Conversation) bool {
	return ts.settings.MustAsk || cmp.Or(ts.Conversations.Decide(conv), ts.settings.Decide, config.DecidePlan) == config.DecideAsk
}

// changeDecide changes how the user decides on the plans of a conversation, if a setting is
// given, and describes the result.
func (ts *Turns) changeDecide(conv *conversation.Conversation, way []string) string {
	if ts.settings.MustAsk && slices.Contains(way, config.DecidePlan) {
		return "The policy of this machine makes Redline ask you about each edit, so you cannot turn that off."
	}
	if len(way) > 0 {
		ts.Conversations.SetDecide(conv, way[0])
	}
	if ts.decidesStepwise(conv) {
		return "In this conversation you are asked about each edit as it is staged, from the next message on."
	}
	return "In this conversation you decide on the plan when a turn has ended, from the next message on."
}
