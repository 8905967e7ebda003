package view

import (
	"fmt"
	"strings"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Limits of reported outputs, in bytes: for a command that has succeeded, and for all of a plan;
// the output that exceeds the second one is still included.
const (
	maxSucceeded = 2 << 10
	maxOutputs   = 12 << 10
)

// commandResult describes the exit code of a command, as the continuation of a sentence.
func commandResult(m plan.CommandMark) string {
	if m.ExitCode == nil {
		return ""
	}
	text := fmt.Sprintf(", exit code %d", *m.ExitCode)
	if m.Output == "" {
		text += ", without output"
	}
	return text
}

// ReportOutput returns the part of a command's output that models and users see: all of it, or its
// beginning, its end and the lines around failures, with a note on what is left out.
func ReportOutput(m plan.CommandMark) string {
	if m.Status == plan.CommandSucceeded {
		return commands.Excerpt(m.Output, maxSucceeded)
	}
	return commands.Excerpt(m.Output, commands.ExcerptSize)
}

// ReportResults lists the commands of a revision with the result of each, and quotes their output; ""
// for a revision without commands.
func ReportResults(p *plan.Plan, r *plan.Revision) string {
	var b strings.Builder
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() {
			m := p.Progress.Command(o.ID)
			fmt.Fprintf(&b, "%s %q%s: %s%s%s\n", o.ID, o.Command, plan.In(o.Folder()), m.Words(), commandResult(m), quotedReason(m.Reason))
		}
	}
	return strings.TrimSuffix(b.String(), "\n") + outputs(p, r)
}

// outputs quotes the output of a revision's commands for the model, failed ones first, without lines
// that may hold a secret; "" for none.
func outputs(p *plan.Plan, r *plan.Revision) string {
	var failed, others []*plan.Operation
	for i := range r.Operations {
		switch o := &r.Operations[i]; {
		case !o.IsCommand() || strings.TrimSpace(p.Progress.Command(o.ID).Output) == "":
		case p.Progress.Command(o.ID).Status == plan.CommandFailed:
			failed = append(failed, o)
		default:
			others = append(others, o)
		}
	}
	var b strings.Builder
	for _, o := range append(failed, others...) {
		if b.Len() > maxOutputs {
			b.WriteString("\nMore commands have printed something.")
			break
		}
		m := p.Progress.Command(o.ID)
		text := commands.Folded(secrets.Withhold(m.Output))
		if m.Status == plan.CommandSucceeded {
			text = commands.Passed(text)
		}
		text = strings.TrimRight(commands.Excerpt(text, commands.ExcerptSize), "\r\n")
		marks := fence.Around(text)
		fmt.Fprintf(&b, "\nThe output of %q:\n%s\n%s\n%s", phrase.FirstLine(o.Command, maxReason), marks, text, marks)
	}
	return b.String()
}
