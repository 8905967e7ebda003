package chat

import (
	"strings"

	"redline/edits"
)

// Template is what a new chat file holds.
const Template = `# Redline

Write below what you want, then run the code action "Redline: send", or end with a line /send and save. /help lists the commands.

## You

`

// The speakers of the chat file.
const (
	You     = "You"
	Redline = "Redline"
)

// Section is what one of the two said: a heading "## You" or "## Redline" and
// all that follows, up to the next of them. Spans are in bytes of the text.
type Section struct {
	Who  string     // You or Redline
	Span edits.Span // from the heading's first byte
	Body edits.Span // from the line after the heading
}

// Sections returns the sections of a chat file, in order. A heading counts at
// the very start of its line, and not inside a code fence.
func Sections(text string) []Section {
	sections, _ := scan(text)
	return sections
}

// scan returns the sections of a text and the fence that is open at its end.
func scan(text string) ([]Section, fence) {
	var sections []Section
	var f fence
	l := edits.NewLines(text)
	for i := range l.Count() {
		c := l.Content(i)
		line := text[c.Start:c.End]
		if f.next(line) {
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

// speaker returns whose section the heading line begins, or "".
func speaker(line string) string {
	switch strings.TrimRight(line, " \t") {
	case "## " + You:
		return You
	case "## " + Redline:
		return Redline
	}
	return ""
}

// LastRequest returns what the last section, if it is the user's, asks for:
// its text without a line "/send" at the end, trimmed. ok is false if there is
// none, because the section is empty or has been answered.
func LastRequest(text string) (body string, ok bool) {
	body, _ = lastRequest(text)
	return body, body != ""
}

// Sent tells whether there is a last request and it ends with a line "/send".
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

// fence follows the code fences of a Markdown text line by line
// (CommonMark 0.31, Fenced code blocks).
type fence struct {
	char byte // '`' or '~' while a fence is open, else 0
	size int  // how many of them opened it
}

// next takes the next line, without its line end, and tells whether it is
// inside a fence or begins or ends one.
func (f *fence) next(line string) bool {
	char, size, rest := fenceIn(line)
	switch {
	case f.char != 0:
		if char == f.char && size >= f.size && strings.TrimRight(rest, " \t") == "" {
			*f = fence{}
		}
		return true
	case char == 0 || char == '`' && strings.Contains(rest, "`"):
		return false
	}
	*f = fence{char, size}
	return true
}

// closing returns a line that ends the open fence.
func (f *fence) closing() string { return strings.Repeat(string(f.char), f.size) }

// fenceIn returns the fence sign that the line begins with, if any, how often
// it is there, and what follows it.
func fenceIn(line string) (char byte, size int, rest string) {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > 3 || body == "" || body[0] != '`' && body[0] != '~' {
		return 0, 0, ""
	}
	rest = strings.TrimLeft(body, body[:1])
	if size = len(body) - len(rest); size < 3 {
		return 0, 0, ""
	}
	return body[0], size, rest
}
