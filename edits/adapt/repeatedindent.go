package adapt

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// RepeatedIndent returns the indentation that a line would get twice: old starts after
// the indentation of its line, and new starts with it. It returns "" if that may be
// intended: if only the indentation changes, if the lines below become deeper too, or
// if the places are not all indented so.
func RepeatedIndent(text string, places []edits.Span, old, new string) string {
	if old == "" || new == "" || !blankByte(new[0]) || blankByte(old[0]) {
		return ""
	}
	indent := indentBefore(text, places[0].Start)
	for _, p := range places[1:] {
		if indentBefore(text, p.Start) != indent {
			return ""
		}
	}
	first := linetext.PartsOf(linetext.Content(linetext.Split(new)[0]))
	if indent == "" || first.Indent != indent || first.Body == "" {
		return ""
	}
	was, now := linetext.Contents(linetext.Split(old)), linetext.Contents(linetext.Split(new))
	if linetext.DifferInIndent(was, now) {
		return ""
	}
	m := newIndentLines(was, was, now)
	for j, i := range m.pairs(func(i, j int) bool { return m.now[j] == m.was[i] }) {
		if i > 0 && m.nowBodies[j] == m.wasBodies[i] && m.now[j] != m.was[i] {
			return ""
		}
	}
	if len(m.now) == 1 || opens(first.Body) {
		return indent
	}
	for _, below := range m.now[1:] {
		if len(below) <= len(indent) {
			return indent
		}
	}
	return ""
}

// blankByte reports whether b is a space or a tab.
func blankByte(b byte) bool { return b == ' ' || b == '\t' }

// indentBefore returns the spaces and tabs between the start of a line and the offset,
// or "" if there is anything else.
func indentBefore(text string, offset int) string {
	start := len(linetext.TrimBlanks(text[:offset]))
	if !linetext.IsStart(text, start) {
		return ""
	}
	return strings.TrimPrefix(text[start:offset], edits.BOM)
}
