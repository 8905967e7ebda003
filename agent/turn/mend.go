package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Mend asks the model to fix a plan. It does what Rework does, with a failure of the plan as
// feedback after the user's words, which may be "". An id names a failed trial. Without one it
// takes the failed file or command of an approval, or else the newest failed trial, or else the errors that the plan adds
// as language servers report them. What commands and servers say is data: only mentions in the user's own words count.
func (ts *Turns) Mend(ctx context.Context, n int, id, words, client string) (turnID, conversationID string, err error) {
	return ts.mend(ctx, n, id, conversation.Request{Message: conversation.Message{Text: words, Client: client}})
}

func (ts *Turns) mend(ctx context.Context, n int, id string, m conversation.Request) (turnID, conversationID string, err error) {
	h, err := ts.Board.Find(ctx, n)
	if err != nil {
		return "", "", err
	}
	words, text, output := strings.TrimSpace(m.Text), "", ""
	if id == "" {
		text = failureText(h.Now())
	}
	if text == "" {
		v := ts.Board.View(h)
		t, err := failedTrial(h.Plan(), id)
		current := err == nil && slices.Contains(view.CurrentTrials(ts.ws, v), t.ID)
		if id == "" && !current { // what is known of the texts as they are now is more
			text, output = addedText(view.Problems(ts.ws, v))
		}
		switch {
		case text != "":
		case err != nil && id == "" && decide.HasOpen(h.Plan()): // they say what should be different
			return ts.rework(ctx, n, m)
		case err != nil:
			return "", "", err
		default:
			text, output = mendText(t, current), printed(t)
		}
	}
	if words != "" {
		text = words + "\n\n" + text
	}
	m.Text, m.Typed = text+output, &words
	if output != "" { // it is of a text that the turn will change
		m.Remembered = text
	}
	return ts.rework(ctx, n, m)
}

// failureText describes, as feedback, what failed while a plan was carried out; "" if nothing
// did. The output of commands is in the report on the plan, which the model gets too.
func failureText(p *plan.Plan, r *plan.Revision) string {
	var parts []string
	for i := range r.Changes {
		c := &r.Changes[i]
		if status, reason := p.File(r, c); status == plan.FileFailed {
			parts = append(parts, fmt.Sprintf("Fix what keeps the changes of %q from being applied: %s", c.Path, phrase.FullStop(phrase.OneLine(reason))))
		}
	}
	for i := range r.Operations {
		o := &r.Operations[i]
		m := p.Progress.Command(o.ID)
		if !o.IsCommand() || m.Status != plan.CommandFailed || m.Tolerated {
			continue
		}
		how := phrase.OneLine(m.Reason)
		if m.ExitCode != nil {
			how = fmt.Sprintf("exit code %d", *m.ExitCode)
		}
		parts = append(parts, fmt.Sprintf("Fix what makes `%s`%s fail: it was approved and run, and failed (%s).", phrase.OneLine(secrets.MaskedCommand(o.Command)), plan.InFolder(o.Folder()), phrase.TrimStop(how)))
	}
	return strings.Join(parts, "\n")
}

// failedTrial returns the failed trial of a plan with an id; if id is "", the newest whose command
// has not passed since.
func failedTrial(p *plan.Plan, id string) (*plan.Trial, error) {
	passed := map[string]bool{}
	for i := range slices.Backward(p.Trials) {
		t := &p.Trials[i]
		named := plan.CommandIn(t.Command, t.Cwd)
		switch {
		case t.ID == id && t.Passed():
			return nil, plan.Refuse(plan.Invalid, "The trial %s of plan %d has passed: say what should be different.", id, p.Number)
		case t.ID == id, id == "" && !t.Passed() && t.Ran() && !passed[named]:
			return t, nil
		}
		passed[named] = passed[named] || t.Passed()
	}
	if id != "" {
		return nil, plan.Refuse(plan.Invalid, "Plan %d has no trial %s.", p.Number, id)
	}
	return nil, plan.Refuse(plan.Invalid, "Say what should be different about plan %d: nothing of it has failed.", p.Number)
}

// mendText describes a failed trial as feedback. current says whether it ran on what the plan
// proposes now.
func mendText(t *plan.Trial, current bool) string {
	var b strings.Builder
	on, since := "what the plan proposes", ""
	if !current {
		on, since = "an earlier text", " The text is another one now, so this may be fixed already: look first."
	}
	fmt.Fprintf(&b, "Fix what makes `%s`%s fail: tried on %s, it %s.%s", phrase.OneLine(secrets.MaskedCommand(t.Command)), plan.InFolder(t.Cwd), on, t.Words(), since)
	if t.Problem != "" {
		b.WriteString(" " + t.Problem)
	}
	return b.String()
}

// printed quotes the output of a failed trial, as a continuation of mendText; "" for none.
func printed(t *plan.Trial) string {
	if t.Output == "" {
		return ""
	}
	marks := fence.Around(t.Output)
	return fmt.Sprintf(" It printed:\n\n%s\n%s\n%s", marks, strings.TrimSuffix(t.Output, "\n"), marks)
}

// maxErrorsToFix is how many errors of language servers one request to fix them has.
const maxErrorsToFix = 20

// addedText describes the errors that a plan adds, as feedback: what to do, and the errors, quoted. Both are "" if there
// are none, or if nothing is known.
func addedText(p *plan.Problems) (text, errors string) {
	if p == nil || p.Adds() == "" {
		return "", ""
	}
	var lines []string
	for _, one := range p.Added {
		if one.Severity == plan.SeverityError {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", one.Path, one.Range.Start.Line+1, one.Message))
		}
	}
	if over := len(lines) - maxErrorsToFix; over > 0 {
		lines = append(lines[:maxErrorsToFix], fmt.Sprintf("and %d more", over))
	}
	list := strings.Join(lines, "\n")
	marks := fence.Around(list)
	return fmt.Sprintf("Fix the errors in what the plan proposes: it %s.", p.Adds()),
		fmt.Sprintf(" Language servers report, by file and line of the proposed text:\n\n%s\n%s\n%s", marks, list, marks)
}
