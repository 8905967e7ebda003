package workspace

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// linesBefore returns up to n lines before the line that begins at start.
func linesBefore(data []byte, start, n int) []string {
	var lines []string
	for ; n > 0 && start > 0; n-- {
		end := start - 1 // of the line before, without its line end
		start = bytes.LastIndexByte(data[:end], '\n') + 1
		lines = append(lines, excerpt(bytes.TrimSuffix(data[start:end], []byte{'\r'}), 0))
	}
	slices.Reverse(lines)
	return lines
}

// linesAfter returns up to n lines after the line whose text ends at end.
func linesAfter(data []byte, end, n int) []string {
	var lines []string
	for ; n > 0; n-- {
		i := bytes.IndexByte(data[end:], '\n')
		if i < 0 || end+i+1 == len(data) {
			break
		}
		start := end + i + 1
		if end = len(data); bytes.IndexByte(data[start:], '\n') >= 0 {
			end = start + bytes.IndexByte(data[start:], '\n')
		}
		lines = append(lines, excerpt(bytes.TrimSuffix(data[start:end], []byte{'\r'}), 0))
	}
	return lines
}

// maxLine is the length limit of a hit's text, in bytes.
const maxLine = 400

// excerpt returns line, or the part of a long one around at, with dots where it was cut.
// The result is valid UTF-8.
func excerpt(line []byte, at int) string {
	if len(line) <= maxLine {
		return strings.ToValidUTF8(string(line), "\ufffd")
	}
	start := 0
	if at > maxLine*3/4 {
		start = at - maxLine/4
	}
	end := min(start+maxLine, len(line))
	for start > 0 && start < len(line) && !utf8.RuneStart(line[start]) {
		start++
	}
	for end < len(line) && end > start && !utf8.RuneStart(line[end]) {
		end--
	}
	text := strings.ToValidUTF8(string(line[start:end]), "\ufffd")
	if start > 0 {
		text = "…" + text
	}
	if end < len(line) {
		text += "…"
	}
	return text
}
