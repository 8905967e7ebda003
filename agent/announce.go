package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/edits"
)

// announce tells the editor what a plan is like now, and has it show what is
// due.
func (a *Agent) announce(h *heldPlan, turn string) { a.announcePlan(h, turn, false) }

// announcePlan is announce; again: what was shown already is shown once more.
func (a *Agent) announcePlan(h *heldPlan, turn string, again bool) {
	show := a.carry(h)
	a.announcing.Lock() // what is told last is what is newest
	defer a.announcing.Unlock()
	a.mu.Lock()
	s := a.planState(h, edits.UTF16)
	outcome := h.outcome
	h.outcome = nil
	a.mu.Unlock()
	a.notify(Event{Kind: PlanChanged, Turn: turn, Conversation: s.Conversation, PlanNumber: s.Plan, Plan: &s, Effects: show, Again: again, Outcome: outcome})
}

// Watch follows what other processes do with the plans of the workspace and
// with the files that these are about, and announces it, until ctx is done.
func (a *Agent) Watch(ctx context.Context, every time.Duration) {
	a.session.Every(ctx, every, func() {
		if err := a.fresh(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("the plans could not be read again", errorField(err))
		}
		a.tellUnsaved(true)
		a.lookOnDisk(ctx, false)
	})
}

// OpenPlan is the user's own opening of a plan: the review begins. It returns
// the workspace path of the preview, which is written again if it is gone or its
// statuses are out of date.
func (a *Agent) OpenPlan(ctx context.Context, n int) (string, error) {
	h, err := a.find(ctx, n)
	if err != nil {
		return "", err
	}
	if err := a.beginReview(ctx, h); err != nil {
		return "", err
	}
	name := a.previewName(h)
	if _, err := a.ws.Own().Read(name); err != nil {
		a.writePreview(h)
	} else {
		a.renewPreview(h)
	}
	a.announce(h, "")
	return a.ws.Own().Path(name), nil
}

func (a *Agent) beginReview(ctx context.Context, h *heldPlan) error {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	a.mu.Lock()
	next := h.plan.Clone()
	a.mu.Unlock()
	if next.Apply(plan.UserReviewing) != nil {
		return nil // the review has begun, or the plan is decided
	}
	next.Updated = a.now().UTC()
	if err := a.store.Save(ctx, a.workspaceKey(), next, nil); err != nil {
		return a.kept(next.Number, err)
	}
	a.swap(h, next, plan.UserReviewing)
	return nil
}

// Diff returns the unified diff of a plan's current revision against the texts
// that it was made from.
func (a *Agent) Diff(ctx context.Context, n int) (string, error) {
	h, err := a.find(ctx, n)
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for _, f := range h.files {
		b.WriteString(f.diff())
	}
	return b.String(), nil
}

// diff is the file's change as a unified diff.
func (f *heldFile) diff() string {
	from, to := "a/"+f.change.Path, "b/"+f.change.Path
	switch f.change.Action {
	case plan.Create:
		from = "/dev/null"
	case plan.Delete:
		to = "/dev/null"
	case plan.Rename:
		to = "b/" + f.change.NewPath
		if f.base == f.proposed {
			return moveDiff(f.change.Path, f.change.NewPath)
		}
	}
	return edits.UnifiedOf(from, to, f.base, f.change.Edits(f.proposed), 3)
}

// moveDiff is the diff of a file that is moved as it is.
func moveDiff(from, to string) string {
	return fmt.Sprintf("rename from %s\nrename to %s\n", from, to)
}

func errorField(err error) zap.Field { return zap.Error(err) }

func planField(n int) zap.Field { return zap.Int("plan", n) }
