package preview

import (
	"slices"
	"strconv"
	"strings"

	"redline/edits"
	"redline/edits/match"
	"redline/internal/lazyregexp"
)

var numbersForm = lazyregexp.New(`^@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@`)

// blocks reads the lines of a diff; first is the number of the first one in the page. A
// line that is not part of a diff is a problem.
func (d *diffReader) blocks(lines []string, first int) []block {
	var out []block
	for i, line := range lines {
		var b *block
		if len(out) > 0 {
			b = &out[len(out)-1]
		}
		line, at := d.norm(line), first+i
		switch {
		case strings.HasPrefix(line, "@@"):
			out = append(out, newBlock(line, at))
		case b == nil && (line == "" || slices.Contains(d.header, line)):
		case b == nil:
			d.problem(at, "Only the names of the file and blocks that begin with @@ can be here: undo the change of this line.")
		case line == "":
			b.rows = append(b.rows, diffRow{line: at, sign: ' '})
		case line[0] == ' ' || line[0] == '+' || line[0] == '-':
			b.rows = append(b.rows, diffRow{line: at, sign: line[0], text: line[1:]})
		case strings.HasPrefix(line, `\`) && len(b.rows) > 0:
			b.rows[len(b.rows)-1].open, b.rows[len(b.rows)-1].mark = true, at
		default:
			d.problem(at, "Every line of a diff begins with a space (it stays), - (it is removed) or + (it is added): put one of them before this line.")
		}
	}
	for i := range out {
		b := &out[i]
		for n := len(b.rows); n > 0 && lines[b.rows[n-1].line-first] == ""; n-- {
			b.rows = b.rows[:n-1] // the line may be between two blocks
		}
		for _, row := range b.rows {
			if row.sign != '+' {
				b.old++
			}
		}
	}
	return slices.DeleteFunc(out, func(b block) bool { return len(b.rows) == 0 })
}

func newBlock(line string, at int) block {
	b := block{line: at, at: -1}
	m := numbersForm().FindStringSubmatch(line)
	if m == nil {
		return b
	}
	number := func(start, count string) int {
		n, _ := strconv.Atoi(start)
		if count != "0" { // a range without lines names the line before it
			n--
		}
		return n
	}
	b.at, b.new = number(m[1], m[2]), number(m[3], m[4])
	return b
}

// headerOf returns the lines of a diff before its first block: the names of the
// file.
func (d *diffReader) headerOf(lines []string) []string {
	var out []string
	for _, line := range lines {
		if strings.HasPrefix(line, "@@") {
			break
		}
		out = append(out, d.norm(line))
	}
	return out
}

// maxSearches limits the blocks searched for in whole files. Blocks that are where they
// were shown need no search.
const maxSearches = 50

// place finds the rows of base for each block, and orders the blocks. Kept and removed rows
// decide the place; the block's line numbers only choose among equal places.
func (d *diffReader) place(blocks []block, line int) {
	n := len(d.problems)
	for i := range blocks {
		b := &blocks[i]
		if !d.placeShown(b) && !d.search(b) {
			d.misplaced(b)
		}
	}
	if len(d.problems) > n {
		return
	}
	slices.SortStableFunc(blocks, func(x, y block) int { return x.at - y.at })
	for i := 1; i < len(blocks); i++ {
		if was := blocks[i-1]; blocks[i].at < was.at+was.old {
			d.problem(blocks[i].line, "This block covers lines that the block on line %d of the preview covers too: join the two.", was.line+1)
		}
	}
}

// oldRows returns the lines of a block that are in base.
func (b *block) oldRows() []string {
	out := make([]string, 0, b.old)
	for _, row := range b.rows {
		if row.sign != '+' {
			out = append(out, row.text)
		}
	}
	return out
}

// isAt reports whether old is in base at the given row.
func (d *diffReader) isAt(at int, old []string) bool {
	return at >= 0 && at+len(old) <= len(d.seen) && slices.Equal(d.seen[at:at+len(old)], old)
}

// placeShown places a block at the line that its numbers name. If lines at its start were
// removed, it takes the only place within the block that was shown there.
func (d *diffReader) placeShown(b *block) bool {
	old := b.oldRows()
	if len(old) == 0 {
		b.at = 0
		return len(d.rows) == 0
	}
	i, ok := slices.BinarySearchFunc(d.shown, b.at, func(was block, at int) int { return was.at - at })
	if !ok {
		return false
	}
	if d.isAt(b.at, old) {
		return true
	}
	was := d.shown[i]
	place, budget := -1, 1<<20
	for at := was.at + 1; at+len(old) <= was.at+was.old; at++ {
		if budget -= len(old); budget < 0 {
			return false
		}
		if d.isAt(at, old) {
			if place >= 0 {
				return false
			}
			place = at
		}
	}
	if place < 0 {
		return false
	}
	b.at = place
	return true
}

// search places a block at the only place in the file that has its lines.
func (d *diffReader) search(b *block) bool {
	if d.searches++; d.searches > maxSearches || b.old == 0 {
		return false
	}
	text := joined(d.seen)
	m, err := match.Find(text, joined(b.oldRows()), match.Where{Lines: true, Narrow: func(places []edits.Span) []edits.Span {
		for _, p := range places {
			if strings.Count(text[:p.Start], "\n") == b.at {
				return []edits.Span{p}
			}
		}
		return places
	}})
	if err != nil || strings.Count(text[m.Spans[0].Start:m.Spans[0].End], "\n") != b.old {
		return false
	}
	b.at = strings.Count(text[:m.Spans[0].Start], "\n")
	return true
}

// misplaced reports what is wrong with a block that has no place. If the block was shown, it
// names the first changed line.
func (d *diffReader) misplaced(b *block) {
	line, reason := b.line, "The lines of this block are not in the file, in one place: lines that begin with a space or with - must be as the file has them."
	if b.old == 0 {
		reason = "Nothing says where in the file this block goes: keep some of the lines around it."
	}
	if i, ok := slices.BinarySearchFunc(d.shown, b.at, func(was block, at int) int { return was.at - at }); ok && b.old > 0 {
		was := d.shown[i].oldRows()
		k := 0
		for _, row := range b.rows {
			if row.sign == '+' {
				continue
			}
			if k >= len(was) || row.text != was[k] {
				line = row.line
				reason = "Here the diff is not as the file is. Do not change or delete lines that begin with a space or with -: put new text in lines with +."
				break
			}
			k++
		}
	}
	d.problem(line, "%s", reason)
}

// shown is a line that the user put in a preview in place of others: its text, and whether it is
// marked as having no line end.
type shown struct {
	line int // line of the preview, from 0
	text string
	open bool
}

// escapeForm matches a character that [edits.Visible] has escaped.
var escapeForm = lazyregexp.New(`⟨(?:U\+[0-9A-F]{4,6}|0x[0-9A-F]{2})⟩`)

const escapeReason = "This line has a character that is written out here since it would not be seen: leave the line as it is, or remove it."

// restorer finds the bytes of lines that a preview shows in another form.
type restorer struct {
	norm func(string) string // returns the part of a page's line that is compared
}

// see returns a line of a text, with or without its line end, in the form that the page shows.
func (r restorer) see(raw string) string {
	return r.norm(strings.TrimRight(edits.Visible(strings.TrimSuffix(raw, "\n")+"\n"), "\r\n"))
}

// restore returns the bytes of lines. was has the lines that were in their place, and others
// lines that may have moved there. A line that looks unchanged keeps its bytes. Any other line
// is used as written, with the line end of the line that was in its place, or end. A line with
// an escape that is in neither list is a problem: it is unclear whether it means the character
// or its name.
func (r restorer) restore(lines []shown, was, others []string, end string) ([]string, []Problem) {
	var problems []Problem
	byText := map[string]string{} // without line ends
	for _, raw := range others {
		byText[r.see(raw)] = strings.TrimSuffix(raw, endOf(raw))
	}
	pairs := r.pairs(lines, was)
	out := make([]string, len(lines))
	for i, l := range lines {
		raw := l.text
		if p := pairs[i]; p.same {
			raw = was[p.was]
		} else {
			if content, ok := byText[l.text]; ok {
				raw = content
			} else if escapeForm().MatchString(l.text) {
				problems = append(problems, Problem{Line: l.line, Reason: escapeReason})
			}
			if p.was >= 0 {
				raw += endOf(was[p.was])
			}
		}
		if e := endOf(raw); e != "" {
			end = e
		} else {
			raw += end
		}
		if l.open {
			raw = strings.TrimSuffix(raw, endOf(raw))
		}
		out[i] = raw
	}
	return out, problems
}

// pair is the index of the line that a line replaces, -1 for none.
type pair struct {
	was  int
	same bool // both look the same on the page
}

// pairs finds, for each line, the one that was in its place.
func (r restorer) pairs(lines []shown, was []string) []pair {
	var x, y strings.Builder
	for _, raw := range was {
		x.WriteString(r.see(raw) + "\n")
	}
	for _, l := range lines {
		y.WriteString(strings.TrimRight(edits.Visible(l.text+"\n"), "\r\n") + "\n")
	}
	old, now := x.String(), y.String()
	out := make([]pair, 0, len(lines))
	at, row := 0, 0 // in old: the end of the lines done, and their number
	add := func(n int, same bool, limit int) {
		for k := range n {
			p := pair{was: row + k, same: same}
			if k >= limit {
				p.was = -1
			}
			out = append(out, p)
		}
	}
	for _, h := range edits.Diff(old, now) {
		n := strings.Count(old[at:h.Old.Start], "\n")
		add(n, true, n)
		row += n
		gone := strings.Count(h.OldText, "\n")
		add(strings.Count(h.NewText, "\n"), false, gone)
		row, at = row+gone, h.Old.End
	}
	n := strings.Count(old[at:], "\n")
	add(n, true, n)
	return out
}

// endOf returns the line end of a line.
func endOf(raw string) string {
	switch {
	case strings.HasSuffix(raw, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(raw, "\n"):
		return "\n"
	}
	return ""
}

// rowsOf returns the lines of a text, each with its "\n". As in unified diffs,
// nothing else ends a line.
func rowsOf(text string) []string {
	rows := strings.SplitAfter(text, "\n")
	return rows[:len(rows)-countEmpty(rows[len(rows)-1])]
}

func countEmpty(s string) int {
	if s == "" {
		return 1
	}
	return 0
}
