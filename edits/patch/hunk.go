package patch

import (
	"fmt"
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
}

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
		h := hunkHeader{outer: outer, heading: words(heading)}
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
	c := Chunk{Line: h.line, Heading: h.heading, rows: true}
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
