package rules

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// literal returns a word as the program gets it, or why that is known only when
// the shell runs it. Bash, which is sh on some systems, expands more than others:
// what it would is not literal either.
func literal(w *syntax.Word) (text, why string) {
	var b strings.Builder
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			plain, ok := unquoted(p.Value, i == 0)
			if !ok {
				return "", "it has a pattern, or something else that the shell expands"
			}
			b.WriteString(plain)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", "it has a kind of quotes that not every shell knows"
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar {
				return "", "it has a kind of quotes that not every shell knows"
			}
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
		default:
			return "", "it has a substitution"
		}
	}
	if strings.ContainsFunc(b.String(), unicode.IsControl) {
		return "", "it has control characters"
	}
	return b.String(), ""
}

// unquoted returns text without quotes around it, less its backslashes. ok is
// false if the shell would expand something in it.
func unquoted(text string, first bool) (plain string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || text[i] == '\n' {
				return "", false
			}
			b.WriteByte(text[i])
		case strings.IndexByte("*?[]{}$`!", c) >= 0, c == '~' && (first && i == 0 || i > 0 && (text[i-1] == ':' || text[i-1] == '=')):
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// inDoubleQuotes is unquoted for text in double quotes.
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
