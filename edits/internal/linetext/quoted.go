package linetext

import (
	"strings"

	"redline/internal/lazyregexp"
)

// MayBeQuoted reports whether the offset of a text may be inside a string literal of
// whatever language: after a quotation mark on its line without a second one, in a string
// of several lines, or in a here-document. Where the marks of the text do not come in
// pairs, it may.
func MayBeQuoted(text string, offset int) bool {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	if quotedInLine(text[start:end], offset-start) {
		return true
	}
	for _, mark := range []string{`"`, "`", "'''"} {
		before := marksIn(text[:start], mark)
		if before%2 == 1 || (before+marksIn(text[start:], mark))%2 == 1 && before > 0 {
			return true
		}
	}
	return inHeredoc(text[:start], text[start:])
}

// quotedInLine is MayBeQuoted for a line by itself.
func quotedInLine(line string, offset int) bool {
	open := byte(0)
	for i := 0; i < offset; i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case open == 0 && (c == '"' || c == '\'' || c == '`'):
			open = c
		case c == open:
			open = 0
		}
	}
	if open != 0 {
		return true
	}
	for _, mark := range []string{`"`, "'", "`"} {
		if strings.Contains(line[:offset], mark) && strings.Count(line, mark)%2 == 1 {
			return true
		}
	}
	return false
}

// marksIn counts a mark in a text, but not after a backslash or between two apostrophes.
func marksIn(text, mark string) int {
	n := 0
	for at := 0; ; {
		i := strings.Index(text[at:], mark)
		if i < 0 {
			return n
		}
		i += at
		at = i + len(mark)
		escapes := len(text[:i]) - len(strings.TrimRight(text[:i], `\`))
		if escapes%2 == 0 && !(len(mark) == 1 && strings.HasSuffix(text[:i], "'") && strings.HasPrefix(text[at:], "'")) {
			n++
		}
	}
}

// heredoc matches the start of a text of several lines in a shell, Ruby, PHP or Perl, and the
// word that ends it.
var heredoc = lazyregexp.New(`<<[-~<]?\s?["']?([A-Za-z_]\w*)`)

// inHeredoc reports whether a here-document is open at the end of before.
func inHeredoc(before, after string) bool {
	if !strings.Contains(before, "<<") {
		return false
	}
	for _, m := range heredoc().FindAllStringSubmatchIndex(before, -1) {
		if word := before[m[2]:m[3]]; !hasLine(before[m[1]:], word) && hasLine(after, word) {
			return true
		}
	}
	return false
}

// hasLine reports whether a line of text is the word, apart from spaces and a semicolon.
func hasLine(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		at = i + len(word)
		start := strings.LastIndexByte(text[:i], '\n') + 1
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if strings.Trim(text[start:end], " \t\r;") == word {
			return true
		}
	}
}
