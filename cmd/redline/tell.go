package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/edits"
	"redline/internal/phrase"
)

// tell prints the answer, or the plan and its diff.
func (c *console) tell(ctx context.Context, a *agent.Agent, r *runResult) error {
	c.answer(r.Answer)
	c.tellWaiting(a.Kept(), r)
	if r.Plan == nil {
		return nil
	}
	fmt.Fprintf(c.out, "\nPlan %d, revision %d: %s\n\n", r.Plan.Plan, r.Plan.Revision, summary(r.Plan))
	c.expected(r.Plan)
	if err := c.diff(ctx, a, r.Plan.Plan); err != nil {
		return err
	}
	for _, f := range r.Plan.Files {
		if f.Syntax != "" {
			fmt.Fprintf(c.out, "\n%s does not parse as proposed: %s\n", fileName(&f), edits.Visible(f.Syntax))
		}
	}
	for _, cmd := range r.Plan.Commands {
		how := "not run"
		if cmd.Rule != "" {
			how = "which your rules (" + cmd.Rule + ") run with the plan"
		}
		fmt.Fprintf(c.out, "\nCommand %s%s, %s: %s\n", cmd.ID, plan.In(cmd.Cwd), how, commandText(cmd.Command))
	}
	c.tellTrials(r.Plan)
	a.Shown(r.Plan.Plan, r.Plan.Revision, r.Plan.Hash, clientName)
	return nil
}

// tellTrials prints which commands were tried on what a plan proposes.
func (c *console) tellTrials(p *state.Plan) {
	for i := range p.Trials {
		if t := &p.Trials[i]; t.Current {
			fmt.Fprintf(c.out, "\n%s\n", triedLine(t))
		}
	}
	if p.Untried != "" {
		fmt.Fprintf(c.out, "\n%s\n", untriedLine(p))
	}
}

// expected prints which files a plan in words is expected to change or, once its edits are
// worked out, how their files differ from that.
func (c *console) expected(p *state.Plan) {
	switch {
	case p.Drift != nil:
		fmt.Fprintln(c.out, edits.Visible(p.Drift.String()))
	case p.TextOnly && len(p.Predicted) > 0:
		fmt.Fprintln(c.out, "Expected files:", edits.Visible(strings.Join(p.Predicted, ", ")))
	}
}

// answer prints the model's answer.
func (c *console) answer(text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintln(c.out, edits.Visible(text))
	}
}

// diff prints the unified diff of a plan.
func (c *console) diff(ctx context.Context, a *agent.Agent, n int) error {
	diff, err := a.Diff(ctx, n)
	if err != nil {
		return err
	}
	coloured(c.out, edits.Visible(diff))
	return nil
}

// show prints a plan.
func (c *console) show(p *state.Plan) {
	fmt.Fprintf(c.out, "Plan %d: %s\n", p.Plan, edits.Visible(p.Goal))
	fmt.Fprintf(c.out, "%s, revision %d, %s\n", words(p.State), p.Revision, summary(p))
	if p.Description != "" {
		fmt.Fprintf(c.out, "\n%s\n", edits.Visible(p.Description))
	}
	fmt.Fprintln(c.out)
	c.expected(p)
	for _, f := range p.Files {
		fmt.Fprintf(c.out, "%-8s %s: %s\n", f.Action, fileName(&f), fileStatus(&f))
		if f.Syntax != "" {
			fmt.Fprintf(c.out, "  does not parse as proposed: %s\n", edits.Visible(f.Syntax))
		}
		for i, h := range f.Hunks {
			fmt.Fprintf(c.out, "  %-4s line %d, +%d −%d: %s%s\n", h.ID, f.Line(i)+1, h.Added, h.Removed, h.Status, because(h.Reason))
		}
	}
	for _, cmd := range p.Commands {
		code := ""
		if cmd.ExitCode != nil && *cmd.ExitCode != 0 {
			code = fmt.Sprintf(", exit code %d", *cmd.ExitCode)
		}
		fmt.Fprintf(c.out, "command  %s %s: %s%s%s\n", cmd.ID, commandText(plan.CommandIn(cmd.Command, cmd.Cwd)), words(cmd.Status), code, because(cmd.Reason))
		if output := strings.TrimRight(cmd.Output, "\r\n"); output != "" && cmd.Status == string(plan.CommandFailed) {
			fmt.Fprint(c.out, phrase.Indent(edits.Visible(output)+"\n"))
		}
	}
	for i := range p.Trials {
		fmt.Fprintln(c.out, triedLine(&p.Trials[i]))
	}
	if p.Untried != "" {
		fmt.Fprintln(c.out, untriedLine(p))
	}
	c.showRevisions(p)
	if p.Rating != 0 {
		fmt.Fprintf(c.out, "\nrated %d of 5", p.Rating)
	}
	fmt.Fprintf(c.out, "\nconversation %s\nhash %s\n", edits.Visible(p.Conversation), p.Hash)
}

// showRevisions prints the revisions of a plan that has several.
func (c *console) showRevisions(p *state.Plan) {
	if len(p.Revisions) < 2 {
		return
	}
	fmt.Fprintln(c.out)
	for _, r := range p.Revisions {
		note := ""
		if r.Note != "" {
			note = ": " + edits.Visible(r.Note)
		}
		fmt.Fprintf(c.out, "revision %d by the %s, %s%s\n", r.Revision, r.Author, r.Created, note)
	}
}

// showRevision prints the revision that an approval without a hash applies to.
func (c *console) showRevision(ctx context.Context, a *agent.Agent, p *state.Plan) error {
	if c.quiet {
		return nil
	}
	c.show(p)
	fmt.Fprintln(c.out)
	if err := c.diff(ctx, a, p.Plan); err != nil {
		return err
	}
	a.Shown(p.Plan, p.Revision, p.Hash, clientName)
	return nil
}

// tellFiles prints the result of a decision for each file, and the state of the plan.
func (c *console) tellFiles(p *state.Plan, r state.Result) {
	for _, decided := range r.Files {
		i := slices.IndexFunc(p.Files, func(f state.File) bool { return f.Path == decided.Path })
		if i < 0 { // the current revision does not touch it
			fmt.Fprintf(c.out, "%s: %s\n", oneLine(decided.Path), edits.Visible(cmp.Or(decided.Reason, decided.Status)))
			continue
		}
		fmt.Fprintf(c.out, "%s: %s\n", fileName(&p.Files[i]), fileStatus(&p.Files[i]))
	}
	if r.Turn != "" {
		c.tellCommands(p)
	}
	c.tellState(p)
}

// tellState prints the state of a plan, and what is still undecided.
func (c *console) tellState(p *state.Plan) {
	hunks, commands := 0, 0
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if h.Status == "pending" || h.Status == "stale" {
				hunks++
			}
		}
	}
	for _, cmd := range p.Commands {
		if cmd.Status == "pending" || cmd.Status == "skipped" || cmd.Status == "waiting_for_save" {
			commands++
		}
	}
	var left []string
	if hunks > 0 {
		left = append(left, phrase.Count(hunks, "hunk"))
	}
	if commands > 0 {
		left = append(left, phrase.Count(commands, "command"))
	}
	fmt.Fprintf(c.out, "Plan %d is %s.", p.Plan, words(p.State))
	if len(left) > 0 {
		fmt.Fprintf(c.out, " Undecided: %s; redline plans show %d lists the plan.", strings.Join(left, ", "), p.Plan)
	}
	fmt.Fprintln(c.out)
}

// fileName returns a file's path, and its new path if it moves.
func fileName(f *state.File) string {
	if f.NewPath != "" {
		return oneLine(f.Path) + " → " + oneLine(f.NewPath)
	}
	return oneLine(f.Path)
}

// oneLine returns text on one line, with invisible characters made visible.
func oneLine(text string) string {
	return edits.Visible(phrase.JoinAt(text, "\r\n"))
}

// commandText returns a command line for a terminal: all its lines, the later ones indented
// so that none can pass for Redline's output.
func commandText(command string) string {
	return strings.ReplaceAll(edits.VisibleCommand(strings.TrimRight(command, "\n")), "\n", "\n    ")
}

// fileStatus returns the status of a file, or of its hunks if they differ: "1 of 2 hunks
// applied".
func fileStatus(f *state.File) string {
	counts := map[string]int{}
	for _, h := range f.Hunks {
		counts[h.Status]++
	}
	if len(counts) < 2 {
		return words(f.Status) + because(f.Reason)
	}
	var parts []string
	for _, status := range []string{"applied", "approved", "rejected", "stale"} {
		n := counts[status]
		switch {
		case n == 0:
		case len(parts) == 0:
			parts = append(parts, fmt.Sprintf("%d of %d hunks %s", n, len(f.Hunks), status))
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(parts, ", ") + because(f.Reason)
}

// because returns a reason in brackets, "" for none.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + edits.Visible(reason) + ")"
}

// summary returns the size of a plan: "2 files, +10 −4, 1 command".
func summary(p *state.Plan) string {
	if p.TextOnly {
		return "in words, with no edits yet"
	}
	if len(p.Operations) == 0 && len(p.Files) == 0 {
		return "nothing staged"
	}
	added, removed := 0, 0
	for _, f := range p.Files {
		added += f.Added
		removed += f.Removed
	}
	text := fmt.Sprintf("%s, +%d −%d", phrase.Count(len(p.Files), "file"), added, removed)
	if len(p.Files) == 0 && len(p.Commands) > 0 {
		return phrase.Count(len(p.Commands), "command")
	}
	if len(p.Commands) > 0 {
		text += ", " + phrase.Count(len(p.Commands), "command")
	}
	return text
}

// words returns a state or status as people read it: "awaiting approval".
func words(status string) string { return strings.ReplaceAll(status, "_", " ") }
