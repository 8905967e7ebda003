package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// sentence is an error as it is told to the user. A refusal is one, and may begin
// with the name of a file.
func sentence(err error) string {
	text := err.Error()
	_, whole := err.(*Refusal) //nolint:errorlint // one in another error does not begin it
	if r, size := utf8.DecodeRuneInString(text); size > 0 && !whole {
		text = strings.ToUpper(string(r)) + text[size:]
	}
	if text == "" || !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

func trimDot(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), ".") }

// firstLine returns the first line of a text, cut at limit characters.
func firstLine(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(line))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}

// andList lists names in words: "o1", "o1 and o2", "o1, o2 and o3".
func andList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// nounOf lists names after a noun: "hunk h1", "hunks h1 and h2".
func nounOf(noun string, names []string) string {
	if len(names) > 1 {
		noun += "s"
	}
	return strings.TrimSpace(noun + " " + andList(names))
}

// firstOf returns the first names, at most so many, and instead of the rest how
// many nouns more there are.
func firstOf(names []string, most int, noun string) []string {
	more := len(names) - most
	switch {
	case more <= 0:
		return names
	case more > 1:
		noun += "s"
	}
	return append(slices.Clone(names[:most]), fmt.Sprintf("%d more %s", more, noun))
}

// indentedLines sets text off from what is around it: no line of it can begin a
// heading or end a fence there.
func indentedLines(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\n", "\n    ") + "\n"
}
