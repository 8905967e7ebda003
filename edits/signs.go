package edits

import "strings"

// signs are what stands for a character that cannot be seen.
type signs struct{ space, tab, empty string }

// signsFor returns signs that the texts do not have.
func signsFor(texts ...string) signs {
	s := signs{"·", "→", "¶"}
	for _, text := range texts {
		if strings.ContainsAny(text, "·→¶") {
			return signs{"⟨U+0020⟩", "⟨U+0009⟩", "⟨empty⟩"}
		}
	}
	return s
}

// signed returns line with signs for those of its blanks by which it differs from other.
func (d *shownDiff) signed(line, other string) string {
	if line == "" {
		d.used[d.empty] = true
		return d.empty
	}
	indent, tail := len(indentOf(line)), len(trimBlanks(line))
	otherIndent, otherTail := len(indentOf(other)), len(trimBlanks(other))
	var b strings.Builder
	for i := range len(line) {
		differs := true
		switch {
		case i < indent:
			differs = line[:indent] != other[:otherIndent]
		case i >= tail:
			differs = line[tail:] != other[otherTail:]
		default:
			differs = other == "" || line[indent:tail] != other[otherIndent:max(otherTail, otherIndent)]
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
