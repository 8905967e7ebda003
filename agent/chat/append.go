package chat

import (
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// Append returns the edit that adds a section of who to a chat file, and an empty section for
// the user after it. An empty section that the user has already stays at the end. Nothing in
// the reply can pass for a section of its own.
func Append(text, who, reply string) edits.Edit {
	section := "## " + who + "\n\n" + contained(reply) + "\n\n"
	if last, ok := lastSection(text); ok && last.Who == You && isBlank(text, last.Body) {
		at := edits.Span{Start: last.Span.Start, End: last.Span.Start}
		return edits.Edit{Span: at, New: withEnds(section, text)}
	}
	return atEnd(text, section+"## "+You+"\n\n")
}

// Reply returns an answer with a note below it. It closes a code fence that the answer leaves
// open. Either may be empty.
func Reply(answer, note string) string {
	answer = strings.TrimSpace(answer)
	if _, open := scan(answer); open.marks != "" {
		answer += "\n" + open.marks
	}
	return strings.TrimSpace(answer + "\n\n" + note)
}

// Prepare returns the edit that puts body into the user's empty section at the end of a chat
// file, or into a new one. Nothing in body can pass for a section of its own. If body starts
// with a command, the caller makes sure that it is the user's and not from a file.
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
	if _, open := scan(text); open.marks != "" {
		// The user forgot to close a fence: the section would be inside it.
		lead += open.marks + "\n"
	}
	if lead != "" || n > 1 && strings.TrimSpace(lines[n-2]) != "" {
		lead += "\n"
	}
	return edits.Edit{Span: edits.Span{Start: len(text), End: len(text)}, New: withEnds(lead+section, text)}
}

// withEnds returns s, whose lines end with "\n", with the line ends of text:
// those of its first line.
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
	// underline makes the line above it a heading.
	underline = lazyregexp.New(`^( {0,3})(=+|-+)[ \t]*$`)
	// markup begins a block of HTML, which may hide what follows it.
	markup = lazyregexp.New(`^( {0,3})<`)
)

// contained returns Markdown of somebody else in a form that stays inside its section: its
// headings begin at the third level, its fences are closed, and it hides nothing that
// follows. Its lines end with "\n"; it neither begins nor ends with one.
func contained(md string) string {
	lines := splitLines(strings.Trim(md, "\r\n"))
	var f fences
	previous := ""
	for i, line := range lines {
		if f.next(line) {
			if speaker(line) != "" {
				line = " " + line // in case the fence above it is removed
			}
			previous = ""
		} else {
			outside := line
			line = topHeading().ReplaceAllString(line, `$1\$2$3`)
			if strings.TrimSpace(previous) != "" {
				line = underline().ReplaceAllString(line, `$1\$2`)
			}
			line = markup().ReplaceAllString(line, `$1\<`)
			line = strings.ReplaceAll(line, "<!--", `<\!--`)
			previous = outside
		}
		lines[i] = line
	}
	if f.marks != "" {
		lines = append(lines, f.marks)
	}
	return strings.Join(lines, "\n")
}
