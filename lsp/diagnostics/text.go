package diagnostics

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/position"
	"redline/lsp/window"
)

// OfHunk returns the diagnostic of one hunk. A hunk that only inserts has an empty range at
// the start of the line that it goes before, which editors show there.
func OfHunk(m position.Mapper, p *view.Plan, f *view.File, i int, h view.Hunk) protocol.Diagnostic {
	severity := protocol.DiagnosticSeverityInformation
	if h.Status == plan.HunkStale {
		severity = protocol.DiagnosticSeverityWarning
	}
	return protocol.Diagnostic{
		Range:    m.Range(f.Live, h.Span),
		Severity: severity,
		Code:     protocol.String(fmt.Sprintf("%d.%s", p.Plan.Number, h.ID)),
		Source:   protocol.NewOptional(Source),
		Message:  protocol.String(hunkMessage(p, f, i, h)),
	}
}

// ChangeName names the hunk i of f by its number among all hunks of the plan:
// "plan 1, change 2 of 3".
func ChangeName(p *view.Plan, f *view.File, i int) string {
	return fmt.Sprintf("plan %d, %s", p.Plan.Number, Place(p, f, i))
}

// Place returns the number of the hunk i of f among all hunks of the plan: "change 2 of 3".
func Place(p *view.Plan, f *view.File, i int) string {
	number, all := i+1, 0
	for _, other := range p.Files {
		if other == f {
			number += all
		}
		all += other.Len()
	}
	return fmt.Sprintf("change %d of %d", number, all)
}

// maxDiffLines is how many lines of a hunk's diff a diagnostic shows.
const maxDiffLines = 8

// hunkMessage returns the text of a hunk's diagnostic: one line for what the hunk does, then the
// first lines of the diff. Many editors show the first line alone, after the line of the file,
// and cut it off: so the new text comes first. It contains no tabs, which some editors print as
// they are (Helix).
func hunkMessage(p *view.Plan, f *view.File, i int, h view.Hunk) string {
	var b strings.Builder
	stale := h.Status == plan.HunkStale
	if stale { // it cannot be approved: so that comes before what may be cut off
		b.WriteString("stale: ")
	}
	fmt.Fprintf(&b, "%s · %s, plan %d", headline(f, h), Place(p, f, i), p.Plan.Number)
	if stale {
		fmt.Fprintf(&b, " (%s)", h.Reason)
	}
	if step := h.Loosely(); step != "" {
		fmt.Fprintf(&b, " (match: %s)", step)
	}
	shown := writeLines(&b, "-", h.OldText, 0)
	shown = writeLines(&b, "+", h.NewText, shown)
	if more := h.Removed + h.Added - shown; more > 0 {
		fmt.Fprintf(&b, "\n… %s more", phrase.Count(more, "line"))
	}
	return b.String()
}

// maxFirstNew is how many characters of the new text come first in a diagnostic.
const maxFirstNew = 60

// headline says first of all what a hunk does: its first new line, and how many more there are,
// or what it deletes.
func headline(f *view.File, h view.Hunk) string {
	line := firstNew(h)
	switch {
	case f.Change.Action == plan.Delete, line == "":
		return Summary(f, h)
	case h.Added > 1:
		line += fmt.Sprintf(" … +%s", phrase.Count(h.Added-1, "line"))
	}
	if f.Change.Action == plan.Create {
		line += " · new " + newFile(f)
	}
	return line
}

// firstNew returns the first line, shortened, that a hunk adds and that is not blank, and not
// among those that it replaces if it adds another; "" if there is none.
func firstNew(h view.Hunk) string {
	old := map[string]bool{}
	for line := range strings.Lines(h.OldText) {
		old[strings.TrimSpace(line)] = true
	}
	first := ""
	for line := range strings.Lines(h.NewText) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if first == "" || !old[line] {
			first = line
		}
		if !old[line] {
			break
		}
	}
	return phrase.Clip(shownLine(first), maxFirstNew)
}

// shownLine returns a line of a file for display: with invisible characters made
// visible, and without tabs.
func shownLine(line string) string {
	return edits.ExpandTabs(edits.Visible(strings.TrimRight(line, "\r\n")), 0)
}

// writeLines appends the lines of text, each after a sign, until maxDiffLines have been
// shown, and returns how many lines have been shown so far.
func writeLines(b *strings.Builder, sign, text string, shown int) int {
	for line := range strings.Lines(text) {
		if shown == maxDiffLines {
			break
		}
		b.WriteString("\n" + sign + phrase.Clip(shownLine(line), window.MaxMessage))
		shown++
	}
	return shown
}

// Summary describes in a few words what a hunk does.
func Summary(f *view.File, h view.Hunk) string {
	switch f.Change.Action {
	case plan.Create:
		return fmt.Sprintf("create this %s with %s", newFile(f), phrase.Count(h.Added, "line"))
	case plan.Delete:
		return "delete this file"
	}
	switch {
	case h.Removed == 0:
		return "insert " + phrase.Count(h.Added, "line")
	case h.Added == 0:
		return "delete " + phrase.Count(h.Removed, "line")
	}
	return fmt.Sprintf("replace %s with %d", phrase.Count(h.Removed, "line"), h.Added)
}

// newFile names a file that is created.
func newFile(f *view.File) string {
	if f.Change.MakesProgram() {
		return "executable file"
	}
	return "file"
}
