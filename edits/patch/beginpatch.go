package patch

import (
	"slices"
	"strings"

	"redline/edits"
	"redline/internal/fence"
)

// Lines of a "*** Begin Patch" text.
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File:"
	updateFile = "*** Update File:"
	deleteFile = "*** Delete File:"
	moveTo     = "*** Move to:"
	endOfFile  = "*** End of File"
)

// beginVerb reports whether a line names an operation on a file.
func beginVerb(line string) bool {
	return strings.HasPrefix(line, addFile) || strings.HasPrefix(line, updateFile) || strings.HasPrefix(line, deleteFile)
}

// begin reads "*** Begin Patch" texts.
type begin struct {
	input
	at     int    // the next line
	indent string // the indentation of the first line that names an operation on a file
	files  []File

	lastRow int // the line after the last one of the patch
	lastEnd int // the last line that is "*** End Patch", ignoring spaces; -1 for none
}

func parseBegin(in input) ([]File, error) {
	b := &begin{input: in}
	b.lines = unindented(b.lines)
	b.findLast()
	inside := false // between "*** Begin Patch" and "*** End Patch"
	ended := false  // after "*** End Patch"
	for b.at < len(b.lines) {
		line := b.bare(b.at)
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == beginPatch:
			inside, ended = true, false
			b.at++
		case trimmed == endPatch:
			inside, ended = false, true
			b.at++
		case beginVerb(line), inside && beginVerb(trimmed):
			ended = false
			if len(b.files) == 0 {
				b.indent, _, _ = strings.Cut(line, "*")
			}
			if err := b.file(trimmed); err != nil {
				return nil, err
			}
		case isFence(line):
			inside = false
			b.at++
		case inside && line != "":
			return nil, refuseLine(b.at, "(%s) belongs to no file. Each file begins with a line %s PATH, %s PATH or %s PATH.", quoted(line), addFile, updateFile, deleteFile)
		case !inside && structural(b.lines, b.at):
			return nil, errRefusal(errMixed)
		case ended && line != "" && (line[0] == '+' || line[0] == '-') && !isBullet(line):
			return nil, refuseLine(b.at, "(%s) looks like a part of a change, but comes after %s. Put that line at the end.", quoted(line), endPatch)
		default:
			b.at++
		}
	}
	if len(b.files) == 0 {
		if !ended {
			return nil, refuse("The patch ends before it names a file: it is cut off. Send it whole.")
		}
		return nil, refuse("The patch is empty: there is no line %s PATH, %s PATH or %s PATH in it. Put one, and the change below it, before %s.", addFile, updateFile, deleteFile, endPatch)
	}
	if inside { // nothing tells a patch that was cut off between two rows from one without its last line
		return nil, refuse("The patch begins with %s and has no %s: it may be cut off. Send it whole, with that line at the end.", beginPatch, endPatch)
	}
	return b.files, nil
}

// file reads the operation on one file.
func (b *begin) file(line string) error {
	verb, name, _ := strings.Cut(line, ":")
	verb += ":"
	path := strings.Trim(strings.TrimSpace(name), "`\"")
	if path == "" {
		return refuseLine(b.at, "names no file. Write the path after %s", quoted(verb))
	}
	b.at++
	f := File{Path: path}
	var err error
	switch verb {
	case addFile:
		f.Kind = edits.Create
		f.Text, err = b.text(path)
	case deleteFile:
		f.Kind = edits.Delete
	default:
		if name, ok := strings.CutPrefix(strings.TrimSpace(b.bare(b.at)), moveTo); ok {
			f.Kind, f.NewPath = edits.Rename, strings.Trim(strings.TrimSpace(name), "`\"")
			if f.NewPath == "" || f.NewPath == path {
				return refuseLine(b.at, "does not say where %s goes. Write another path after %s", path, quoted(moveTo))
			}
			b.at++
		}
		f.Chunks, err = b.chunks(path)
		if err == nil && len(f.Chunks) == 0 && f.Kind == edits.Update {
			err = refuseFile(path, "The patch names the file but changes nothing in it. Put the change below the line %s, or leave the file out.", quoted(line))
			if b.at == len(b.lines) {
				err = refuseFile(path, "The patch ends after the name of the file: it is cut off. Send it whole.")
			}
		}
	}
	b.files = append(b.files, f)
	return err
}

// unindented returns the lines of a patch without the indentation that all have, from its
// first line on.
func unindented(lines []string) []string {
	for i, line := range lines {
		if strings.TrimSpace(line) != beginPatch {
			continue
		}
		indent, _, _ := strings.Cut(line, "*")
		if indent == "" {
			return lines
		}
		out := slices.Clone(lines)
		for j := i; j < len(lines); j++ {
			rest, ok := strings.CutPrefix(lines[j], indent)
			if !ok && strings.TrimSpace(lines[j]) != "" {
				return lines
			}
			if out[j] = rest; !ok {
				out[j] = ""
			}
			if strings.TrimSpace(lines[j]) == endPatch {
				break
			}
		}
		return out
	}
	return lines
}

// ends reports whether the part of a file ends before line i.
func (b *begin) ends(i int) bool {
	if i >= len(b.lines) {
		return true
	}
	line := b.bare(i)
	if beginVerb(line) || line == endPatch || line == beginPatch {
		return true
	}
	if marked, ok := strings.CutPrefix(line, b.indent); ok && beginVerb(marked) {
		return true
	}
	if strings.TrimSpace(line) == endPatch {
		return i >= b.lastEnd && b.blankFrom(i+1)
	}
	return fence.Closes(line, "```") && b.blankFrom(i+1)
}

// blankFrom reports whether no line of a patch follows from line i on.
func (b *begin) blankFrom(i int) bool { return i >= b.lastRow }

// findLast finds the last lines that matter, once for the whole patch, since each line
// is checked against them.
func (b *begin) findLast() {
	b.lastRow, b.lastEnd = len(b.lines), len(b.lines)-1
	for b.lastRow > 0 && !isRow(b.lines[b.lastRow-1]) && !structural(b.lines, b.lastRow-1) {
		b.lastRow--
	}
	for b.lastEnd >= 0 && strings.TrimSpace(b.lines[b.lastEnd]) != endPatch {
		b.lastEnd--
	}
}

// text reads the lines of a new file.
func (b *begin) text(path string) (string, error) {
	var text strings.Builder
	var blank strings.Builder // empty lines, part of the file only if others follow
	for ; !b.ends(b.at) && !beginVerb(strings.TrimSpace(b.lines[b.at])); b.at++ {
		line := b.lines[b.at]
		switch {
		case line != "" && line[0] == '+':
			text.WriteString(blank.String() + line[1:] + "\n")
			blank.Reset()
		case isBlank(line):
			blank.WriteString(line + "\n")
		case b.bare(b.at) == endOfFile:
		default:
			return "", refuseLine(b.at, "(%s) is in the new file %s but does not begin with +. Begin every line of a new file with +.", quoted(line), path)
		}
	}
	return text.String(), nil
}

// chunks reads the changes of a file.
func (b *begin) chunks(path string) ([]Chunk, error) {
	var chunks []Chunk
	var below []string
	for !b.ends(b.at) {
		if isBlank(b.lines[b.at]) {
			b.at++ // between two chunks
			continue
		}
		c, err := b.chunk(path)
		if err != nil {
			return nil, err
		}
		if c.Old == "" && c.New == "" { // only lines @@
			below = append(below, c.Within...)
			if c.Heading != "" {
				below = append(below, c.Heading)
			}
			continue
		}
		c.below, below = below, nil
		chunks = append(chunks, c)
	}
	return chunks, nil
}

// chunk reads one change: lines @@ that locate it, its lines, and possibly a mark that it
// is at the end of the file. It may have only lines @@.
func (b *begin) chunk(path string) (Chunk, error) {
	c := Chunk{}
	first := b.at
	for ; !b.ends(b.at) && strings.HasPrefix(b.lines[b.at], "@@"); b.at++ {
		line := b.bare(b.at)
		c.unsaid = saysNothing(line) && (c.unsaid || b.at == first)
		if h := parseHunkHeader(line); h.counted || h.line > 0 {
			c.Line, c.Heading = h.line, h.heading
		} else {
			for _, header := range []string{h.outer, h.heading} {
				if header != "" {
					c.Within = append(c.Within, header)
				}
			}
		}
	}
	var rows []string
	end := 0 // of rows without the blank ones at the end
	for ; !b.ends(b.at); b.at++ {
		line := b.lines[b.at]
		switch {
		case isMarker(line):
			return c, refuseLine(b.at, "(%s) has no meaning in this form of patch, where the end of a file stays as it is. Leave it out, or write the file whole.", quoted(line))
		case b.bare(b.at) == endOfFile:
			c.AtEnd, end = true, len(rows)
			b.at++
		case !strings.HasPrefix(line, "@@"):
			if rows = append(rows, line); isBlank(line) {
				continue
			}
			if end = len(rows); !isRow(line) && c.fault == nil {
				c.fault = reasonf("Line %d of the patch (%s) is in a change of %s but begins with none of a space, + and -. Begin every line of a change with one of them, a space for a line that stays.", b.at+1, quoted(line), path)
			}
			continue
		}
		break
	}
	if end == 0 && b.at == len(b.lines) {
		return c, refuseFile(path, "The change on line %d of the patch has no lines: the patch is cut off. Send it whole.", first+1)
	}
	c.unsaid = c.unsaid && end == len(rows) // an empty line may be one that stays
	c.take(rows[:end])
	return c, nil
}

// take sets the texts of a chunk, for both ways to read its rows.
func (c *Chunk) take(lines []string) {
	if bare, ok := bare(lines); ok {
		other := Chunk{}
		readRows(bare).fill(&other)
		texts := other.texts()
		c.bare = &texts
	}
	readRows(lines).fill(c)
	c.readDoubled(lines)
}

// readRows reads rows that have marks.
func readRows(lines []string) *rows {
	var out rows
	for _, line := range lines {
		if isBlank(line) || !isRow(line) {
			out.add(' ', line+"\n")
		} else {
			out.add(line[0], line[1:]+"\n")
		}
	}
	return &out
}
