package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/agent/report"
	"redline/agent/tool"
	"redline/internal/phrase"
)

// handleTools handles a change: the model reads and stages with all tools, and what is staged
// at the end becomes a revision.
func handleTools(ctx context.Context, w *work) error {
	if w.decidesStepwise(w.turn.Conversation) {
		return handleStepwise(ctx, w)
	}
	if err := w.openDraft(ctx); err != nil {
		return err
	}
	defer w.revisions.end(w.revised)
	return w.changeDraft(ctx)
}

// changeDraft has the model work on an open draft and makes a revision of it.
func (w *work) changeDraft(ctx context.Context) error {
	system, err := w.changeSystem(ctx)
	if err != nil {
		return err
	}
	messages, err := w.request(ctx, system)
	if err != nil {
		return err
	}
	request := w.reusing(ctx, messages)
	if w.again(ctx, request) {
		return w.conclude(ctx, nil)
	}
	if err := w.conclude(ctx, w.converse(ctx, messages, w.unstaging(ctx, tool.All()), w.hooks())); err != nil {
		return err
	}
	w.keepForReuse(ctx, request)
	return nil
}

// stepsInWords lists the steps of a plan and their progress for a model; "" for none.
func stepsInWords(p *plan.Plan, r *plan.Revision) string {
	var b strings.Builder
	for i, status := range p.Steps(r, p.Operations(r)) {
		s := &r.Steps[i]
		if i == 0 {
			b.WriteString("\nSteps:\n")
		}
		fmt.Fprintf(&b, "- %s: %s (%s)", s.ID, phrase.FirstLine(s.Description, 200), strings.ReplaceAll(string(status), "_", " "))
		if len(s.DependsOn) > 0 {
			fmt.Fprintf(&b, "; after %s", strings.Join(s.DependsOn, ", "))
		}
		if s.When != nil {
			fmt.Fprintf(&b, "; %s", s.When)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// changeSystem returns the system prompt of a change, with the plan that is being reworked and
// what the user rejected of it.
func (w *work) changeSystem(ctx context.Context) (string, error) {
	system := w.prompt("system") + "\n" + w.prompt("steps")
	if w.revised == nil {
		return system, nil
	}
	p, r := w.revised.Now()
	rejected, err := report.Rejections(p, w.prompt("rejected"), w.ws.Secret, w.store.Texts(ctx))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(system + "\n" + w.prompt("rework") + "\n")
	fmt.Fprintf(&b, "Goal: %s\n\n%s\n", p.Goal, r.Description)
	b.WriteString(stepsInWords(p, r))
	if rejected != "" {
		b.WriteString("\n" + rejected)
	}
	return b.String(), nil
}
