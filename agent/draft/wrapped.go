package draft

import (
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
func bare(path, base, content string) (text, note string) {
	if inside, ok := fenced(content); ok && placeholder.IsCode(path) && !strings.HasPrefix(base, content[:3]) {
		return inside, noteFence
	}
	if text, ok := match.WithoutNumbers(base, content); ok {
		return text, noteNumbers
	}
	return content, ""
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
