package preview

import (
	"strings"

	"redline/edits"
)

// Heading is a line of a preview that names a file of the plan.
type Heading struct {
	Path string     // workspace path, the one before a move
	Name edits.Span // of the path in the text of the preview
	New  edits.Span // of the line of the diff that names what the file becomes; empty if there is none
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
