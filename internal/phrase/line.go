package phrase

import "strings"

// OneLine returns text with each run of white space replaced by one space, and without
// white space at its ends.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// JoinAt returns text with each run of the characters in breaks replaced by one space,
// and without such characters at its ends: JoinAt(text, "\r\n") joins lines and keeps
// other white space.
func JoinAt(text, breaks string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(breaks, r) }), " ")
}

// FirstLine returns the first line of text that is not blank, clipped to limit
// characters. The result is valid UTF-8.
func FirstLine(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return Clip(string([]rune(strings.TrimSpace(line))), limit)
}

// Indent returns text with each line indented by four spaces and ended by a line feed.
// In Markdown no line of it can then begin a heading or end a fence.
func Indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\n", "\n    ") + "\n"
}
