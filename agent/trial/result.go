package trial

import (
	"fmt"
	"strings"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/internal/fence"
	"redline/internal/phrase"
)

// Result is the result of a trial.
type Result struct {
	plan.Trial

	failures []string // the failures in its output
	before   []string // the failures in the output without the plan's edits
	refused  string   // what it could not write, see [commands.RefusedByWorld]
	ending   string   // why it did not exit by itself, a sentence
	help     string   // what helps a command that ran out of time, "" for nothing
	hidden   []string // paths of files that it named and that were hidden, because they may hold secrets
}

// ForModel returns the result as the answer to the model that asked for it. of describes the
// texts: "with your staged edits".
func (r *Result) ForModel(of string) string {
	var b strings.Builder
	ending := strings.TrimSuffix(r.ending, ".")
	if r.ExitCode != nil {
		ending = fmt.Sprintf("exit code %d", *r.ExitCode)
	}
	fmt.Fprintf(&b, "%s after %s (%s)\n", ending, phrase.Took(r.Millis), of)
	switch {
	case r.Output == "":
		b.WriteString("It printed nothing.\n")
	case r.Passed():
		b.WriteString(strings.TrimSuffix(commands.Passed(r.Output), "\n") + "\n")
	default:
		b.WriteString(strings.TrimSuffix(r.Output, "\n") + "\n")
	}
	if r.help != "" {
		b.WriteString(r.help + "\n")
	}
	if text := r.compared(); text != "" {
		b.WriteString(text + "\n")
	}
	if r.refused != "" {
		b.WriteString(r.refused + "\n")
	}
	if !r.Passed() && len(r.hidden) > 0 {
		fmt.Fprintf(&b, "Not there in a trial, since they may hold secrets: %s.\n", phrase.And(phrase.FirstOf(r.hidden, 5, "file")))
	}
	return b.String()
}

// ForUser returns the result for the user: a sentence, and the output if the command failed.
func (r *Result) ForUser(n int) string {
	text := fmt.Sprintf("%s %s on what plan %d proposes, after %s.", Command{Line: r.Command, Cwd: r.Cwd}.Named(), r.Words(), n, phrase.Took(r.Millis))
	if r.Problem != "" {
		text += " " + r.Problem
	}
	if r.Passed() || r.Output == "" {
		return text
	}
	marks := fence.Around(r.Output)
	return text + "\n\n" + marks + "\n" + strings.TrimSuffix(r.Output, "\n") + "\n" + marks
}

// compared describes what the result means: the command's result without the plan's edits, or what
// was missing. It returns "" if nothing is known.
func (r *Result) compared() string {
	switch b := r.Baseline; {
	case r.Class == plan.CouldNotRun && r.ExitCode == nil:
		return ""
	case r.Class == plan.CouldNotRun:
		return fmt.Sprintf("It could not be run in a trial: %s. This says nothing of your edits: say in your answer that it was not checked.", r.Why)
	case b == nil || b.ExitCode == nil:
		return ""
	case *b.ExitCode == 0:
		return "without your edits: exit code 0: your edits broke it"
	case r.Class == plan.StillFails:
		return fmt.Sprintf("without your edits: exit code %d too%s. The user asked about it, or your edits change it: fix it.", *b.ExitCode, r.sameFailures())
	default:
		return fmt.Sprintf("without your edits: exit code %d too%s", *b.ExitCode, r.sameFailures())
	}
}

// maxNamed is how many failing tests are named.
const maxNamed = 5

// sameFailures compares the failures with a plan's edits and without: ", the same 2 failures",
// ", but 1 failure more: TestSum".
func (r *Result) sameFailures() string {
	added, same, gone := r.compare()
	name := func(tests []string) string { return phrase.And(phrase.FirstOf(tests, maxNamed, "test")) }
	var text string
	switch {
	case r.stopsEarlier():
		return ", but there it got as far as the tests: " + phrase.Count(len(r.before), "failure") + ": " + name(r.before)
	case len(added)+len(same)+len(gone) == 0:
		return ""
	case len(added) > 0:
		text = fmt.Sprintf(", but %s more: %s", phrase.Count(len(added), "failure"), name(added))
	case len(gone) > 0:
		return fmt.Sprintf(", with %s; %d left: %s", phrase.Count(len(r.before), "failure"), len(same), name(same))
	default:
		return ", the same " + phrase.Count(len(same), "failure") + ": " + name(same)
	}
	if len(same) > 0 {
		text += "; in both: " + name(same)
	}
	return text
}
