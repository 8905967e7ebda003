package patch

import "strings"

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
