package chat

import (
	"strconv"
	"strings"

	"redline/edits"
	"redline/internal/fence"
	"redline/internal/lazyregexp"
	"redline/internal/modeline"
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

// Typed reports whether the first line of the last request (see [LastRequest]) was typed since
// the chat file was opened with the text opened. Only then do commands that decide count, since
// a repository can contain a chat file. Changes of line ends, and of spaces at the end of a
// line, do not count as typing.
func Typed(opened, now string) bool {
	opened, now = trimmedLines(opened), trimmedLines(now)
	last, ok := lastSection(now)
	if !ok {
		return false
	}
	body := now[last.Body.Start:last.Body.End]
	start := last.Body.End - len(strings.TrimLeft(body, " \t\n"))
	l := edits.NewLines(now)
	line := l.Line(l.LineOf(start))
	for _, h := range edits.Diff(opened, now) {
		if h.New.Start < line.End && line.Start < h.New.End {
			return true
		}
	}
	return false
}

// trimmedLines returns text with "\n" at the end of every line and no spaces before it.
func trimmedLines(text string) string {
	lines := splitLines(text)
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Join(lines, "\n") + "\n"
}

// Link is a place in a text that may be a link: to a plan, to one of Redline's own pages, or
// to a file if one of that name exists.
type Link struct {
	Span edits.Span // the text to underline
	Plan int        // the number of a plan, 0 for none
	Page string     // the name of a preview among Redline's own files, "" for none
	Path string     // possibly the path of a file, "" for none
}

var (
	pageForm = lazyregexp.New(`plans/[0-9]{4,9}-r[1-9][0-9]{0,8}\.md`)
	planForm = lazyregexp.New(`(?i)\bplan ([1-9][0-9]{0,8})\b`)
	pathForm = lazyregexp.New("`([^`\\s]+)`|(?:^|[\\s(\\[{,;:])@(?:\"([^\"\r\n]+)\"|([^\\s\"'“”‘’`<>()\\[\\]{},;|*@]*[^\\s\"'“”‘’`<>()\\[\\]{},;|*@.:!?]))")
)

// Links returns the places in a text that may be links: at most limit of each kind, sorted by
// kind.
func Links(text string, limit int) []Link {
	var links []Link
	for _, at := range pageForm().FindAllStringIndex(text, limit) {
		links = append(links, Link{Span: edits.Span{Start: at[0], End: at[1]}, Page: text[at[0]:at[1]]})
	}
	for _, at := range planForm().FindAllStringSubmatchIndex(text, limit) {
		n, _ := strconv.Atoi(text[at[2]:at[3]]) // at most nine digits
		links = append(links, Link{Span: edits.Span{Start: at[0], End: at[1]}, Plan: n})
	}
	for _, at := range pathForm().FindAllStringSubmatchIndex(text, limit) {
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 {
				links = append(links, Link{Span: edits.Span{Start: at[group], End: at[group+1]}, Path: text[at[group]:at[group+1]]})
			}
		}
	}
	return links
}
