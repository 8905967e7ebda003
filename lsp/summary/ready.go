package summary

import (
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/pages"
	"redline/lsp/window"
	"redline/workspace"
)

// PlanReady returns the message that a plan is ready, with its size and the name of its preview.
func PlanReady(p *view.Plan, pages pages.Pages) string {
	name := fmt.Sprintf("plan %d", p.Plan.Number)
	if p.Revision.Number > 1 {
		name += fmt.Sprintf(", revision %d,", p.Revision.Number)
	}
	text := fmt.Sprintf("%s is ready: %s.", name, sizeOf(p))
	if p.Revision.TextOnly {
		text = fmt.Sprintf("%s is ready in words, %s. Approve it to have the edits worked out; you will see them before anything changes.", name, expected(p.Revision.Predicted))
	} else if d, ok := p.Plan.Drift(p.Revision); ok {
		text += " " + d.String()
	}
	text += unparsed(p) + otherNames(p)
	if p.Preview != "" {
		text += " Preview: " + pages.Name(p.Preview)
	}
	if undone := p.Revision.Unfinished.Sentences(); len(undone) > 0 {
		text += ". It is incomplete: " + Undone(undone)
	}
	return text
}

// unparsed returns a sentence on the files that do not parse as proposed, "" if there are none.
func unparsed(p *view.Plan) string {
	first, more := "", -1
	for _, f := range p.Files {
		if why := f.Unparsed(); why != "" {
			if more++; first == "" {
				first, _ = window.Excerpt(edits.VisibleLine(f.ProposedPath() + ", " + why))
			}
		}
	}
	switch {
	case first == "":
		return ""
	case more > 0:
		return fmt.Sprintf(" As proposed, %s do not parse; the first is %s.", phrase.Count(more+1, "file"), first)
	}
	return " As proposed, a file does not parse: " + first + "."
}

// otherNames returns a sentence on the files that have other names, "" if there are none.
func otherNames(p *view.Plan) string {
	first, files := "", 0
	for _, f := range p.Files {
		if f.OtherNames() > 0 {
			if files++; files == 1 {
				first, _ = window.Excerpt(edits.VisibleLine(f.Change.Path))
			}
		}
	}
	switch files {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" %s has other names (hard links), which keep their text unless your editor saves through the link.", first)
	}
	return fmt.Sprintf(" %s and %s have other names (hard links), which keep their text unless your editor saves through the link.", first, phrase.Count(files-1, "more file"))
}

// Undone returns, in one line, the sentences on what a turn has left undone. There must
// be at least one.
func Undone(sentences []string) string {
	line, _ := window.Excerpt(sentences[0])
	if more := len(sentences) - 1; more > 0 {
		line += fmt.Sprintf(" (And %d more.)", more)
	}
	return line
}

// sizeOf returns the size of a plan: "2 files, +10 −4, 1 command". For a plan that changes no
// file it names the first command.
func sizeOf(p *view.Plan) string {
	e, commands := ExtentOf(p.Files...), p.Plan.Runs(p.Revision)
	if e.Files == 0 && len(commands) > 0 {
		o, _ := p.Revision.Operation(commands[0])
		first := CommandTitle(o)
		if len(commands) > 1 {
			first += ", …"
		}
		return fmt.Sprintf("%s (%s)", phrase.Count(len(commands), "command"), first)
	}
	if len(commands) > 0 {
		return e.String() + ", " + phrase.Count(len(commands), "command")
	}
	return e.String()
}

// expected returns the files that a plan in words may change: "with 2 files to expect
// (a.go, b.go)".
func expected(paths []string) string {
	const most = 5
	switch n := len(paths); {
	case n == 0:
		return "with no files named"
	case n > most:
		return fmt.Sprintf("with %d files to expect (%s …)", n, strings.Join(paths[:most], ", "))
	default:
		return fmt.Sprintf("with %s to expect (%s)", phrase.Count(n, "file"), strings.Join(paths, ", "))
	}
}

// CommandTitle returns a command for a title, clipped. Its folder comes first, so that a long
// line does not hide it.
func CommandTitle(o *plan.Operation) string {
	return plan.CommandIn(commandLine(o.Command), o.Folder())
}

// CommandName returns a command line and its folder for a sentence, clipped.
func CommandName(line, folder string) string {
	return "`" + commandLine(line) + "`" + plan.InFolder(folder)
}

// commandLine returns a command line for a title, clipped.
func commandLine(command string) string {
	line, whole := window.Excerpt(edits.VisibleLine(strings.Trim(command, " \t\n")))
	if runes := []rune(line); len(runes) > 60 {
		line, whole = string(runes[:59]), false
	}
	if !whole {
		line += "…"
	}
	return line
}

// PastTense returns what a decision does to changes, for a message: "applied".
func PastTense(v plan.Verdict) string {
	switch v {
	case plan.VerdictUndo:
		return "taken back"
	case plan.VerdictReview:
		return "reviewed"
	}
	return "applied"
}

// Outcome returns the message about the outcome of a decision on plan n: what was done, what was
// not and why, and which files are not saved yet. warn is true if the user did not get all of
// what they decided.
func Outcome(w *workspace.Workspace, n int, o *state.Outcome) (text string, warn bool) {
	review := o.Verdict == plan.VerdictReview
	text = outcomeText(n, o)
	if review && o.Changes > 0 && o.Left > 0 {
		text += fmt.Sprintf(" %s not accepted: still pending.", phrase.Count(o.Left, "change"))
	}
	for _, p := range o.Problems {
		text += " " + p.Path + ": " + phrase.OneSentence(p.Reason)
	}
	text += Unsaved(w, o.Paths)
	return text, o.Changes == 0 && !review && !o.Already || len(o.Problems) > 0
}

// outcomeText returns the outcome of a decision in one sentence.
func outcomeText(n int, o *state.Outcome) string {
	verb, review := PastTense(o.Verdict), o.Verdict == plan.VerdictReview
	if review {
		verb = "applied"
	}
	switch {
	case o.Already:
		return fmt.Sprintf("plan %d: it was in your text already, so nothing was changed.", n)
	case o.Changes > 0:
		return fmt.Sprintf("plan %d: %s in %s %s.", n, phrase.Count(o.Changes, "change"), phrase.Count(o.ChangedFiles, "file"), verb)
	case o.Unclear:
		return fmt.Sprintf("plan %d: it is not known whether it was %s.", n, verb)
	case review:
		return fmt.Sprintf("plan %d: you accepted no change in the review.", n)
	}
	return fmt.Sprintf("plan %d: nothing was %s.", n, verb)
}
