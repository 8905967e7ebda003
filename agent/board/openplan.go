package board

import (
	"context"
	"strings"

	"redline/agent/plan"
)

// OpenPlan begins the review of a plan that the user opens. It returns the workspace path of the
// preview, and writes that again if it is gone or its statuses are out of date.
func (b *Board) OpenPlan(ctx context.Context, n int) (string, error) {
	h, err := b.Find(ctx, n)
	if err != nil {
		return "", err
	}
	if err := b.beginReview(ctx, h); err != nil {
		return "", err
	}
	name := h.PreviewName()
	b.refreshPreview(h, true)
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

// Diff returns the unified diff of a plan's current revision against the texts that it was made
// from.
func (b *Board) Diff(ctx context.Context, n int) (string, error) {
	h, err := b.Find(ctx, n)
	if err != nil {
		return "", err
	}
	e := b.peek(h)
	var text strings.Builder
	for _, f := range e.files {
		text.WriteString(f.Change.Diff(f.Base, f.Proposed))
	}
	return text.String(), nil
}
