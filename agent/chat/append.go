package chat

import (
	"strings"

	"redline/edits"
	"redline/internal/fence"
	"redline/internal/lazyregexp"
	"redline/internal/modeline"
)

// Append returns the edit that adds a section of who to a chat file, followed by an empty
// section for the user. If the user already has an empty section, it stays at the end. Nothing
// in the reply can pass for a section.
func Append(text, who, reply string) edits.Edit {
	section := "## " + who + "\n\n" + contained(reply) + "\n\n"
	if last, ok := lastSection(text); ok && last.Who == You && isBlank(text, last.Body) {
		at := edits.Span{Start: last.Span.Start, End: last.Span.Start}
		return edits.Edit{Span: at, New: withEnds(section, text)}
	}
	return atEnd(text, section+"## "+You+"\n\n")
}

// Reply returns an answer with a note below it. It closes a code fence that the answer leaves
// open. Either may be "".
func Reply(answer, note string) string {
	answer = strings.TrimSpace(answer)
	if _, open := scan(answer); open.Marks != "" {
		answer += "\n" + open.Marks
	}
	return strings.TrimSpace(answer + "\n\n" + note)
}

// Prepare returns the edit that puts body into the user's empty section at the end of a chat
// file, or into a new section. Nothing in body can pass for a section. If body starts with a
// command, the caller must ensure that the user has written it, not a file.
func Prepare(text, body string) edits.Edit {
	body = contained(body) + "\n"
	if last, ok := lastSection(text); ok && last.Who == You && isBlank(text, last.Body) {
		body = "\n" + body
		if !endsLine(text[:last.Body.Start]) {
			body = "\n" + body
		}
		return edits.Edit{Span: last.Body, New: withEnds(body, text)}
	}
	return atEnd(text, "## "+You+"\n\n"+body)
}

// atEnd returns the edit that adds a section at the end, with an empty line before it.
func atEnd(text, section string) edits.Edit {
	lines := splitLines(text)
	n := len(lines)
	lead := ""
	if lines[n-1] != "" {
		lead = "\n"
	}
	if _, open := scan(text); open.Marks != "" {
		// the user did not close a fence, so the section would be inside it
		lead += open.Marks + "\n"
	}
	if lead != "" || n > 1 && strings.TrimSpace(lines[n-2]) != "" {
		lead += "\n"
	}
	return edits.Edit{Span: edits.Span{Start: len(text), End: len(text)}, New: withEnds(lead+section, text)}
}

// withEnds converts the line ends "
// " of s to those of the first line of text.
func withEnds(s, text string) string {
	l := edits.NewLines(text)
	if end := text[l.Content(0).End:l.Line(0).End]; end != "" && end != "\n" {
		return strings.ReplaceAll(s, "\n", end)
	}
	return s
}

func isBlank(text string, s edits.Span) bool {
	return strings.TrimSpace(text[s.Start:s.End]) == ""
}

var (
	// topHeading is a heading of the two levels that the chat file uses.
	topHeading = lazyregexp.New(`^( {0,3})(#{1,2})([ \t]|$)`)
	// underline matches a line that makes the line above it a heading.
	underline = lazyregexp.New(`^( {0,3})(=+|-+)[ \t]*$`)
	// markup matches the beginning of an HTML block, which may hide what follows it.
	markup = lazyregexp.New(`^( {0,3})<`)
)

// contained converts someone else's Markdown so that it stays inside its section: its headings
// begin at the third level, its fences are closed, and it hides nothing that follows. Nor does it
// set options of the editor: what follows it in the file is too short to keep it out of the last
// lines. Its lines
// end with "
// "; it neither begins nor ends with one.
func contained(md string) string {
	lines := splitLines(strings.Trim(md, "\r\n"))
	var f fence.Reader
	previous := ""
	for i, line := range lines {
		without := modeline.BreakLocals
		if i >= len(lines)-modeline.Lines {
			without = modeline.Break
		}
		if f.Next(fence.Body(line)) {
			if speaker(line) != "" {
				line = " " + line // in case the fence above it was removed
			}
			line = without(line, " :")
			previous = ""
		} else {
			outside := line
			line = topHeading().ReplaceAllString(line, `$1\$2$3`)
			if strings.TrimSpace(previous) != "" {
				line = underline().ReplaceAllString(line, `$1\$2`)
			}
			line = markup().ReplaceAllString(line, `$1\<`)
			line = strings.ReplaceAll(line, "<!--", `<\!--`)
			line = without(line, `\:`)
			previous = outside
		}
		lines[i] = line
	}
	if f.Marks != "" {
		lines = append(lines, f.Marks)
	}
	return strings.Join(lines, "\n")
}
