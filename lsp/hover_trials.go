package lsp

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/lsp/position"
	"redline/lsp/summary"
)

// triedAt returns what was tried on the plan whose preview the document is, as it is now, if the
// cursor is in a part of the preview that is about the whole plan or its commands. The range is
// that part's lines.
func (s *session) triedAt(at position.Location, markdown bool) (text string, where protocol.Range, ok bool) {
	p, _, ok := at.Preview()
	if !ok || at.Buffer == nil {
		return "", where, false
	}
	first, after, heading := sectionAt(at.Buffer.Lines, int(at.Selection.Start.Line))
	if heading != "" && heading != "## Tried" && heading != "## Commands" {
		return "", where, false
	}
	var parts []string
	for _, t := range view.Trials(s.workspace, p) {
		if t.Shown {
			parts = append(parts, trialText(&t, markdown))
		}
	}
	if len(parts) == 0 {
		return "", where, false
	}
	head := fmt.Sprintf("Redline plan %d, as it was tried", p.Plan.Number)
	if markdown {
		head = "**" + head + "**"
	}
	where = at.Range(at.Buffer.Lines, at.Buffer.Lines.SpanOf(first, after))
	return head + "\n\n" + strings.Join(parts, "\n\n"), where, true
}

// sectionAt returns the lines of the section of a preview around a line, and its heading: "" before
// the first.
func sectionAt(lines *edits.Lines, line int) (first, after int, heading string) {
	after = lines.Count()
	for i := range lines.Count() {
		text := lines.LineText(i)
		switch {
		case !strings.HasPrefix(text, "## "):
		case i <= line:
			first, heading = i, strings.TrimRight(text, " \t\r\n")
		default:
			return first, i, heading
		}
	}
	return first, after, heading
}

// trialText returns a trial for a hover: its command, its result, its output.
func trialText(t *state.Trial, markdown bool) string {
	name, result := summary.CommandName(t.Command, t.Cwd), t.Result+", after "+phrase.Took(t.DurationMS)
	if !t.Current {
		result += ", of an earlier text"
	}
	if t.Problem != "" {
		result += ". " + phrase.OneLine(t.Problem)
	}
	output := strings.TrimRight(edits.ExpandTabs(edits.Visible(t.Output), 0), " \n")
	switch {
	case output == "":
		return name + ": " + result
	case !markdown:
		return name + ": " + result + "\n\n" + output
	}
	marks := fence.Around(output)
	return name + ": " + escapeMarkdown(result) + "\n\n" + marks + "\n" + output + "\n" + marks
}
