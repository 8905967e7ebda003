package linetext

import (
	"slices"
	"strings"
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
