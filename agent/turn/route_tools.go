package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/report"
	"redline/agent/tool"
	"redline/internal/phrase"
)

// handleTools handles a change: the model reads and stages with all tools, and what is staged
// at the end becomes a revision.
func (ts *Turns) handleTools(ctx context.Context, w *work) error {
	if ts.deciding.decidesStepwise(w.turn.Conversation) {
		return ts.handleStepwise(ctx, w)
	}
	if err := ts.openDraft(ctx, w); err != nil {
		return err
	}
	defer ts.revisions.endRevision(w.revised)
	return ts.changeDraft(ctx, w)
}

// changeDraft has the model work on an open draft and makes a revision of it.
func (ts *Turns) changeDraft(ctx context.Context, w *work) error {
	system, err := ts.changeSystem(ctx, w.revised)
	if err != nil {
		return err
	}
	messages, err := ts.request(ctx, w, system)
	if err != nil {
		return err
	}
	reuse := ts.reusing(ctx, w, messages)
	if reuse.again(ctx, w) {
		return ts.concludeTurn(ctx, w, nil)
	}
	env := ts.env(w)
	runErr := ts.converse(ctx, w, messages, ts.unstaging(ctx, w, env, tool.All()), env, ts.hooks(w))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q := w.outcome.Asked; q != nil {
		return ts.park(ctx, w, q)
	}
	if err := ts.concludeTurn(ctx, w, runErr); err != nil {
		return err
	}
	reuse.keep(ctx, w)
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
func (ts *Turns) changeSystem(ctx context.Context, revised *board.Held) (string, error) {
	system := ts.texts.prompt("system") + "\n" + ts.texts.prompt("steps")
	if revised == nil {
		return system, nil
	}
	p, r := revised.Now()
	rejected, err := report.Rejections(p, ts.texts.prompt("rejected"), ts.ws.Secret, func(b plan.Blob) (string, error) { return ts.store.Text(ctx, b) })
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(system + "\n" + ts.texts.prompt("rework") + "\n")
	fmt.Fprintf(&b, "Goal: %s\n\n%s\n", p.Goal, r.Description)
	b.WriteString(stepsInWords(p, r))
	if rejected != "" {
		b.WriteString("\n" + rejected)
	}
	return b.String(), nil
}
