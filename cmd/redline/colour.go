package main

import (
	"fmt"
	"io"
	"strings"

	"redline/edits"
	"redline/edits/intraline"
)

// Colours of a diff, as the parameters of SGR (ECMA-48, 8.3.117). In a replaced line, the
// parts that differ are in reverse.
const (
	sgrHeader  = "1"
	sgrBlock   = "36"
	sgrRemoved = "31"
	sgrAdded   = "32"
	sgrDiffers = "7"
	sgrAlike   = "27"
)

// coloured writes a unified diff, with colours where the stream has them.
func coloured(w io.Writer, diff string) { io.WriteString(w, colours(w, diff)) }

// colours returns the diff with the colours that coloured would write. diff must be a
// whole block: the meaning of a line depends on the lines before it.
func colours(w io.Writer, diff string) string {
	if inColour(w) {
		return paint(diff)
	}
	return diff
}

// paint returns a unified diff with colours.
func paint(diff string) string {
	var b strings.Builder
	var removed, added []row // not written yet
	old, new := 0, 0         // lines left in the block
	flush := func() {
		paintPair(&b, removed, added)
		removed, added = nil, nil
	}
	for line := range strings.Lines(diff) {
		inside := old > 0 || new > 0
		switch {
		case inside && line[0] == '-':
			if len(added) > 0 {
				flush() // a new run of changed lines begins
			}
			removed, old = append(removed, row{text: line[1:]}), old-1
		case inside && line[0] == '+':
			added, new = append(added, row{text: line[1:]}), new-1
		case line[0] == '\\' && len(removed)+len(added) > 0:
			last := removed
			if len(added) > 0 {
				last = added
			}
			last[len(last)-1].note = line
		default:
			flush()
			if inside {
				old, new = old-1, new-1
			} else if strings.HasPrefix(line, "@@ ") {
				old, new = blockSize(line)
			}
			b.WriteString(sgr(colourOf(line, inside), line))
		}
	}
	flush()
	return b.String()
}

// row is a line of a diff.
type row struct {
	text string // the text of the line, without its mark
	note string // the line after it that says that it has no line end
}

// paintPair writes removed lines and their replacements.
func paintPair(b *strings.Builder, removed, added []row) {
	gone, come := intraline.Of(joined(removed), joined(added))
	paintRows(b, "-", sgrRemoved, removed, gone)
	paintRows(b, "+", sgrAdded, added, come)
}

func joined(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.text)
	}
	return b.String()
}

// paintRows writes each line after its mark. differ are the spans of the joined lines to
// show in reverse.
func paintRows(b *strings.Builder, mark, colour string, rows []row, differ []edits.Span) {
	at := 0 // offset of the line in the joined text
	for _, r := range rows {
		line, from, text := r.text, 0, mark
		for ; len(differ) > 0 && differ[0].End <= at+len(line); differ = differ[1:] {
			s, e := differ[0].Start-at, differ[0].End-at
			text += line[from:s] + "\x1b[" + sgrDiffers + "m" + line[s:e] + "\x1b[" + sgrAlike + "m"
			from = e
		}
		b.WriteString(sgr(colour, text+line[from:]) + r.note)
		at += len(line)
	}
}

// sgr returns a line in a colour; its line end stays uncoloured.
func sgr(colour, line string) string {
	if colour == "" {
		return line
	}
	text := strings.TrimSuffix(line, "\n")
	return "\x1b[" + colour + "m" + text + "\x1b[0m" + line[len(text):]
}

// colourOf returns the colour of a line that is neither removed nor added.
func colourOf(line string, inside bool) string {
	switch {
	case inside:
		return ""
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return sgrHeader
	case strings.HasPrefix(line, "@@ "):
		return sgrBlock
	}
	return ""
}

// blockSize returns the number of lines of both texts in a block, from its first line.
func blockSize(line string) (old, new int) {
	fields := strings.Fields(line)
	count := func(field string) int {
		from, n := 0, 1
		fmt.Sscanf(field[1:], "%d,%d", &from, &n) // a missing count means one line
		return n
	}
	if len(fields) < 3 {
		return 0, 0
	}
	return count(fields[1]), count(fields[2])
}
