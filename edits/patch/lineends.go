package patch

import "strings"

// meansEnds reports whether the line ends of the chunk are meant as written: in a text
// with both kinds, if the chunk gives all lines the other kind, as programs write it. In
// a text of one kind, new lines get that kind.
func (c *Chunk) meansEnds(text string) bool {
	if !c.rows || strings.IndexByte(c.Old, '\r') < 0 && strings.IndexByte(c.New, '\r') < 0 {
		return false
	}
	all, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	return crlf > 0 && crlf < all || c.Old == text && c.convertsEnds()
}

// convertsEnds reports whether at least half of the chunk's lines change only their line
// ends.
func (c *Chunk) convertsEnds() bool {
	kept, bare := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(c.New) {
		kept[line], bare[strings.TrimRight(line, "\r\n")] = true, true
	}
	lines, converted := 0, 0
	for line := range strings.Lines(c.Old) {
		if lines++; !kept[line] && bare[strings.TrimRight(line, "\r\n")] {
			converted++
		}
	}
	return 2*converted >= lines
}
