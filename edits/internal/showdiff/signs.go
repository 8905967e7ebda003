package showdiff

import (
	"strings"

	"redline/edits/internal/linetext"
)

// signs stand for spaces, tabs and empty lines, which are invisible.
type signs struct{ space, tab, empty string }

// signsFor returns signs that none of the texts has.
func signsFor(texts ...string) signs {
	s := signs{"·", "→", "¶"}
	for _, text := range texts {
		if strings.ContainsAny(text, "·→¶") {
			return signs{"⟨U+0020⟩", "⟨U+0009⟩", "⟨empty⟩"}
		}
	}
	return s
}

// Signed returns line with signs for the spaces and tabs that differ from those of
// other.
func (d *Diff) Signed(line, other string) string {
	if line == "" {
		d.used[d.empty] = true
		return d.empty
	}
	indent, tail := len(linetext.IndentOf(line)), len(linetext.TrimBlanks(line))
	otherIndent, otherTail := len(linetext.IndentOf(other)), len(linetext.TrimBlanks(other))
	indentDiffers := line[:indent] != other[:otherIndent]
	tailDiffers := line[tail:] != other[otherTail:]
	bodyDiffers := other == "" || line[indent:max(tail, indent)] != other[otherIndent:max(otherTail, otherIndent)]
	var b strings.Builder
	for i := range len(line) {
		differs := bodyDiffers
		switch {
		case i < indent:
			differs = indentDiffers
		case i >= tail:
			differs = tailDiffers
		}
		sign := ""
		switch {
		case differs && line[i] == ' ':
			sign = d.space
		case differs && line[i] == '\t':
			sign = d.tab
		}
		if sign == "" {
			b.WriteByte(line[i])
			continue
		}
		d.used[sign] = true
		b.WriteString(sign)
	}
	return b.String()
}
