package linetext

import (
	"strings"
	"unicode/utf8"
)

// Parts are the parts of a line without its line end: its indentation, its body and the
// spaces at its end. A blank line is all tail.
type Parts struct{ Indent, Body, Tail string }

// String returns the line.
func (p Parts) String() string { return p.Indent + p.Body + p.Tail }

// PartsOf returns the parts of a line.
func PartsOf(line string) Parts {
	s := strings.TrimRightFunc(line, IsBlank)
	tail := line[len(s):]
	body := strings.TrimLeftFunc(s, IsBlank)
	return Parts{s[:len(s)-len(body)], body, tail}
}

// IsBlank reports whether r is a tab, a space, or looks like a space.
func IsBlank(r rune) bool {
	return r == ' ' || r == '\t' || r >= utf8.RuneSelf && Plain(string(r)) == " "
}

// Content returns a line without its line end.
func Content(line string) string { return line[:len(line)-len(End(line))] }

// Contents returns the lines without their line ends.
func Contents(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = Content(line)
	}
	return out
}

// CommonIndent returns the indentation that all lines share. Blank lines do not count.
func CommonIndent(lines []string) string {
	common, any := "", false
	for _, line := range lines {
		p := PartsOf(line)
		if p.Body == "" {
			continue
		}
		indent := Plain(p.Indent)
		if !any {
			common, any = indent, true
		}
		common = common[:CommonPrefix(common, indent)]
	}
	return common
}

// DifferInIndent reports whether the lines differ in their indentation only.
func DifferInIndent(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	differ := false
	for i := range a {
		x, y := PartsOf(a[i]), PartsOf(b[i])
		if x.Body != y.Body {
			return false
		}
		differ = differ || x.Indent != y.Indent
	}
	return differ
}

// TrimBlanks returns s without the spaces and tabs at its end.
func TrimBlanks(s string) string {
	n := len(s)
	for n > 0 && (s[n-1] == ' ' || s[n-1] == '\t') {
		n--
	}
	return s[:n]
}

// IndentOf returns the spaces and tabs at the start of a line.
func IndentOf(line string) string {
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	return line[:n]
}

// TrimSpace is strings.TrimSpace, but faster for most lines.
func TrimSpace(line string) string {
	from, to := 0, len(line)
	for from < to && (line[from] == ' ' || line[from] == '\t') {
		from++
	}
	for to > from && (line[to-1] == '\n' || line[to-1] == '\r' || line[to-1] == ' ' || line[to-1] == '\t') {
		to--
	}
	if line = line[from:to]; line != "" && (line[0] >= 0x80 || line[0] < ' ' || line[len(line)-1] >= 0x80 || line[len(line)-1] < ' ') {
		return strings.TrimSpace(line)
	}
	return line
}
