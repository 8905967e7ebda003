package commands

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

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
