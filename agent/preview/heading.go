package preview

import (
	"strconv"
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// headingForm matches a file's heading. Nothing else in a preview begins like it.
var headingForm = lazyregexp.New(`^### (.+) \((?:create|update|rename|delete)(` + programWord + `)?, \+[0-9]+ −[0-9]+\)$`)

const arrow = " → "

// programWord is in the heading of a new file that is executable.
const programWord = ", executable"

// Heading is a line of a preview that names a file of the plan.
type Heading struct {
	Path string     // workspace path, before a move
	Name edits.Span // place of the path in the text of the preview
	New  edits.Span // place of the diff line that names the new file; empty if there is none
}

// Headings returns the lines of a preview that name files.
func Headings(text string) []Heading {
	var all []Heading
	offset := 0
	for line := range strings.Lines(text) {
		start := offset
		offset += len(line)
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "+++ ") && len(all) > 0 && all[len(all)-1].New.End == 0 {
			all[len(all)-1].New = edits.Span{Start: start, End: start + len(line)}
		}
		m := headingForm().FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		if path, ok := readPath(line[m[2]:m[3]]); ok {
			all = append(all, Heading{Path: path, Name: edits.Span{Start: start + m[2], End: start + m[3]}})
		}
	}
	return all
}

// SectionAt returns the path of the file whose section of a preview contains the line,
// counted from 0. For a moved file, it is the path before the move.
func SectionAt(text string, line int) (path string, ok bool) {
	l := edits.NewLines(text)
	for i := min(line, l.Count()-1); i >= 0; i-- {
		c := l.Content(i)
		switch content := text[c.Start:c.End]; {
		case strings.HasPrefix(content, "### "):
			m := headingForm().FindStringSubmatch(content)
			if m == nil {
				return "", false
			}
			return readPath(m[1])
		case strings.HasPrefix(content, "# "), strings.HasPrefix(content, "## "):
			return "", false
		}
	}
	return "", false
}

// displayPath returns the path, or a Go string literal of it if a part of it could be
// mistaken or is invisible.
func displayPath(path string) string {
	if quoted := strconv.Quote(path); quoted[1:len(quoted)-1] != path || strings.Contains(path, arrow) || strings.Contains(path, "`") {
		return quoted
	}
	return path
}

// readPath reads the first path of a heading.
func readPath(s string) (string, bool) {
	if quoted, err := strconv.QuotedPrefix(s); err == nil && quoted[0] == '"' {
		path, err := strconv.Unquote(quoted)
		return path, err == nil
	}
	s, _, _ = strings.Cut(s, arrow)
	return s, true
}
