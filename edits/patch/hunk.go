package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sourcegraph/go-diff/diff"

	"redline/internal/lazyregexp"
)

// hunkHeader is the content of a line "@@ -1,2 +3,4 @@ func f". Models leave out the
// numbers, or get them wrong.
type hunkHeader struct {
	counted  bool // it has numbers
	old, new int  // lines, if counted
	line     int  // first old line, counted from 1; 0 if not given
	heading  string
	outer    string // without numbers: another one in front of it
	unsaid   bool   // see saysNothing
}

// saysNothing reports whether a line @@ has nothing that says where its chunk belongs.
func saysNothing(line string) bool { return strings.Trim(line, "@ ") == "" }

var hunkNumbers = lazyregexp.New(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)$`)

// someNumbers matches a heading that has only line numbers: "-12,3", "line 12".
var someNumbers = lazyregexp.New(`^(?:(?i:lines?) )?-?(\d{1,9})(?:[-,]\d{1,9})?(?: \+\d{1,9}(?:,\d{1,9})?)?$`)

func parseHunkHeader(line string) hunkHeader {
	m := hunkNumbers().FindStringSubmatch(line)
	if m == nil {
		outer, heading, _ := strings.Cut(" "+strings.TrimSuffix(strings.TrimPrefix(line, "@@"), "@@"), " @@ ")
		if outer = words(outer); words(heading) == "" {
			outer, heading = "", outer
		}
		h := hunkHeader{outer: outer, heading: words(heading), unsaid: saysNothing(line)}
		if m := someNumbers().FindStringSubmatch(h.heading); m != nil {
			h.line, _ = strconv.Atoi(m[1])
		}
		return h
	}
	h := hunkHeader{counted: true, old: 1, new: 1, heading: strings.TrimSpace(m[5])}
	h.line, _ = strconv.Atoi(m[1])
	if m[2] != "" {
		h.old, _ = strconv.Atoi(m[2])
	}
	if m[4] != "" {
		h.new, _ = strconv.Atoi(m[4])
	}
	return h
}

// words returns a heading, or "" if it has no words: "...", "-,+".
func words(heading string) string {
	if !strings.ContainsFunc(heading, isWordRune) {
		return ""
	}
	return strings.TrimSpace(heading)
}

// noNewline tells go-diff that a line has no line end.
const noNewline = `\ No newline at end of file`

// chunkOf makes a chunk of a hunk. go-diff reads one hunk at a time: in several, it
// would take a removed line "-- a" and an added line "++ b" before a line @@ for the
// names of another file.
func chunkOf(h hunkHeader, rows []string) (Chunk, error) {
	tidy, err := tidied(rows)
	if err != nil {
		return Chunk{}, err
	}
	hunks, err := diff.ParseHunksOptions([]byte(tidy), diff.ParseOptions{KeepCR: true})
	if err != nil || len(hunks) != 1 {
		return Chunk{}, fmt.Errorf("%d hunks were found in one (%v)", len(hunks), err)
	}
	c := Chunk{Line: h.line, Heading: h.heading, unsaid: h.unsaid, rows: true}
	c.read(string(hunks[0].Body), int(hunks[0].OrigNoNewlineAt))
	c.fresh = c.Old == "" && c.Line == 0
	return c, nil
}

// tidied returns a hunk as go-diff expects it: with numbers, with a space before empty
// lines, and with "no newline" marks only where they are valid.
func tidied(rows []string) (string, error) {
	var b strings.Builder
	b.WriteString("@@ -1,1 +1,1 @@\n")
	oldEnds, newEnds := false, false // the side has its last line, without a line end
	last := byte(0)
	for _, row := range rows {
		if isMarker(row) {
			if last == 0 {
				return "", fmt.Errorf("it begins with %s", quoted(row))
			}
			oldEnds, newEnds = oldEnds || last != '+', newEnds || last != '-'
			b.WriteString(noNewline + "\n")
			continue
		}
		if isBlank(row) {
			row = " " + row
		}
		last = row[0]
		if newEnds || oldEnds && last != '+' {
			return "", fmt.Errorf("lines follow %s", quoted(noNewline))
		}
		b.WriteString(row + "\n")
	}
	return b.String(), nil
}

// read sets the texts of the chunk from the lines of a hunk. oldEnd is where, in body,
// the last old line ends if it has no line end, 0 if it has one; a new line without a
// line end has none in body either.
func (c *Chunk) read(body string, oldEnd int) {
	var rows rows
	for at := 0; at < len(body); {
		row := body[at:]
		if i := strings.IndexByte(row, '\n'); i >= 0 {
			row = row[:i+1]
		}
		at += len(row)
		if at == oldEnd {
			row = strings.TrimSuffix(row, "\n")
		}
		c.AtEnd = c.AtEnd || !strings.HasSuffix(row, "\n")
		rows.add(row[0], row[1:])
	}
	rows.fill(c)
	c.AtEnd = c.AtEnd && c.Old != "" // else it need not be the end of this file
}

// rows collects the lines of a chunk.
type rows struct {
	marks    []byte // blank, + and -
	old, new strings.Builder
}

// add adds a line, with its line end if it has one.
func (r *rows) add(mark byte, line string) {
	r.marks = append(r.marks, mark)
	if mark != '+' {
		r.old.WriteString(line)
	}
	if mark != '-' {
		r.new.WriteString(line)
	}
}

// fill sets the texts of a chunk.
func (r *rows) fill(c *Chunk) {
	marks := string(r.marks)
	c.Old, c.New = r.old.String(), r.new.String()
	c.lead = len(marks) - len(strings.TrimLeft(marks, " "))
	c.tail = len(marks) - max(len(strings.TrimRight(marks, " ")), c.lead)
}

// body reads the lines of a hunk, which start at line first.
func (u *unified) body(h hunkHeader, first int) error {
	u.loose = false
	s := u.current()
	end, fault, err := u.extent(h, first)
	switch {
	case err != nil:
		return err
	case end == first && u.isNote(h, first):
		s.heading = cmp.Or(h.heading, s.heading)
		u.at = first
		return nil
	case end == first && u.blankFrom(first):
		return refuseFile(s.name(), "The hunk on line %d of the patch has no lines: the patch is cut off. Send it whole.", first)
	case end == first:
		return refuseFile(s.name(), "The hunk on line %d of the patch has no lines below its line @@. Put them there, or leave the hunk out.", first)
	}
	h.unsaid = h.unsaid && (end == len(u.lines) || !isBlank(u.lines[end])) // an empty line may be one that stays
	c, err := u.chunk(h, first, end, fault)
	if err != nil {
		return refuseLine(first, "starts a hunk that cannot be read: %s", err)
	}
	c.Heading, s.heading = cmp.Or(c.Heading, s.heading), ""
	s.chunks = append(s.chunks, c)
	u.at = end
	return nil
}

// blankFrom reports whether there are only blank lines from line i on.
func (u *unified) blankFrom(i int) bool {
	for ; i < len(u.lines); i++ {
		if u.bare(i) != "" {
			return false
		}
	}
	return true
}

// extent returns where the hunk that starts at line first ends: by its numbers, else by
// the form of its lines. fault is not nil if some of its lines have no mark, which is
// possible only if no unchanged line has one.
func (u *unified) extent(h hunkHeader, first int) (end int, fault, err error) {
	if end, ok := u.counted(h, first); ok {
		return end, nil, nil
	}
	next := first
	for !u.endsHunk(next) && (isBlank(u.lines[next]) || isRow(u.lines[next]) || isMarker(u.lines[next])) {
		next++
	}
	end = u.trimmed(first, next)
	switch {
	case u.endsHunk(next):
		return end, nil, u.checkWhole(h, first, end, next)
	case end == next, end == first:
		fault = reasonf("Line %d of the patch (%s) is in a hunk but begins with none of a space, + and -. Begin every line of a hunk with one of them, a space for a line that stays.", next+1, quoted(u.lines[next]))
		if bare := u.bareEnd(first); bare > next {
			u.loose = true
			return bare, fault, u.checkWhole(h, first, bare, bare)
		}
		if end > first {
			return 0, nil, errRefusal(fault)
		}
	}
	u.loose = true
	return end, nil, nil
}

// bareEnd returns where a hunk with unmarked lines ends: at the first blank line after
// its last removed or added line, or at a line that cannot be in it.
func (u *unified) bareEnd(first int) int {
	last := first // after the last removed or added line
	end := first
	for ; !u.endsHunk(end) && !isFence(u.lines[end]); end++ {
		if line := u.lines[end]; line != "" && (line[0] == '+' || line[0] == '-') {
			last = end + 1
		}
	}
	if last == first {
		return first
	}
	for last < end && !isBlank(u.lines[last]) {
		last++
	}
	return last
}

// chunk makes a chunk of the rows from first up to end, for both ways to read them.
func (u *unified) chunk(h hunkHeader, first, end int, fault error) (Chunk, error) {
	rows := u.lines[first:end]
	var other *texts
	if bare, ok := bare(rows); ok {
		if c, err := chunkOf(h, bare); err == nil {
			texts := c.texts()
			other = &texts
		}
		if fault != nil {
			rows = bare
		}
	}
	c, err := chunkOf(h, rows)
	c.bare, c.fault = other, fault
	if err == nil && fault == nil && !slices.ContainsFunc(rows, isMarker) {
		c.readDoubled(rows)
	}
	return c, err
}

// isNote reports whether a hunk without lines, which would start at line first, is only
// a header for the hunk below it: its numbers, if any, do not say that it changes
// anything, and the patch does not end after it.
func (u *unified) isNote(h hunkHeader, first int) bool {
	for first < len(u.lines) && isBlank(u.lines[first]) {
		first++
	}
	return first < len(u.lines) && u.endsHunk(first) && !u.isMixed(u.bare(first)) && h.old == h.new
}

// counted returns where the hunk ends by its numbers. ok is false if it has none, or if
// its lines show that they are wrong.
func (u *unified) counted(h hunkHeader, first int) (end int, ok bool) {
	if !h.counted {
		return 0, false
	}
	old, new, i := h.old, h.new, first
	for ; old > 0 || new > 0; i++ {
		if i >= len(u.lines) {
			return 0, false
		}
		line := u.lines[i]
		switch {
		case isBlank(line) || line[0] == ' ':
			old, new = old-1, new-1
		case line[0] == '-':
			old--
		case line[0] == '+':
			new--
		case !isMarker(line):
			return 0, false
		}
	}
	if i < len(u.lines) && isMarker(u.lines[i]) {
		i++
	}
	next := i
	for next < len(u.lines) && isBlank(u.lines[next]) {
		next++
	}
	if old != 0 || new != 0 || !u.endsHunk(next) && (isRow(u.lines[next]) || isMarker(u.lines[next])) {
		return 0, false
	}
	u.loose = !u.endsHunk(next)
	return u.trimmed(first, i), true
}

// trimmed returns end without the empty lines before it. They may be in the hunk, with
// their space lost, or between it and what follows; leaving them out only makes the
// search text a little shorter.
func (u *unified) trimmed(first, end int) int {
	for end > first && isBlank(u.lines[end-1]) {
		end--
	}
	return end
}

// checkWhole refuses a hunk, the rows from first up to end, that is cut off. next is
// the line after it.
func (u *unified) checkWhole(h hunkHeader, first, end, next int) error {
	if next < len(u.lines) || u.whole || !h.counted || !u.short(h, first, end) {
		return nil
	}
	return refuseFile(u.current().name(), "The patch ends in the middle of a hunk: fewer lines follow than the line %s says. Send it whole, or leave the numbers out (@@ @@).", quoted(u.bare(first-1)))
}

// short reports whether a hunk may have lost lines at its end, since it has fewer than
// its numbers say. If one side has more, the numbers are wrong; if it ends with an
// unchanged line, as hunks do, it is whole.
func (u *unified) short(h hunkHeader, first, end int) bool {
	old, new, stays := 0, 0, false
	for _, line := range u.lines[first:end] {
		if isMarker(line) {
			continue
		}
		removed, added := strings.HasPrefix(line, "-"), strings.HasPrefix(line, "+")
		if stays = !removed && !added; !added {
			old++
		}
		if !removed {
			new++
		}
	}
	return (old < h.old || new < h.new) && old <= h.old && new <= h.new && !stays
}
