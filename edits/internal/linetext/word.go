package linetext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// InsideWord reports whether the offset is between two letters, digits or underscores.
func InsideWord(text string, offset int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:offset])
	after, _ := utf8.DecodeRuneInString(text[offset:])
	return IsWord(before) && IsWord(after)
}

// Words returns s in pieces: runs of letters and digits, and each other character by
// itself. Texts that differ in look-alikes have the same number of pieces.
func Words(s string) []string {
	var out []string
	start, inWord := 0, false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		_, _, width := PlainRune(s[i:])
		word := width == size && IsWord(r)
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

// IsWord reports whether r can be part of a word.
func IsWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsASCII reports whether s has ASCII characters only.
func IsASCII(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&0x80 != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Char is one character as a reader sees it, and its form without case.
type Char struct{ Text, Folded string }

// CharsOf returns the characters of s.
func CharsOf(s string) []Char {
	out := make([]Char, 0, len(s))
	for s != "" {
		n := max(norm.NFC.NextBoundaryInString(s, true), 1)
		c := Char{s[:n], strings.ToLower(norm.NFKC.String(s[:n]))}
		if c.Text == "\t" {
			c.Folded = " "
		}
		out, s = append(out, c), s[n:]
	}
	return out
}

// OffsetOf returns the offset of character i in the text of all.
func OffsetOf(chars []Char, i int) int {
	n := 0
	for _, c := range chars[:i] {
		n += len(c.Text)
	}
	return n
}

// Plain replaces each quote, dash and space of Unicode that looks like an ASCII
// character by that character. All of them take more bytes, so a text without any keeps
// its length.
func Plain(text string) string {
	done := 0 // text[:done] is in b
	var b []byte
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		c, size, width := PlainRune(text[i:])
		if width < size {
			if b == nil {
				b = make([]byte, 0, len(text))
			}
			b = append(append(b, text[done:i]...), c)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return string(append(b, text[done:]...))
}

// PlainRune looks at the first character of s, which takes size bytes. If an ASCII
// character c looks like it, width is 1, else width is size.
func PlainRune(s string) (c byte, size, width int) {
	if s[0] < utf8.RuneSelf {
		return s[0], 1, 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r >= 0x2018 && r <= 0x201B, r == 0x2032, r == 0x02BC, r == 0xFF07: // quotes, prime, modifier apostrophe, full width
		return '\'', size, 1
	case r >= 0x201C && r <= 0x201F, r == 0x2033, r == 0xFF02:
		return '"', size, 1
	case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xFE58, r == 0xFE63, r == 0xFF0D: // hyphens, dashes, bar; minus; small and full width
		return '-', size, 1
	case r == 0x00A0, r >= 0x2000 && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000: // spaces that have a width
		return ' ', size, 1
	}
	return 0, size, size
}

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
