package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/internal/fence"
	"redline/internal/phrase"
)

// Mend does what Rework does, with a failed trial of the plan as feedback after the user's words,
// which may be "". An empty id means the newest failed trial. What the command has printed is data:
// only the user's words can mention something.
func (ts *Turns) Mend(ctx context.Context, n int, id, words, client string) (turnID, conversationID string, err error) {
	h, err := ts.Board.Find(ctx, n)
	if err != nil {
		return "", "", err
	}
	t, err := failedTrial(h.Plan(), id)
	if err != nil {
		return "", "", err
	}
	words = strings.TrimSpace(words)
	m := conversation.Request{Typed: &words, Message: conversation.Message{Text: mendText(t, words), Client: client}}
	return ts.rework(ctx, n, m)
}

// failedTrial returns a trial of a plan that has not passed, the newest if id is "".
func failedTrial(p *plan.Plan, id string) (*plan.Trial, error) {
	for i := range slices.Backward(p.Trials) {
		switch t := &p.Trials[i]; {
		case t.ID == id && t.Passed():
			return nil, refusal.New(refusal.Invalid, "The trial %s of plan %d has passed: say what should be different.", id, p.Number)
		case t.ID == id, id == "" && !t.Passed() && t.Ran():
			return t, nil
		}
	}
	if id != "" {
		return nil, refusal.New(refusal.Invalid, "Plan %d has no trial %s.", p.Number, id)
	}
	return nil, refusal.New(refusal.Invalid, "Say what should be different about plan %d: no trial of it has failed.", p.Number)
}

// mendText returns a failed trial as feedback.
func mendText(t *plan.Trial, words string) string {
	var b strings.Builder
	if words != "" {
		b.WriteString(words + "\n\n")
	}
	fmt.Fprintf(&b, "Fix what makes `%s`%s fail: tried on what the plan proposes, it %s.", phrase.OneLine(t.Command), plan.In(t.Cwd), t.Verdict())
	if t.Problem != "" {
		b.WriteString(" " + t.Problem)
	}
	if t.Output != "" {
		marks := fence.Around(t.Output)
		fmt.Fprintf(&b, " It printed:\n\n%s\n%s\n%s", marks, strings.TrimSuffix(t.Output, "\n"), marks)
	}
	return b.String()
}
