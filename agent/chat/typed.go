package chat

import (
	"strings"

	"redline/edits"
)

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
