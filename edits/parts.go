package edits

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// parts are the parts of a line without its line end: the blanks it starts
// with, what is between, and the blanks it ends with. A blank line is all tail.
type parts struct{ indent, body, tail string }

// String returns the line.
func (p parts) String() string { return p.indent + p.body + p.tail }

// partsOf returns the parts of a line.
func partsOf(line string) parts {
	s := strings.TrimRightFunc(line, isBlank)
	tail := line[len(s):]
	body := strings.TrimLeftFunc(s, isBlank)
	return parts{s[:len(s)-len(body)], body, tail}
}

// isBlank reports whether r is a tab or a space, of ASCII or that looks like it.
func isBlank(r rune) bool {
	return r == ' ' || r == '\t' || r >= utf8.RuneSelf && plain(string(r)) == " "
}

// content returns a line without its line end.
func content(line string) string { return line[:len(line)-len(lineEnd(line))] }

// contents returns the lines without their line ends.
func contents(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = content(line)
	}
	return out
}

// commonIndent returns the indentation that all lines have that are not blank.
func commonIndent(lines []string) string {
	common, any := "", false
	for _, line := range lines {
		p := partsOf(line)
		if p.body == "" {
			continue
		}
		indent := plain(p.indent)
		if !any {
			common, any = indent, true
		}
		common = common[:commonPrefix(common, indent)]
	}
	return common
}

// differInIndent reports whether the lines differ in their indentation, and in
// nothing else.
func differInIndent(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	differ := false
	for i := range a {
		x, y := partsOf(a[i]), partsOf(b[i])
		if x.body != y.body {
			return false
		}
		differ = differ || x.indent != y.indent
	}
	return differ
}

// words returns s in pieces: runs of letters and digits, and every other
// character by itself. Texts that differ in look-alikes have as many.
func words(s string) []string {
	var out []string
	start, inWord := 0, false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		_, _, width := plainRune(s[i:])
		word := width == size && isWord(r)
		if i > 0 && !(word && inWord) {
			out = append(out, s[start:i])
			start = i
		}
		inWord = word
		i += size
	}
	if s != "" {
		out = append(out, s[start:])
	}
	return out
}

// isWord reports whether r can be part of a word.
func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
