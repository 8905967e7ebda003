package placeholder

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/edits"
)

// Refusal is the error for a new text with placeholders whose lines cannot be restored.
// Its message is for the model that wrote the text.
type Refusal struct {
	Placeholders []Placeholder // at least one
	Form         Form
	why          string // why the lines of the first are unclear
}

// Limits of what is quoted.
const (
	maxQuoted = 80 // bytes of a line
	maxListed = 5  // placeholders
)

// Error implements error.
func (r *Refusal) Error() string {
	var b strings.Builder
	p := r.Placeholders[0]
	if p.gone {
		return fmt.Sprintf("Line %d of the new text (%s) says that code was removed. Nothing was changed. Leave the line out if the code goes; send the code if it stays.", p.Line, quoted(p.Text))
	}
	fmt.Fprintf(&b, "Line %d of the new text (%s) stands for lines that it leaves out", p.Line, quoted(p.Text))
	if p.put {
		b.WriteString(", but it takes the place of none: it would stay in the file as it is. ")
	} else {
		b.WriteString(": the code that it stands for would be deleted. ")
	}
	b.WriteString("Nothing was changed. ")
	if more := r.Placeholders[1:]; len(more) > 0 {
		names := make([]string, 0, len(more))
		for _, p := range more[:min(len(more), maxListed)] {
			names = append(names, fmt.Sprintf("%d (%s)", p.Line, quoted(p.Text)))
		}
		if len(more) > maxListed {
			names = append(names, fmt.Sprintf("%d more", len(more)-maxListed))
		}
		b.WriteString("The same is true of line " + strings.Join(names, ", ") + ". ")
	}
	b.WriteString(r.advice())
	return b.String()
}

// advice returns what to send instead.
func (r *Refusal) advice() string {
	switch {
	case r.Placeholders[0].put && r.Form == Whole:
		return "Leave the line out, and send the whole text of the file, with every line."
	case r.Placeholders[0].put:
		return "Leave the line out: what is not named stays as it is."
	case r.Form == Rows:
		return "Leave the line out, take away (-) only the lines that go, and begin another chunk for the next change: what a patch does not name stays as it is."
	case r.Form == Whole:
		return fmt.Sprintf("It was not replaced by those lines, since %s. Send the whole text of the file, with every line, or change only a part of it with edit_file.", r.why)
	}
	return fmt.Sprintf("It was not replaced by those lines, since %s. Send every line of the new text, or replace less: give only the lines that change as the text to replace.", r.why)
}

// quoted returns a line as a message quotes it.
func quoted(line string) string {
	line = strings.TrimSpace(line)
	if len(line) > maxQuoted {
		n := maxQuoted
		for n > 0 && !utf8.RuneStart(line[n]) {
			n--
		}
		line = line[:n] + "…"
	}
	return "`" + edits.VisibleLine(line) + "`"
}

// stands reports whether line i of the new text is all that replaces some code, or all
// that is left of it at the end of a block. A comment about the code below it is not,
// since that code is there. others reports whether another line may be a placeholder.
func (d *difference) stands(i int, others func(i int) bool) bool {
	r := d.of[i]
	code, remarks := 0, 0
	for _, j := range r.added {
		switch {
		case others(j):
			remarks++
		case isRemark(d.lines[j]):
			remarks++
			code++ // a remark with more to say
		case hasWord(d.lines[j]):
			code++
		}
	}
	if r.code == 0 || remarks <= r.remarks { // only a reworded comment
		return false
	}
	if code == 0 {
		return true
	}
	next := i + 1
	for next < len(d.lines) && (d.lines[next] == "" || others(next)) {
		next++
	}
	if next == len(d.lines) || closes(d.lines[next]) || depth(d.lines[next]) < depth(d.lines[i]) {
		return r.code > code
	}
	return d.of[next] == nil && r.code > code+1
}

// closes reports whether a line ends the block above it.
func closes(line string) bool {
	line = strings.TrimSpace(line)
	return slices.ContainsFunc([]string{"}", ")", "]", "</", "end", "fi", "done", "esac", "*/", "-->"}, func(end string) bool {
		return strings.HasPrefix(line, end) && (end[0] < 'a' || len(line) == len(end) || !isLetter(line[len(end)]))
	})
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b >= 0x80 }

// depth returns how far a line is indented, a tab being four columns.
func depth(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// isRemark reports whether a line is a comment, and not "#include" or the like.
func isRemark(line string) bool {
	line = strings.TrimSpace(line)
	if isComment(line) {
		return len(line) == 1 || line[0] != '#' && line[0] != '-' && line[0] != '%' && line[0] != ';' || !isLetter(line[1])
	}
	return strings.HasPrefix(line, "{/*") || strings.HasPrefix(line, "{#") || strings.HasPrefix(line, "(*") || strings.HasPrefix(line, "<%#") || strings.HasPrefix(line, "{{!")
}

// difference holds the origin of each line of a new text.
type difference struct {
	lines []string // the new text
	of    []*run   // the run of each line, nil for an old line
}

// run is one place where texts differ: lines with no unchanged word between them.
type run struct {
	removed bool  // lines were removed
	code    int   // how many of them are neither blank nor a comment
	remarks int   // how many are comments
	added   []int // the new lines
}

// replaces reports whether line i was added where lines were removed.
func (d *difference) replaces(i int) bool { return d.of[i] != nil && d.of[i].removed }

// compare returns the difference of two texts in lines.
func compare(old, lines []string) *difference {
	d := &difference{lines, make([]*run, len(lines))}
	text := joined(lines)
	at, line := 0, 0 // a place in text, and its line
	lineOf := func(offset int) int {
		line += strings.Count(text[at:offset], "\n")
		at = offset
		return line
	}
	r, end := &run{}, 0
	for _, h := range edits.Diff(joined(old), text) {
		from, to := lineOf(h.New.Start), lineOf(h.New.End)
		if slices.ContainsFunc(lines[end:from], hasWord) {
			r = &run{}
		}
		for i := from; i < to; i++ {
			d.of[i] = r
			r.added = append(r.added, i)
		}
		r.take(h.OldText)
		end = to
	}
	return d
}

// take counts removed lines.
func (r *run) take(text string) {
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case isRemark(line):
			r.remarks++
		case hasWord(line):
			r.code++
		}
		r.removed = true
	}
}

// joined returns lines as a text in which each has a line end.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// hasWord reports whether a line has a letter or a digit.
func hasWord(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
