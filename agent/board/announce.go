package board

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"redline/agent/event"
	"redline/agent/plan"
)

// Announce tells the editor what a plan is like now, and has it show what is
// due.
func (b *Board) Announce(h *Held, turn string) { b.announcePlan(h, turn, false) }

// announcePlan is announce; again: what was shown already is shown once more.
func (b *Board) announcePlan(h *Held, turn string, again bool) {
	show := b.carry(h)
	b.announcing.Lock() // so that the newest state is announced last
	defer b.announcing.Unlock()
	t := b.lock()
	s := t.planState(t.of(h))
	outcome := t.of(h).outcome
	t.of(h).outcome = nil
	t.unlock()
	b.notify(event.Event{Kind: event.PlanChanged, Turn: turn, Conversation: s.Conversation, PlanNumber: s.Plan, Plan: &s, Effects: show, Again: again, Outcome: outcome})
}

// ShowAgain has the editor show a plan once more, for the turn that asks for it.
func (b *Board) ShowAgain(h *Held, turn string) {
	b.refreshPreview(h)
	t := b.lock()
	if !slices.Contains(t.of(h).due, plan.OpenPreview) {
		t.of(h).due = append(t.of(h).due, plan.OpenPreview)
	}
	t.unlock()
	b.announcePlan(h, turn, true)
}

// Watch follows what other processes do with the plans of the workspace and
// with the files that these are about, and announces it, until ctx is done.
func (b *Board) Watch(ctx context.Context, every time.Duration) {
	b.session.Every(ctx, every, func() {
		if err := b.Refresh(ctx); err != nil && ctx.Err() == nil {
			b.log.Warn("the plans could not be read again", zap.Error(err))
		}
		b.tellUnsaved(true)
		b.LookOnDisk(ctx, false)
	})
}

// OpenPlan is the user's own opening of a plan: the review begins. It returns
// the workspace path of the preview, which is written again if it is gone or its
// statuses are out of date.
func (b *Board) OpenPlan(ctx context.Context, n int) (string, error) {
	h, err := b.Find(ctx, n)
	if err != nil {
		return "", err
	}
	if err := b.beginReview(ctx, h); err != nil {
		return "", err
	}
	name := b.PreviewName(h)
	b.refreshPreview(h)
	b.Announce(h, "")
	return b.ws.Own().Path(name), nil
}

func (b *Board) beginReview(ctx context.Context, h *Held) error {
	tx := b.Lock(h)
	defer tx.Unlock()
	next := h.Plan().Clone()
	if next.Apply(plan.UserReviewing) != nil {
		return nil // the review has begun, or the plan is decided
	}
	next.Updated = b.now().UTC()
	return tx.Save(ctx, next, nil, plan.UserReviewing)
}

// Diff returns the unified diff of a plan's current revision against the texts
// that it was made from.
func (b *Board) Diff(ctx context.Context, n int) (string, error) {
	h, err := b.Find(ctx, n)
	if err != nil {
		return "", err
	}
	t := b.lock()
	defer t.unlock()
	var text strings.Builder
	for _, f := range t.of(h).files {
		text.WriteString(f.change.Diff(f.base, f.proposed))
	}
	return text.String(), nil
}
