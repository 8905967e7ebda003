// Package linetext analyses lines of text for the packages under edits: line ends,
// indentation, words, common parts and look-alike characters. It works only on strings.
package linetext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IndexEnd returns the index of the first byte of s that ends a line, or -1.
func IndexEnd(s string) int {
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '\r' {
			return i
		}
	}
	return -1
}

// IsStart reports whether a line of text starts at the offset.
func IsStart(text string, offset int) bool {
	if offset == 0 {
		return true
	}
	switch text[offset-1] {
	case '\n':
		return true
	case '\r':
		return offset == len(text) || text[offset] != '\n'
	}
	return false
}

// IsBound reports whether whole lines end at the offset: a line starts there, or the
// text ends.
func IsBound(text string, offset int) bool {
	return offset == len(text) || IsStart(text, offset)
}

// End returns the line end of a line, or "".
func End(line string) string {
	switch {
	case strings.HasSuffix(line, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(line, "\n"), strings.HasSuffix(line, "\r"):
		return line[len(line)-1:]
	}
	return ""
}

// EndAt returns the line end that starts at the offset.
func EndAt(text string, offset int) string {
	if strings.HasPrefix(text[offset:], "\r\n") {
		return text[offset : offset+2]
	}
	return text[offset : offset+1]
}

// Split returns the lines of text, each with its line end. There is no empty line at
// the end, and none in "".
func Split(text string) []string {
	lines := slices.Grow([]string(nil), len(text)/32+1)
	for text != "" {
		end := len(text)
		if i := IndexEnd(text); i >= 0 {
			end = i + 1
			if text[i] == '\r' && end < len(text) && text[end] == '\n' {
				end++
			}
		}
		lines = append(lines, text[:end])
		text = text[end:]
	}
	return lines
}

// HasLoneCR reports whether a line of text ends with a lone "\r".
func HasLoneCR(text string) bool {
	return strings.Count(text, "\r") > strings.Count(text, "\r\n")
}

// FoldEnds returns text with "\n" for each line end.
func FoldEnds(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// BOM is the byte order mark.
const BOM = "\uFEFF"

// WithoutBOM returns text without the byte order mark at its start, if any.
func WithoutBOM(text string) string { return strings.TrimPrefix(text, BOM) }

// AtBOM reports whether the offset is right after a byte order mark at the
// start of text.
func AtBOM(text string, offset int) bool {
	return offset == len(BOM) && strings.HasPrefix(text, BOM)
}

// Indents returns the indentations of the lines that are not blank.
func Indents(lines []string) []string {
	var out []string
	for _, line := range lines {
		if TrimBlanks(line) != "" {
			out = append(out, IndentOf(line))
		}
	}
	return out
}

// SeveralDepths reports whether not all indentations are the same.
func SeveralDepths(indents []string) bool {
	return slices.ContainsFunc(indents, func(indent string) bool { return indent != indents[0] })
}

// stride is how many bytes are compared at once.
const stride = 1 << 10

// CommonPrefix returns how many bytes a and b share at their start. It counts whole
// characters and line ends only.
func CommonPrefix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[n:n+stride] == b[n:n+stride] {
		n += stride
	}
	for n < most && a[n] == b[n] {
		n++
	}
	for n > 0 && (Divides(a, n) || Divides(b, n)) {
		n--
	}
	return n
}

// CommonSuffix is CommonPrefix for the ends of a and b.
func CommonSuffix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[len(a)-n-stride:len(a)-n] == b[len(b)-n-stride:len(b)-n] {
		n += stride
	}
	for n < most && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	for n > 0 && (Divides(a, len(a)-n) || Divides(b, len(b)-n)) {
		n--
	}
	return n
}

// Divides reports whether the offset is inside a character or a "\r\n" of s.
func Divides(s string, offset int) bool {
	if offset == 0 || offset == len(s) {
		return false
	}
	if s[offset] == '\n' {
		return s[offset-1] == '\r'
	}
	return !utf8.RuneStart(s[offset]) && RuneStart(s, offset) != offset
}

// RuneStart returns the start of the character that offset is inside of, or offset.
func RuneStart(s string, offset int) int {
	for i := offset - 1; i >= 0 && offset-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if _, width := utf8.DecodeRuneInString(s[i:]); i+width > offset {
				return i
			}
			break
		}
	}
	return offset
}

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

// SameButRuns reports whether two lines differ only in runs of spaces and tabs that both
// have in the same places, and may wherever they do: may takes the offset of a run in b.
func SameButRuns(a, b string, may func(at int) bool) bool {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := IndentOf(a[i:]), IndentOf(b[j:])
		switch {
		case x == "" && y == "":
			if a[i] != b[j] {
				return false
			}
			i, j = i+1, j+1
			continue
		case x == "" || y == "" || x != y && !may(j):
			return false
		}
		i, j = i+len(x), j+len(y)
	}
	return i == len(a) && j == len(b)
}
