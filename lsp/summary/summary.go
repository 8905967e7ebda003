// Package summary describes plans in few words, for titles and messages: how large they are,
// what is undecided, and what a decision has done.
package summary

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/pages"
	"redline/lsp/window"
	"redline/workspace"
)

// UndecidedFiles returns the files of a plan with something undecided.
func UndecidedFiles(p *view.Plan) []*view.File {
	var files []*view.File
	for _, f := range p.Files {
		if ExtentOf(f).Files > 0 {
			files = append(files, f)
		}
	}
	return files
}

// Extent is how much of a plan, or of some of its files, is undecided.
type Extent struct {
	Files          int
	added, removed int  // lines
	Stale          int  // hunks
	Pending        bool // something is undecided and not stale
	rest           *Extent
}

// Rest returns the extent without its stale hunks: what an approval does that leaves them out.
func (e Extent) Rest() Extent {
	if e.rest == nil {
		return Extent{}
	}
	return *e.rest
}

// String returns the extent for titles and messages: "3 files, +10 −4".
func (e Extent) String() string {
	return fmt.Sprintf("%s, +%d −%d", phrase.Count(e.Files, "file"), e.added, e.removed)
}

// ExtentOf returns how much of some files of a plan is undecided.
func ExtentOf(files ...*view.File) Extent {
	e, rest := Extent{}, Extent{}
	for _, f := range files {
		renamed := f.Change.Action == plan.Rename && f.Status == plan.FilePending
		waits, fresh := renamed, renamed
		for _, h := range f.Undecided {
			waits = true
			e.added, e.removed = e.added+h.Added, e.removed+h.Removed
			if h.Status == plan.HunkStale {
				e.Stale++
				continue
			}
			fresh = true
			rest.added, rest.removed = rest.added+h.Added, rest.removed+h.Removed
		}
		if waits {
			e.Files++
		}
		if fresh {
			rest.Files++
		}
	}
	e.Pending, rest.Pending = rest.Files > 0, rest.Files > 0
	e.rest = &rest
	return e
}

// Unsaved returns a sentence, after a space, that names the files among paths that the user still
// has to save; "" if there are none. Two kinds of buffers count as saved although the editor
// marks them: one with the text of its file, and a blank one whose file is gone because its
// creation was undone.
func Unsaved(w *workspace.Workspace, paths []string) string {
	var names []string
	for _, path := range paths {
		b, ok := w.Buffer(path)
		if !ok || !b.Dirty || slices.Contains(names, path) || w.AsOnDisk(b) {
			continue
		}
		if exists, _, err := w.Stat(path); err == nil && !exists && edits.Blank(b.Lines.Text()) {
			continue
		}
		names = append(names, path)
	}
	if len(names) == 0 {
		return ""
	}
	return " Not saved yet: " + strings.Join(names, ", ") + "."
}

// Paths returns the current paths of the files of plans.
func Paths(plans ...*view.Plan) []string {
	var paths []string
	for _, p := range plans {
		for _, f := range p.Files {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// PlanReady returns the message that a plan is ready, with its size and the name of its preview. If
// the preview did not open because the user was typing, closed is true: then that comes first, since
// some editors cut off the end.
func PlanReady(ws *workspace.Workspace, p *view.Plan, pages pages.Pages, closed bool) string {
	name := fmt.Sprintf("plan %d", p.Plan.Number)
	if p.Revision.Number > 1 {
		name += fmt.Sprintf(", revision %d,", p.Revision.Number)
	}
	if closed {
		name += fmt.Sprintf(" (not opened while you type: %s)", pages.Name(p.Preview))
	}
	text := fmt.Sprintf("%s is ready: %s.", name, sizeOf(p))
	if p.Revision.TextOnly {
		text = fmt.Sprintf("%s is ready in words, %s. Approve it to have the edits worked out; you will see them before anything changes.", name, expected(p.Revision.Predicted))
	} else if d, ok := p.Plan.Drift(p.Revision); ok {
		text += " " + d.String()
	}
	text += unparsed(p) + otherNames(p)
	if words := view.Problems(ws, p).Words(); words != "" {
		text += " Checked as proposed: " + words + "."
	}
	if p.Preview != "" && !closed {
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
		first := commandTitle(o)
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

// commandTitle returns a command for a message, clipped. Its folder comes first, so that a long
// line does not hide it.
func commandTitle(o *plan.Operation) string {
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

// A menu cuts off a title that is too long, so a title clips the goal of its plan: to what is
// left of titleLength characters, but to leastGoal at least and mostGoal at most.
const (
	titleLength = 100
	leastGoal   = 24
	mostGoal    = 60
)

// Approve returns the title of the action that approves a plan as a whole and runs its commands
// with these ids, which come first, since a menu cuts off the end: "run `make` and 1 more, and approve
// plan 3: fix the sum (2 files, +5 −1; `make` passed)". notes are for [Notes].
func Approve(p *view.Plan, commands []string, notes ...string) string {
	title, rest := Runs(p, commands)+fmt.Sprintf("approve plan %d", p.Plan.Number), Notes(notes...)
	if goal := goalOf(p); goal != "" {
		room := titleLength - utf8.RuneCountInString("Redline: "+title+": "+rest)
		title += ": " + phrase.ClipWords(goal, min(max(room, leastGoal), mostGoal))
	}
	return title + rest
}

// Runs returns how the title of an action begins that runs these commands of a plan: "run `make` and ";
// "" for none.
func Runs(p *view.Plan, commands []string) string {
	if len(commands) == 0 {
		return ""
	}
	first, _ := p.Revision.Operation(commands[0])
	text := "run " + CommandName(first.Command, first.Folder())
	if more := len(commands) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more,", more)
	}
	return text + " and "
}

// goalOf returns the goal of a plan on one line, without its full stop.
func goalOf(p *view.Plan) string {
	return phrase.TrimStop(edits.Visible(phrase.OneLine(p.Plan.Goal)))
}

// Notes returns the notes of a title in parentheses, after a space: " (2 files, +5 −1; `make`
// passed)". It leaves out empty ones, and returns "" if all are empty.
func Notes(notes ...string) string {
	var said []string
	for _, note := range notes {
		if note != "" {
			said = append(said, note)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " (" + strings.Join(said, "; ") + ")"
}

// maxVerdicts is how many trials a title names.
const maxVerdicts = 3

// Tried returns the results of a plan's trials for a title: "`go test ./...` passed". It
// says so if no trial ran on the current texts. It returns "" for a plan without trials.
func Tried(trials []state.Trial) string {
	var verdicts []string
	current := state.Current(trials)
	if len(current) == 0 && len(trials) > 0 {
		return "tried on an earlier text"
	}
	for _, t := range current[:min(len(current), maxVerdicts)] {
		verdicts = append(verdicts, Verdict(t))
	}
	if more := len(current) - maxVerdicts; more > 0 {
		verdicts = append(verdicts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(verdicts, "; ")
}

// Checked returns for a title how the commands of a plan did in trials, and how many errors language servers report
// that the plan adds: "`go test ./...` fails now; adds 2 errors". It returns "" for nothing to say.
func Checked(trials []state.Trial, problems *plan.Problems) string {
	said := []string{Tried(trials), problems.Adds()}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
}

// Verdict returns the result of a trial: "`go test ./...` fails now".
func Verdict(t *state.Trial) string { return CommandName(t.Command, t.Cwd) + " " + t.Result }
