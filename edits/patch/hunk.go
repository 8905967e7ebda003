package patch

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/sourcegraph/go-diff/diff"

	"redline/internal/lazyregexp"
)

// hunkHeader is what a line "@@ -1,2 +3,4 @@ func f" says. Models leave out the
// numbers, or get them wrong.
type hunkHeader struct {
	counted  bool // it has numbers
	old, new int  // lines, if counted
	line     int  // first old line, counted from 1; 0 if not said
	heading  string
	outer    string // without numbers: another one in front of it
}

var hunkNumbers = lazyregexp.New(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)$`)

func parseHunkHeader(line string) hunkHeader {
	m := hunkNumbers().FindStringSubmatch(line)
	if m == nil {
		outer, heading, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "@@"), "@@"), "@@")
		if outer = words(outer); words(heading) == "" {
			outer, heading = "", outer
		}
		return hunkHeader{outer: outer, heading: words(heading)}
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

// words returns a heading, "" if it has no words: "...", "-,+".
func words(heading string) string {
	if !strings.ContainsFunc(heading, isWordRune) {
		return ""
	}
	return strings.TrimSpace(heading)
}

// body reads the lines of a hunk, which start at line first.
func (u *unified) body(h hunkHeader, first int) error {
	u.loose = false
	end, ok := u.counted(h, first)
	if !ok {
		var err error
		if end, err = u.uncounted(h, first); err != nil {
			return err
		}
	}
	s := u.current()
	if end == first && u.isNote(h, first) {
		s.heading = cmp.Or(h.heading, s.heading)
		u.at = first
		return nil
	}
	if end == first && u.blankFrom(first) {
		return refuseFile(s.name(), "The hunk on line %d of the patch has no lines: the patch is cut off. Send it whole.", first)
	}
	if end == first {
		return refuseFile(s.name(), "The hunk on line %d of the patch has no lines below its line @@. Put them there, or leave the hunk out.", first)
	}
	c, err := chunkOf(h, u.lines[first:end])
	if err != nil {
		return refuseLine(first, "starts a hunk that cannot be read: %s", err)
	}
	c.Heading, s.heading = cmp.Or(c.Heading, s.heading), ""
	s.chunks = append(s.chunks, c)
	u.at = end
	return nil
}

// isNote tells whether a hunk without lines, which would start at line first, is
// but a header for the one below it: its numbers, if it has some, do not say
// that it changes anything, and the patch is not cut off behind it.
func (u *unified) isNote(h hunkHeader, first int) bool {
	for first < len(u.lines) && isBlank(u.lines[first]) {
		first++
	}
	return first < len(u.lines) && u.endsHunk(first) && !u.isMixed(u.bare(first)) && h.old == h.new
}

// blankFrom tells whether there are but blank lines from line i on.
func (u *unified) blankFrom(i int) bool {
	for ; i < len(u.lines); i++ {
		if u.bare(i) != "" {
			return false
		}
	}
	return true
}

// counted returns where the hunk ends by its numbers. ok is false if it has
// none, or if the lines show that they are wrong.
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

// trimmed returns end without the empty lines before it. They may be of the
// hunk, with their blank dropped, or stand between it and what follows; without
// them there is a little less to find its place by.
func (u *unified) trimmed(first, end int) int {
	for end > first && isBlank(u.lines[end-1]) {
		end--
	}
	return end
}

// uncounted returns where the hunk ends by the look of its lines.
func (u *unified) uncounted(h hunkHeader, first int) (end int, err error) {
	i := first
	for ; i < len(u.lines); i++ {
		line := u.lines[i]
		if u.endsHunk(i) || !isBlank(line) && !isRow(line) && !isMarker(line) {
			break
		}
	}
	next := i
	i = u.trimmed(first, i)
	if !u.endsHunk(next) {
		if next == i && next > first {
			return 0, refuseLine(next, "(%s) is in a hunk but begins with none of a blank, + and -. Begin every line of a hunk with one of them, a blank for a line that stays.", quoted(u.lines[next]))
		}
		u.loose = true
	}
	if next == len(u.lines) && !u.whole && h.counted && u.short(h, first, i) {
		return 0, refuseFile(u.current().name(), "The patch ends in the middle of a hunk: fewer lines follow than the line %s says. Send it whole, or leave the numbers out (@@ @@).", quoted(u.bare(first-1)))
	}
	return i, nil
}

// short tells whether a hunk has fewer lines than its numbers say.
func (u *unified) short(h hunkHeader, first, end int) bool {
	old, new := 0, 0
	for _, line := range u.lines[first:end] {
		if isMarker(line) {
			continue
		}
		if isBlank(line) || line[0] != '+' {
			old++
		}
		if isBlank(line) || line[0] != '-' {
			new++
		}
	}
	return old < h.old || new < h.new
}

// noNewline is how go-diff knows that a line has no line end.
const noNewline = `\ No newline at end of file`

// chunkOf makes a chunk of a hunk. go-diff reads it, one hunk at a time: in
// several, it would take a removed line "-- a" and an added line "++ b" in
// front of a line @@ for the names of another file.
func chunkOf(h hunkHeader, rows []string) (Chunk, error) {
	tidy, err := tidied(rows)
	if err != nil {
		return Chunk{}, err
	}
	hunks, err := diff.ParseHunksOptions([]byte(tidy), diff.ParseOptions{KeepCR: true})
	if err != nil || len(hunks) != 1 {
		return Chunk{}, fmt.Errorf("%d hunks were found in one (%v)", len(hunks), err)
	}
	c := Chunk{Line: h.line, Heading: h.heading, rows: true}
	c.read(string(hunks[0].Body), int(hunks[0].OrigNoNewlineAt))
	c.fresh = c.Old == "" && c.Line == 0
	return c, nil
}

// tidied returns a hunk in the form that go-diff reads: with numbers, with a
// blank before empty lines, and with marks only where they can be.
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

// read takes over the lines of a hunk. oldEnd is where, in body, the last old
// line ends if it has no line end, 0 if it has one; a new line that has none
// has none in body either.
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
	c.AtEnd = c.AtEnd && c.Old != "" // else nothing says that it is this file's
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

// fill gives a chunk its texts.
func (r *rows) fill(c *Chunk) {
	marks := string(r.marks)
	c.Old, c.New = r.old.String(), r.new.String()
	c.lead = len(marks) - len(strings.TrimLeft(marks, " "))
	c.tail = len(marks) - max(len(strings.TrimRight(marks, " ")), c.lead)
}
