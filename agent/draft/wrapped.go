package draft

import (
	"path"
	"slices"
	"strings"

	"redline/edits/match"
	"redline/edits/placeholder"
	"redline/internal/fence"
)

// Notes on what was left out of a whole text.
const (
	noteFence   = "The fence around the text was left out, since it is no part of the code."
	noteNumbers = "The line numbers in front of the lines were left out."
)

// bare returns the whole text of a file without what is around it: in code, the fence that it came in;
// and the numbers that a tool shows in front of lines. base is the text that it replaces, "" for none. note says
// what was left out.
func bare(name, base, content string) (text, note string) {
	if inside, ok := fenced(content); ok && placeholder.IsCode(name) && !strings.HasPrefix(base, content[:3]) {
		return inside, noteFence
	}
	if text, ok := match.WithoutNumbers(base, content); ok && text != base && !isTable(name) { // a table may have numbers of its own
		return text, noteNumbers
	}
	return content, ""
}

// isTable reports whether lines of a file at path may begin with numbers that are its own.
func isTable(name string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".tab", ".psv"}, strings.ToLower(path.Ext(name)))
}

// fenced returns the lines in the fence that a text consists of.
func fenced(content string) (inside string, ok bool) {
	first, rest, _ := strings.Cut(content, "\n")
	marks, _, ok := fence.Open(strings.TrimSuffix(first, "\r"))
	if !ok {
		return "", false
	}
	end := strings.TrimRight(rest, " \t\r\n")
	i := strings.LastIndexByte(end, '\n') + 1
	if !fence.Closes(end[i:], marks) {
		return "", false
	}
	inside = rest[:i]
	for line := range strings.SplitSeq(inside, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), marks) {
			return "", false // a second fence
		}
	}
	return inside, strings.TrimSpace(inside) != ""
}
