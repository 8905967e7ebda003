package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/edits"
	"redline/edits/patch"
	"redline/internal/phrase"
)

// tellResult prints the answer, or the plan and its diff, through a pager if it is long.
func tellResult(ctx context.Context, a *agent.Agent, c *console, r *runResult) error {
	if answer := r.Answer; r.Plan != nil && c.live != nil {
		c.answer(patch.WithoutEdits(answer)) // the diff shows them
	} else {
		c.answer(answer)
	}
	c.tellWaiting(a.Kept(), r)
	if r.Plan == nil {
		return nil
	}
	if err := tellPlan(ctx, a, c, r.Plan); err != nil {
		return err
	}
	if r.unchecked && r.Plan.Problems == nil {
		fmt.Fprintf(folding(c.out), "\nchecked  nothing yet: the language server took more than %d s\n", checkedWithin/time.Second)
	}
	return nil
}

// checkedWithin is how long a plan waits for what language servers report about it before it is shown.
const checkedWithin = 5 * time.Second

// awaitServers waits until language servers have checked a plan, but not long. It reports whether they have.
func awaitServers(ctx context.Context, a *agent.Agent, plan int) bool {
	ctx, cancel := context.WithTimeout(ctx, checkedWithin)
	defer cancel()
	return a.Languages.Await(ctx, plan)
}

// tellPlan prints what a plan proposes.
func tellPlan(ctx context.Context, a *agent.Agent, c *console, p *state.Plan) error {
	diff, err := a.Diff(ctx, p.Plan)
	if err != nil {
		return err
	}
	w := &pageOf{to: c.out}
	w.heading(fmt.Sprintf("Plan %d, revision %d: %s", p.Plan, p.Revision, summary(p)))
	fmt.Fprintln(w)
	expected(w, p)
	w.WriteString(colours(c.out, edits.Visible(diff)))
	for _, f := range p.Files {
		if f.OtherNames > 0 {
			fmt.Fprintf(w, "\n%s %s.\n", fileName(&f), otherNames(&f))
		}
		if f.Syntax != "" {
			fmt.Fprintf(w, "\n%s does not parse as proposed: %s\n", fileName(&f), edits.Visible(f.Syntax))
		}
	}
	for _, cmd := range p.Commands {
		how := "not run"
		if cmd.Rule != "" {
			how = "which your rules (" + cmd.Rule + ") run with the plan"
		}
		fmt.Fprintf(w, "\nCommand%s, %s: %s\n", plan.InFolder(cmd.Cwd), how, commandText(cmd.Command))
	}
	if words := problemsWords(p); words != "" {
		fmt.Fprintf(w, "\nchecked  %s\n", words)
		w.found(p, maxProblemsTold)
	}
	for i := range p.Trials {
		if t := &p.Trials[i]; t.Current {
			fmt.Fprintf(w, "\n%s\n", triedLine(t))
		}
	}
	if p.Untried != "" {
		fmt.Fprintf(w, "\n%s\n", untriedLine(p))
	}
	c.paged(w.String())
	noteShown(a, c, p)
	return nil
}

// problemsWords says what language servers report about a plan: "adds 2 errors, fixes 1". It returns "" if there is
// nothing to say.
func problemsWords(p *state.Plan) string {
	if p.Problems == nil {
		return ""
	}
	return oneLine(p.Problems.Report.Words())
}

// problems writes what language servers report about a plan.
func (w *pageOf) problems(p *state.Plan) {
	if p.Problems == nil || len(p.Problems.Added) == 0 && problemsWords(p) == "" {
		return
	}
	w.heading("Problems")
	if words := problemsWords(p); words != "" {
		fmt.Fprintf(w, "checked  %s\n", words)
	}
	w.found(p, maxProblemLines)
}

// found lists the first problems that language servers report about a plan.
func (w *pageOf) found(p *state.Plan, most int) {
	shown := p.Problems.Added[:min(len(p.Problems.Added), most)]
	for _, one := range shown {
		by := strings.TrimSpace(one.Source + " " + one.Code)
		fmt.Fprintf(w, "%-8s %s:%d: %s%s\n", one.Severity, oneLine(one.Path), one.In.Start.Line+1, oneLine(one.Message), because(oneLine(by)))
	}
	if more := len(p.Problems.Added) - len(shown) + p.Problems.More; more > 0 {
		fmt.Fprintf(w, "and %s\n", phrase.Count(more, "more problem"))
	}
}

// How many problems a page lists, and the end of a run.
const (
	maxProblemLines = 20
	maxProblemsTold = 5
)

// otherNames says that a file has hard links.
func otherNames(f *state.File) string {
	if f.OtherNames == 1 {
		return "has 1 other name (a hard link), which keeps its text"
	}
	return fmt.Sprintf("has %d other names (hard links), which keep their text", f.OtherNames)
}

// expected lists the files that a plan in words is expected to change. If its edits are
// worked out, it prints only how their files differ from that.
func expected(w io.Writer, p *state.Plan) {
	switch {
	case p.Drift != nil:
		fmt.Fprintf(w, "%s\n", edits.Visible(p.Drift.String()))
	case p.TextOnly && len(p.Predicted) > 0:
		fmt.Fprintf(w, "Expected files: %s\n", edits.Visible(strings.Join(p.Predicted, ", ")))
	}
}

// answer prints the model's answer: at a terminal, only the part that is not on the
// screen yet.
func (c *console) answer(text string) {
	text = strings.TrimSpace(text)
	if c.live != nil {
		text = c.unseen(text)
	}
	switch {
	case text == "":
	case c.live != nil:
		c.mu.Lock()
		fmt.Fprintln(c.prose, edits.Visible(text))
		c.mu.Unlock()
	default:
		fmt.Fprintln(folding(c.out), edits.Visible(text))
	}
}

// showDiff prints the unified diff of a plan, through a pager if it is long.
func showDiff(ctx context.Context, a *agent.Agent, c *console, n int) error {
	diff, err := a.Diff(ctx, n)
	if err != nil {
		return err
	}
	c.paged(colours(c.out, edits.Visible(diff)))
	return nil
}

// tellFiles prints the result of a decision for each file, and the state of the plan.
func tellFiles(c *console, p *state.Plan, r state.Result) {
	out := folding(c.out)
	for _, decided := range r.Files {
		i := slices.IndexFunc(p.Files, func(f state.File) bool { return f.Path == decided.Path })
		if i < 0 { // the current revision does not touch it
			fmt.Fprintf(out, "%s: %s\n", oneLine(decided.Path), edits.Visible(cmp.Or(decided.Reason, decided.Status)))
			continue
		}
		fmt.Fprintf(out, "%s: %s\n", fileName(&p.Files[i]), fileStatus(&p.Files[i]))
	}
	if r.Turn != "" {
		tellCommands(c, p)
	}
	if !c.asksNext || pendingCommand(p) == nil { // otherwise the question says what is left
		tellState(c, p)
	}
}

// tellState prints the state of a plan, and the parts that are still undecided.
func tellState(c *console, p *state.Plan) {
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
	out := folding(c.out)
	fmt.Fprintf(out, "Plan %d %s.", p.Plan, plan.State(p.State).Predicate())
	if len(left) > 0 {
		fmt.Fprintf(out, " Undecided: %s; redline plans show %d lists the plan.", strings.Join(left, ", "), p.Plan)
	}
	fmt.Fprintln(out)
}

// fileName returns the path of a file, and its new path if it moves.
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

// commandText formats a command line for a terminal. It indents all lines but the first,
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

// because returns a reason in parentheses, "" for none.
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

// words spells a state or status for people: "awaiting approval".
func words(status string) string { return strings.ReplaceAll(status, "_", " ") }
