// Package syntax tells whether the text that an edit leaves still parses, as Go, JSON, TOML, XML
// or YAML. It is meant for texts of a plan: it says nothing about a file that did not parse
// before the edit, and nothing where it cannot be sure, as in a template.
//
// It is a pure function of texts. The parsers are those of the standard library and of well-kept
// libraries; their input is limited, since a text can be hostile.

package draft

import (
	"strconv"
	"strings"

	"redline/edits"
	"redline/internal/phrase"
)

// Limits of what is checked and reported, in bytes.
const (
	maxText    = 1 << 20 // longer texts are not checked
	maxProblem = 200     // of a problem
)

// language is a kind of file that can be checked.
type language struct {
	// parse returns the first problem of a text, the zero problem if it parses. A problem
	// without a message means that the text cannot be judged.
	parse func(text string) problem

	// template reports whether a text that does not parse may be the template of one that does.
	template func(text string) bool
}

// problem says why a text does not parse.
type problem struct {
	found   bool
	line    int    // from 1; 0 if it is not known
	message string // without the line; "" if it is not known whether the text is wrong
}

// wrong returns a problem.
func wrong(line int, message string) problem {
	return problem{found: true, line: line, message: message}
}

// unknown is the result for a text that cannot be judged: for instance, it is too deeply nested.
var unknown = problem{found: true}

// Check returns why the text after does not parse, in one line without the file's name ("line 12:
// expected ';', found 'else'"), or "" if it parses or that is not known. The kind of file follows
// from path, the file's path after the edit, with slashes. before is the text that the edit began
// with, "" for a new file: after an edit of a text that did not parse, Check returns "".
func Check(path, before, after string) string {
	if len(before) > maxText || len(after) > maxText || before == after || blank(before) && blank(after) {
		return ""
	}
	before, _ = edits.CutBOM(before)
	after, _ = edits.CutBOM(after)
	lang, ok := languageOf(path, before, after)
	if !ok {
		return ""
	}
	now := contained(lang.parse, after)
	if now.message == "" || lang.template(after) {
		return ""
	}
	if blank(before) {
		if deliberate(path) {
			return ""
		}
	} else if contained(lang.parse, before).found {
		return ""
	}
	return now.String()
}

// contained returns parse(text), and unknown if the parser panics, since then the parser is
// probably wrong.
func contained(parse func(string) problem, text string) (p problem) {
	defer func() {
		if recover() != nil {
			p = unknown
		}
	}()
	return parse(text)
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// String returns the problem in one line.
func (p problem) String() string {
	text := phrase.ClipBytes(edits.Visible(phrase.OneLine(strings.ToValidUTF8(p.message, "\ufffd"))), maxProblem)
	if p.line > 0 {
		text = "line " + strconv.Itoa(p.line) + ": " + text
	}
	return text
}
