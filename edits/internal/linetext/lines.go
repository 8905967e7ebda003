package linetext

import (
	"slices"
	"strings"
	"unicode/utf8"
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
	for _, indent := range indents {
		if indent != indents[0] {
			return true
		}
	}
	return false
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
