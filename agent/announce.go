package agent

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/preview"
	"redline/edits"
)

// announce tells the editor what a plan is like now.
func (a *Agent) announce(h *heldPlan, turn string) {
	a.mu.Lock()
	s := a.planState(h, edits.UTF16)
	a.mu.Unlock()
	a.notify(Event{Kind: PlanChanged, Turn: turn, Conversation: s.Conversation, PlanNumber: s.Plan, Plan: &s})
}

// Recover reads the open plans of the workspace from the store and announces
// them. It looks at what an earlier session left unfinished and says what is
// so; it changes no file.
func (a *Agent) Recover(ctx context.Context) error {
	if err := a.load(ctx); err != nil {
		return err
	}
	a.mu.Lock()
	var open []*heldPlan
	for _, h := range a.plans {
		open = append(open, h)
		name := preview.Name(h.plan.Number, h.revision.Number)
		if _, err := a.ws.Own().Read(name); err == nil {
			h.preview = a.ws.Own().Path(name)
			a.changed(h)
		}
	}
	a.mu.Unlock()
	for _, h := range open {
		if err := a.settle(ctx, h, true); err != nil {
			return err
		}
		a.announce(h, "")
	}
	return nil
}

// OpenPlan is the user's own opening of a plan: the review begins. It returns
// the workspace path of the preview, which is written again if it is gone.
func (a *Agent) OpenPlan(ctx context.Context, n int) (string, error) {
	h, err := a.find(ctx, n)
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	name := preview.Name(h.plan.Number, h.revision.Number)
	if h.plan.State == plan.AwaitingApproval {
		next := h.plan.Clone()
		if err := next.Apply(plan.UserReviewing); err == nil {
			next.Updated = a.now().UTC()
			if err := a.store.Save(ctx, a.workspaceKey(), next, nil); err != nil {
				a.mu.Unlock()
				return "", err
			}
			h.plan = next
			a.changed(h)
		}
	}
	a.mu.Unlock()
	if _, err := a.ws.Own().Read(name); err != nil {
		a.writePreview(h)
	}
	a.announce(h, "")
	return a.ws.Own().Path(name), nil
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
			return fmt.Sprintf("rename from %s\nrename to %s\n", f.change.Path, f.change.NewPath)
		}
	}
	return edits.Unified(from, to, f.base, f.proposed, 3)
}

// sentence is an error as it is told to the user.
func sentence(err error) string {
	text := err.Error()
	if r, size := utf8.DecodeRuneInString(text); size > 0 {
		text = strings.ToUpper(string(r)) + text[size:]
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

func trimDot(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), ".") }

// firstLine returns the first line of a text, cut at limit characters.
func firstLine(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(line))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}

func errorField(err error) zap.Field { return zap.Error(err) }
