package patch

import "strings"

// texts holds the two texts of a chunk, and how many lines at most are the same at their
// start and end.
type texts struct {
	old, new   string
	lead, tail int
}

// as returns the chunk with other texts.
func (c *Chunk) as(t texts) *Chunk {
	out := *c
	out.Old, out.New, out.lead, out.tail = t.old, t.new, t.lead, t.tail
	return &out
}

// texts returns the texts of the chunk.
func (c *Chunk) texts() texts { return texts{c.Old, c.New, c.lead, c.tail} }

// trimmed returns the chunk without the unchanged blank lines at its end, which may
// only be the space below it. It returns nil if there are none, or nothing else.
func (c *Chunk) trimmed() *Chunk {
	t := c.texts()
	for t.tail > 0 {
		old, blank := cutBlank(t.old)
		new, same := strings.CutSuffix(t.new, blank)
		if blank == "" || !same || old == "" || new != "" && !strings.HasSuffix(new, "\n") {
			break
		}
		t.old, t.new, t.tail = old, new, t.tail-1
	}
	if t.old == c.Old {
		return nil
	}
	t.lead = min(t.lead, strings.Count(t.old, "\n"))
	return c.as(t)
}

// trimmedStart is trimmed for the start of the chunk.
func (c *Chunk) trimmedStart() *Chunk {
	t := c.texts()
	for t.lead > 0 {
		at := strings.IndexByte(t.old, '\n') + 1
		blank := t.old[:at]
		new, same := strings.CutPrefix(t.new, blank)
		if at == 0 || strings.TrimSpace(blank) != "" || !same || at == len(t.old) {
			break
		}
		t.old, t.new, t.lead = t.old[at:], new, t.lead-1
	}
	if t.old == c.Old {
		return nil
	}
	t.tail = min(t.tail, strings.Count(t.old, "\n"))
	return c.as(t)
}

// cutBlank cuts the last line from a text if it is blank.
func cutBlank(text string) (rest, blank string) {
	at := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n') + 1
	if strings.TrimSpace(text[at:]) != "" {
		return text, ""
	}
	return text[:at], text[at:]
}

// bare returns rows with the space that marks an unchanged line in front of each such
// line, as if none had it. ok is false if all rows are blank.
func bare(rows []string) (out []string, ok bool) {
	out = make([]string, len(rows))
	for i, row := range rows {
		out[i] = row
		if stays(row) {
			out[i], ok = " "+row, true
		}
	}
	return out, ok
}

// stays reports whether a row of a chunk, with its mark or without, is an unchanged
// line with more than spaces: a form feed, for example, has no mark of its own.
func stays(row string) bool {
	return strings.Trim(row, " \r") != "" && row[0] != '+' && row[0] != '-' && !isMarker(row)
}

// hasLostMarks reports whether the chunk was found by another indentation only because
// some unchanged lines lack the space that marks them: each line is in the file as it is,
// whether or not its first space is the mark.
func (s *site) hasLostMarks() bool {
	c := s.chunk
	if s.step != "indentation" || c.bare == nil || len(s.spans) != 1 {
		return false
	}
	place := s.target.textFor(c)[s.spans[0].Start:s.spans[0].End]
	there, marked, unmarked := lines(place), lines(c.Old), lines(c.bare.old)
	if len(there) != len(marked) || len(there) != len(unmarked) {
		return false
	}
	kept, lost := false, false
	for i, line := range there {
		switch {
		case strings.TrimSpace(line) == "", line == marked[i] && line == unmarked[i]: // a removed line
		case line == marked[i]:
			kept = true
		case line == unmarked[i]:
			lost = true
		default:
			return false
		}
	}
	return kept && lost
}

// lines returns the lines of a text without the spaces at their ends.
func lines(text string) []string {
	out := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range out {
		out[i] = strings.TrimRight(line, " \t\r")
	}
	return out
}

// A model may put two spaces before each unchanged line: the mark, and one for alignment.
// Removed and added lines may have the second one, too, or not.

// readDoubled sets the texts of a chunk for the case that only unchanged lines have an
// extra space. There are none if one of these does not begin with two spaces, or if the
// added lines show that they have it too.
func (c *Chunk) readDoubled(lines []string) {
	once := make([]string, len(lines))
	stay, go_ := 0, 0
	for i, line := range lines {
		once[i] = line
		switch {
		case strings.TrimSpace(line) == "", isMarker(line):
		case strings.HasPrefix(line, "  "):
			once[i] = line[1:]
			stay++
		case !isRow(line) || line[0] == ' ':
			return
		case line[0] == '-' && strings.TrimSpace(line[1:]) != "":
			go_++
		}
	}
	if stay == 0 {
		return
	}
	asFile, asStay := fits(once), fits(lines)
	if go_ == 0 && asStay && !asFile {
		return
	}
	other := Chunk{}
	readRows(once).fill(&other)
	texts := other.texts()
	c.doubled, c.unclear = &texts, go_ == 0 && asStay == asFile
}

// fits reports whether the added lines can be indented like the unchanged ones: each as
// deep as one of them, or by tabs or pairs of spaces more or less.
func fits(lines []string) bool {
	var stay []string
	for _, line := range lines {
		if stays(line) {
			stay = append(stay, indentOf(line[1:]))
		}
	}
	for _, line := range lines {
		if line == "" || line[0] != '+' || strings.TrimSpace(line[1:]) == "" {
			continue
		}
		if !fitsOne(indentOf(line[1:]), stay) {
			return false
		}
	}
	return true
}

func fitsOne(own string, stay []string) bool {
	for _, other := range stay {
		short, long := own, other
		if len(short) > len(long) {
			short, long = long, short
		}
		rest, ok := strings.CutPrefix(long, short)
		if ok && (strings.Trim(rest, "\t") == "" || strings.Trim(rest, " ") == "" && len(rest)%2 == 0) {
			return true
		}
	}
	return false
}

// indentOf returns the spaces that a line begins with.
func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }
