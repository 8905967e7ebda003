// Package fence reads and writes blocks of code that are fenced in Markdown (CommonMark
// 0.31, Fenced code blocks).
//
// Its functions take a line without its line end. The caller decides how far a fence may be
// indented, by what it trims: three spaces if the text is shown as Markdown, any number if
// a model may have put the fence in a list. Package agent/loop reads a reply that is
// still arriving, since its lines are incomplete; it also drops the marks right before and
// after a plan in JSON, which models do not always put on lines of their own.
package fence

import "strings"

// Open returns the marks that open a fence, three backticks or tildes or more, and
// the info string after them. ok is false if the line opens none: code between
// backticks in a line of prose is no fence. "```go title" opens one with the info string "go title".
func Open(line string) (marks, info string, ok bool) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return "", "", false
	}
	info = strings.TrimLeft(line, line[:1])
	marks = line[:len(line)-len(info)]
	if len(marks) < 3 || marks[0] == '`' && strings.Contains(info, "`") {
		return "", "", false
	}
	return marks, info, true
}

// Closes reports whether the line closes a fence that marks have opened: it has
// at least as many of them, and nothing else but spaces at its end.
func Closes(line, marks string) bool {
	return marks != "" && strings.HasPrefix(line, marks) && strings.Trim(strings.TrimRight(line, " \t\r"), marks[:1]) == ""
}

// Reader follows the fences of a text, line by line.
type Reader struct {
	Marks string // the marks of the open fence, "" outside
}

// Next reads the next line and reports whether it is inside a fence, or begins or ends one.
func (r *Reader) Next(line string) bool {
	if r.Marks == "" {
		r.Marks, _, _ = Open(line)
		return r.Marks != ""
	}
	if Closes(line, r.Marks) {
		r.Marks = ""
	}
	return true
}

// Body returns a line of Markdown without the up to three spaces before it, "" if there are more:
// then it is an indented block of code.
func Body(line string) string {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > 3 {
		return ""
	}
	return body
}

// Unwrap returns the content of the one fence that a reply consists of, else the reply,
// without white space at either end. It is for replies in JSON: models also put the marks,
// or the name of the language, on the lines of the value. It does not change a fence whose
// first line has more words than one language, or only a language.
func Unwrap(reply string) string {
	reply = strings.TrimSpace(reply)
	inner := strings.TrimLeft(reply, "`")
	marks := reply[:len(reply)-len(inner)]
	inner, closed := strings.CutSuffix(inner, marks)
	if len(marks) < 3 || !closed {
		return reply
	}
	if first, rest, ok := strings.Cut(inner, "\n"); ok && !strings.ContainsAny(first, "{[\"") {
		language := strings.TrimSpace(first)
		if strings.ContainsAny(language, " \t") || language != "" && language != "json" && strings.TrimSpace(rest) == "" {
			return reply // words that are not a language: keep all of them
		}
		inner = rest
	}
	if rest, ok := strings.CutPrefix(inner, "json"); ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n{[\"")) {
		inner = rest
	}
	return strings.TrimSpace(inner)
}

// Around returns the marks of a fence that none of the texts can close.
func Around(texts ...string) string {
	longest := 0
	for _, text := range texts {
		run := 0
		for i := range len(text) {
			if run++; text[i] != '`' {
				run = 0
			}
			longest = max(longest, run)
		}
	}
	return strings.Repeat("`", max(3, longest+1))
}
