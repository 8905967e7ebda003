package turn

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"go.uber.org/zap"

	"redline/agent/backlog"
	"redline/agent/board"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/report"
	"redline/agent/view"
	"redline/edits"
)

// stepwise is a turn that offers its operations as they are staged. What one reply of the model
// stages becomes a revision of the plan at once, and the turn continues on a draft resumed from
// that, so it respects what the user approves or rejects meanwhile. The plan is never drafting.
// Only the turn's goroutine uses it.
type stepwise struct {
	w       *work
	held    *board.Held // nil until something was staged
	sealed  int         // the number of operations of the draft that are in a revision
	removed bool        // the removal of the comment that asks was staged
	said    strings.Builder
	used    model.Usage // by the turn so far
	charged model.Usage // the part of used that is in revisions already

	// The draft was resumed from seen and live; the model knows of told.
	seen, told *plan.Plan
	live       []*edits.Lines

	left     []string // tells the user of operations that are not in the plan
	lost     []string // operations that could not be staged again, see rebase; the model does not know yet
	unstored error    // why the staged operations could not be stored; it may pass
	over     bool     // the turn has ended
}

// begin resumes the draft from the plan that is revised, if there is one. The report already
// says what was decided before.
func (k *stepwise) begin(ctx context.Context) error {
	if k.held == nil {
		return nil
	}
	k.w.Board.BeginStaging(k.held)
	err := k.resume(ctx)
	k.told = k.seen
	return err
}

// hooks completes the hooks of a turn.
func (k *stepwise) hooks(h loop.Hooks) loop.Hooks {
	text := h.Text
	h.Text = func(s string) { k.said.WriteString(s); text(s) }
	h.Staged = nil // offers report operations once they are stored, with the names of their hunks
	h.Before, h.After = k.before, k.after
	return h
}

// before brings the draft up to date with decisions and typing for the next call of the model.
// note tells the model of the decisions.
func (k *stepwise) before(ctx context.Context) (note string, err error) {
	if k.held == nil {
		return "", nil
	}
	if err := k.w.Board.Refresh(ctx); err != nil && !backlog.MayPass(err) {
		return "", err
	}
	if k.behind() {
		err = k.advance(ctx)
	}
	return k.news(), err
}

// flush stores the operations that are in no revision yet. If the store cannot take them now,
// they stay in the draft. The model's answer alone makes no new revision: that would void what the user was
// shown.
func (k *stepwise) flush(ctx context.Context) error {
	if !k.unsealed() {
		return nil
	}
	err := k.stage(ctx)
	if k.unstored = nil; backlog.MayPass(err) {
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

// news returns a note that tells the model what has changed, "" for nothing.
func (k *stepwise) news() string {
	var notes []string
	if k.told != k.seen {
		notes = append(notes, report.DecidedSince(k.told, k.seen))
		k.told = k.seen
	}
	if len(k.lost) > 0 {
		notes = append(notes, "["+strings.Join(k.lost, " ")+"]")
		k.lost = nil
	}
	return strings.TrimSpace(strings.Join(notes, "\n"))
}

// after stores the operations that the calls of one reply have staged.
func (k *stepwise) after(ctx context.Context, used model.Usage) error {
	k.used = used
	if !k.unsealed() {
		return nil
	}
	defer k.said.WriteString("\n\n")
	return k.advance(ctx)
}

// unsealed reports whether the draft has operations or steps that no revision has.
func (k *stepwise) unsealed() bool {
	if len(k.w.env.Draft.Operations()) > k.sealed {
		return true
	}
	s, now := k.w.env.Draft.Submitted()
	if !now || k.held == nil {
		return false
	}
	return !reflect.DeepEqual(k.held.Revision().Steps, s.Steps)
}

// behind reports whether the plan, or the text of one of its files, has changed since the draft
// was resumed.
func (k *stepwise) behind() bool {
	v := k.w.Board.View(k.held)
	return v.Plan != k.seen || !slices.Equal(k.live, liveTexts(v))
}

// liveTexts returns the texts of a plan's files as they are now.
func liveTexts(v *view.Plan) []*edits.Lines {
	texts := make([]*edits.Lines, len(v.Files))
	for i, f := range v.Files {
		texts[i] = f.Live
	}
	return texts
}

// resume begins a new draft with what the plan proposes now.
func (k *stepwise) resume(ctx context.Context) error {
	w := k.w
	v := w.Board.View(k.held)
	k.seen, k.live = v.Plan, liveTexts(v)
	texts := map[plan.Blob]string{}
	for _, f := range v.Files {
		texts[f.Change.Base], texts[f.Change.Proposed] = f.Base, f.Proposed
	}
	d, err := draft.Resume(w.ws, v.Plan, func(b plan.Blob) (string, error) {
		if text, ok := texts[b]; ok {
			return text, nil
		}
		return w.store.Text(ctx, b)
	})
	if err != nil {
		return err
	}
	d.GoOn(k.w.env.Draft)
	k.w.env.Draft, k.sealed = d, len(d.Operations())
	return nil
}

// end ends the turn, also a failed one: it shows the last preview, closes a plan whose parts
// were all decided meanwhile, and leaves what could not be stored to the backlog.
func (k *stepwise) end() {
	k.over = true
	if k.held != nil {
		k.release()
	}
	if k.unstored != nil {
		k.storeLater()
	}
}

// release marks the plan as complete: no turn adds to it any more, so it can be closed.
func (k *stepwise) release() {
	w, h := k.w, k.held
	w.Board.EndStaging(h)
	if k.unstored == nil {
		if err := w.Board.CloseDecided(context.WithoutCancel(w.Session.Context()), h); err != nil {
			w.log.Warn("a plan of which everything is decided could not be closed", zap.Int("plan", h.Number()), zap.Error(err))
		}
	}
	w.Board.Announce(h, k.w.turn.ID)
}
