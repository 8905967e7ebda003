package chat

import (
	"strings"

	"redline/edits"
	"redline/internal/fence"
)

// FileTemplate is the text of a new chat file.
const FileTemplate = `# Redline

Write below what you want, then run the code action "Redline: send", or end with a line /send and save. /help lists the commands.

## You

`

// The speakers of the chat file.
const (
	You     = "You"
	Redline = "Redline"
)

// Section is what one speaker wrote: a heading "## You" or "## Redline" and all that follows, up
// to the next such heading.
type Section struct {
	Who  string     // You or Redline
	Span edits.Span // from the heading's first byte
	Body edits.Span // from the line after the heading
}

// Sections returns the sections of a chat file, in order. A heading counts only at the very
// start of its line and outside of code fences.
func Sections(text string) []Section {
	sections, _ := scan(text)
	return sections
}

// scan returns the sections of a text and the fence that is open at its end.
func scan(text string) ([]Section, fence.Reader) {
	var sections []Section
	var f fence.Reader
	l := edits.NewLines(text)
	for i := range l.Count() {
		c := l.Content(i)
		line := text[c.Start:c.End]
		if f.Next(fence.Body(line)) {
			continue
		}
		if who := speaker(line); who != "" {
			end := l.Line(i).End
			if n := len(sections); n > 0 {
				sections[n-1].Span.End, sections[n-1].Body.End = c.Start, c.Start
			}
			sections = append(sections, Section{who, edits.Span{Start: c.Start, End: len(text)}, edits.Span{Start: end, End: len(text)}})
		}
	}
	return sections, f
}

// speaker returns the speaker in a heading line, or "".
func speaker(line string) string {
	switch strings.TrimRight(line, " \t") {
	case "## " + You:
		return You
	case "## " + Redline:
		return Redline
	}
	return ""
}

// LastRequest returns the text of the last section if that is the user's, trimmed and without
// a line "/send" at the end. ok is false if the section is empty or has been answered.
func LastRequest(text string) (body string, ok bool) {
	body, _ = lastRequest(text)
	return body, body != ""
}

// Sent reports whether there is a last request that ends with a line "/send".
func Sent(text string) bool {
	body, sent := lastRequest(text)
	return sent && body != ""
}

func lastRequest(text string) (body string, sent bool) {
	last, ok := lastSection(text)
	if !ok || last.Who != You {
		return "", false
	}
	body = strings.TrimSpace(text[last.Body.Start:last.Body.End])
	if line := strings.LastIndexAny(body, "\r\n") + 1; body[line:] == "/send" {
		return strings.TrimSpace(body[:line]), true
	}
	return body, false
}

func lastSection(text string) (Section, bool) {
	sections := Sections(text)
	if len(sections) == 0 {
		return Section{}, false
	}
	return sections[len(sections)-1], true
}

func endsLine(s string) bool { return strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\r") }
