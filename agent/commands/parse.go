package commands

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"redline/edits"
)

// The parser recurses into nested parts, and for each part of a pipe. So its input is
// bounded: maxLine in bytes, and maxOpened in characters that can begin a nested part.
const (
	maxLine   = 32 << 10
	maxOpened = 1000
)

// openers are the characters that begin a nested part, or join parts that then nest.
const openers = "({[`$<>|&!"

// tooMuch returns why a line is too much for the parser, as a part of a sentence, or "".
func tooMuch(line string) string {
	if len(line) > maxLine {
		return fmt.Sprintf("it is longer than %d KiB", maxLine>>10)
	}
	opened := 0
	for i := range len(line) {
		if strings.IndexByte(openers, line[i]) >= 0 {
			opened++
		}
	}
	if opened > maxOpened {
		return "it is nested too deeply"
	}
	return ""
}

// hidden describes which characters of a line hide what it looks like, or make another shell
// read it differently, as a part of a sentence; "" for none.
func hidden(line string) string {
	switch {
	case !utf8.ValidString(line):
		return "it has bytes that are not UTF-8"
	case edits.VisibleCommand(line) != line:
		return "it has characters that are not visible"
	}
	return ""
}

// parse parses a line as a POSIX shell does, with its comments.
func parse(line string) (*syntax.File, error) { return parseAs(syntax.LangPOSIX, line) }

func parseAs(lang syntax.LangVariant, line string) (file *syntax.File, err error) {
	if why := tooMuch(line); why != "" {
		return nil, errors.New(why)
	}
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("the parser failed: %v", p)
		}
	}()
	return syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
}

// literal returns a word as the program gets it, or why it is known only when the shell runs
// it. A word that only Bash would expand is not literal either, since sh is Bash on some
// systems.
func literal(w *syntax.Word) (text, why string) {
	text, why = literalText(w)
	if why == "" && strings.ContainsFunc(text, unicode.IsControl) {
		return "", "it has control characters"
	}
	return text, why
}

// literalText does what literal does, for a word that may have line ends.
func literalText(w *syntax.Word) (text, why string) {
	var b strings.Builder
	for i, part := range w.Parts {
		text, why := literalPart(part, i == 0)
		if why != "" {
			return b.String(), why
		}
		b.WriteString(text)
	}
	return b.String(), ""
}

// literalPart does what literal does, for a part of a word.
func literalPart(part syntax.WordPart, first bool) (text, why string) {
	switch p := part.(type) {
	case *syntax.Lit:
		if text, ok := unquoted(p.Value, first); ok {
			return text, ""
		}
		return "", "it has a pattern, or something else that the shell expands"
	case *syntax.SglQuoted:
		if !p.Dollar {
			return p.Value, ""
		}
		return "", "it has a kind of quotes that not every shell knows"
	case *syntax.DblQuoted:
		if p.Dollar {
			return "", "it has a kind of quotes that not every shell knows"
		}
		var b strings.Builder
		for _, inner := range p.Parts {
			lit, ok := inner.(*syntax.Lit)
			if !ok {
				return "", "it has a substitution"
			}
			plain, ok := inDoubleQuotes(lit.Value)
			if !ok {
				return "", "it has a substitution"
			}
			b.WriteString(plain)
		}
		return b.String(), ""
	}
	return "", "it has a substitution"
}

// unquoted returns text that has no quotes around it, with its backslashes removed. ok is
// false if a shell could expand or split it.
func unquoted(text string, first bool) (plain string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || text[i] <= ' ' && text[i] != ' ' || text[i] >= utf8.RuneSelf {
				return "", false
			}
			b.WriteByte(text[i])
		case strings.IndexByte("*?[]{}$`!", c) >= 0, c == '~' && (first && i == 0 || i > 0 && (text[i-1] == ':' || text[i-1] == '=')):
			return "", false
		case c == 0x85 || c == 0xa0: // spaces to the bash of macOS, which examines bytes
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// inDoubleQuotes does what unquoted does, for text in double quotes.
func inDoubleQuotes(text string) (plain string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n', c == '$', c == '`':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}
