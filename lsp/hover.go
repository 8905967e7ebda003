package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/lsp/diagnostics"
	"redline/lsp/position"
	"redline/lsp/summary"
	"redline/lsp/window"
	"redline/lsp/wire"
)

// maxHover is how many hunks one hover shows.
const maxHover = 3

// hover shows the diff of each undecided hunk under the cursor (LSP 3.18, "Hover Request"), or in a
// preview what was tried on its plan. It answers null if there is neither.
func (s *session) hover(_ context.Context, p *positionParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{Start: p.Position, End: p.Position})
	markdown := s.client.markdown
	return func(context.Context) (any, error) {
		parts, where := hunksAt(at, markdown)
		if len(parts) == 0 {
			text, section, ok := s.triedAt(at, markdown)
			if !ok {
				return nil, nil
			}
			parts, where = []string{text}, section
		}
		kind, between := protocol.MarkupKindPlainText, "\n\n"
		if markdown {
			kind, between = protocol.MarkupKindMarkdown, "\n\n---\n\n"
		}
		return &protocol.Hover{
			Contents: &protocol.MarkupContent{Kind: kind, Value: strings.Join(parts, between)},
			Range:    &where,
		}, nil
	}, nil
}

// hunksAt returns the text of each undecided hunk at a location, and the range of the first.
func hunksAt(at position.Location, markdown bool) (parts []string, where protocol.Range) {
	for p, f := range at.Files {
		for i, h := range at.Hunks(f, view.Hunk.Undecided) {
			switch len(parts) {
			case maxHover:
				return parts, where
			case 0:
				where = at.Range(f.Live, h.Span)
			}
			parts = append(parts, hunkText(p, f, i, h, markdown))
		}
	}
	return parts, where
}

// hunkText returns a hunk for a hover: its name, the plan's goal, the diff.
func hunkText(p *view.Plan, f *view.File, i int, h view.Hunk, markdown bool) string {
	head := "Redline " + diagnostics.ChangeName(p, f, i) + ": " + diagnostics.Summary(f, h)
	if h.Match != "" {
		head += " (match: " + h.Match + ")"
	}
	goal, _ := window.Excerpt(p.Plan.Goal)
	goal = edits.Visible(goal)
	if h.Reason != "" {
		goal += fmt.Sprintf("\n\n%s: %s", h.Status, h.Reason)
	}
	if why := f.Unparsed(); why != "" {
		goal += "\n\nAs proposed, the file does not parse: " + edits.Visible(why)
	}
	diff := edits.ExpandTabs(edits.Visible(edits.UnifiedHunk(edits.Hunk{
		Old: h.Old, New: h.New, OldText: h.OldText, NewText: h.NewText, Added: h.Added, Removed: h.Removed,
	}, f.Base, 2)), len("+"))
	if !markdown {
		return head + "\n" + goal + "\n\n" + diff
	}
	marks := fence.Around(diff)
	return "**" + head + "**\n\n" + escapeMarkdown(goal) + "\n\n" + marks + "diff\n" + strings.TrimSuffix(diff, "\n") + "\n" + marks
}

// escapeMarkdown escapes text so that Markdown shows it unchanged: without formatting, HTML,
// pictures and links, including those that clients make of bare addresses.
func escapeMarkdown(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimLeft(line, " \t") // four would be a block of code
		digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
		number, rest := line[:digits], markdownEscapes.Replace(line[digits:])
		if rest != "" && strings.Contains("-+=", rest[:1]) || digits > 0 && rest != "" && strings.Contains(".)", rest[:1]) {
			rest = `\` + rest // a list, a heading or a rule
		}
		lines[i] = number + rest
	}
	return strings.Join(lines, "\n")
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`, ">", `\>`, "#", `\#`, "&", `\&`, "~", `\~`, "|", `\|`,
	"://", `:\//`, "www.", `www\.`, "@", `\@`,
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
