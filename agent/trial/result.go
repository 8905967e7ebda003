package trial

import (
	"fmt"
	"strings"

	"redline/agent/excerpt"
	"redline/agent/plan"
	"redline/internal/fence"
	"redline/internal/phrase"
)

// Result is the result of a trial.
type Result struct {
	plan.Trial

	failures []string // the failures in its output
	before   []string // the failures in the output without the plan's edits
	cut      string   // which limit cut the time that was asked for, "" for none
	hidden   []string // paths of files that it named and that were hidden, because they may hold secrets
}

// ForModel returns the result as the answer to the model that asked for it. of describes the
// texts: "with your staged edits".
func (r *Result) ForModel(of string) string {
	var b strings.Builder
	ending := strings.TrimSuffix(r.Problem, ".")
	if r.ExitCode != nil {
		ending = fmt.Sprintf("exit code %d", *r.ExitCode)
	}
	fmt.Fprintf(&b, "%s after %s (%s)\n", ending, phrase.Took(r.Millis), of)
	switch {
	case r.Output == "":
		b.WriteString("It printed nothing.\n")
	case r.Passed():
		b.WriteString(strings.TrimSuffix(excerpt.Passed(r.Output), "\n") + "\n")
	default:
		b.WriteString(strings.TrimSuffix(r.Output, "\n") + "\n")
	}
	if r.cut != "" {
		b.WriteString(r.cut + "\n")
	}
	if text := r.compared(); text != "" {
		b.WriteString(text + "\n")
	}
	if !r.Passed() && len(r.hidden) > 0 {
		fmt.Fprintf(&b, "Not there in a trial, since they may hold secrets: %s.\n", phrase.And(phrase.FirstOf(r.hidden, 5, "file")))
	}
	return b.String()
}

// ForUser returns the result for the user: a sentence, and the output if the command failed.
func (r *Result) ForUser(n int) string {
	text := fmt.Sprintf("%s %s on what plan %d proposes, after %s.", Command{Line: r.Command, Cwd: r.Cwd}.Named(), r.Verdict(), n, phrase.Took(r.Millis))
	if r.Problem != "" {
		text += " " + r.Problem
	}
	if r.Passed() || r.Output == "" {
		return text
	}
	marks := fence.Around(r.Output)
	return text + "\n\n" + marks + "\n" + strings.TrimSuffix(r.Output, "\n") + "\n" + marks
}

// compared describes the command's result without the plan's edits, "" if it is not known.
func (r *Result) compared() string {
	switch b := r.Baseline; {
	case !r.Ran():
		return "A program was not found: it is not installed, or it is not where a trial sees it."
	case b == nil || b.ExitCode == nil:
		return ""
	case *b.ExitCode == 0:
		return "without your edits: exit code 0: your edits broke it"
	default:
		return fmt.Sprintf("without your edits: exit code %d too%s", *b.ExitCode, r.sameFailures())
	}
}

// sameFailures compares the failures with a plan's edits and without.
func (r *Result) sameFailures() string {
	now, before := len(r.failures), len(r.before)
	if now == 0 || before == 0 {
		return ""
	}
	added := 0
	was := map[string]bool{}
	for _, name := range r.before {
		was[name] = true
	}
	for _, name := range r.failures {
		if !was[name] {
			added++
		}
	}
	switch {
	case added == 0 && now == before:
		return ", the same " + phrase.Count(now, "failure")
	case added == 0:
		return fmt.Sprintf(", with %s; %d of them are left", phrase.Count(before, "failure"), now)
	}
	return fmt.Sprintf(", but %s more", phrase.Count(added, "failure"))
}
