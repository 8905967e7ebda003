package agent

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/agent/report"
	"redline/agent/tool"
	"redline/internal/phrase"
)

// wayTools is the way of a change: the model reads and stages with all tools,
// and what it has staged in the end is a revision.
func (a *Agent) wayTools(ctx context.Context, w *work) error {
	if a.asksEach(w.turn.Conversation) {
		return a.wayOffered(ctx, w)
	}
	if err := a.openDraft(ctx, w); err != nil {
		return err
	}
	defer a.endRevision(w.revised)
	return a.changeDraft(ctx, w)
}

// changeDraft has the model work on a draft that is open, and makes a revision of it.
func (a *Agent) changeDraft(ctx context.Context, w *work) error {
	system, err := a.changeSystem(ctx, w.revised)
	if err != nil {
		return err
	}
	messages, err := a.request(ctx, w, system)
	if err != nil {
		return err
	}
	reuse := a.reusing(ctx, w, messages)
	if reuse.again(ctx, w) {
		return a.concludeTurn(ctx, w, nil)
	}
	env := a.env(w)
	runErr := a.converse(ctx, w, messages, a.unstaging(ctx, w, env, tool.All()), env, a.hooks(w))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q := w.outcome.Asked; q != nil {
		return a.park(ctx, w, q)
	}
	if err := a.concludeTurn(ctx, w, runErr); err != nil {
		return err
	}
	reuse.keep(ctx, w)
	return nil
}

// stepsInWords are the steps of a plan, and how far they are, as a model is told
// them; "" for none.
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

// changeSystem is the system prompt of a change, with the plan that is being
// reworked and what the user has rejected of it.
func (a *Agent) changeSystem(ctx context.Context, revised *heldPlan) (string, error) {
	system := a.prompt("system") + "\n" + a.prompt("steps")
	if revised == nil {
		return system, nil
	}
	a.board.mu.Lock()
	p, r := revised.plan, revised.revision
	a.board.mu.Unlock()
	rejected, err := report.Rejections(p, a.prompt("rejected"), a.ws.Secret, func(b plan.Blob) (string, error) { return a.store.Text(ctx, b) })
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(system + "\n" + a.prompt("rework") + "\n")
	fmt.Fprintf(&b, "Goal: %s\n\n%s\n", p.Goal, r.Description)
	b.WriteString(stepsInWords(p, r))
	if rejected != "" {
		b.WriteString("\n" + rejected)
	}
	return b.String(), nil
}
