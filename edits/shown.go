package edits

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of what a refusal shows.
const (
	maxListed  = 10   // lines of places
	maxQuoted  = 40   // lines of a difference
	maxAround  = 3    // lines that are the same, before and after others
	maxWidth   = 400  // bytes of a line
	maxShown   = 6000 // bytes of all lines
	maxMessage = 8000 // bytes of the message
	maxNamed   = 3    // characters of which the code points are named

	maxCompared = 64 << 10 // bytes of either text
)

// signs are what stands for a character that cannot be seen.
type signs struct{ space, tab, empty string }

// signsFor returns signs that the texts do not have.
func signsFor(texts ...string) signs {
	s := signs{"·", "→", "¶"}
	for _, text := range texts {
		if strings.ContainsAny(text, "·→¶") {
			return signs{"⟨U+0020⟩", "⟨U+0009⟩", "⟨empty⟩"}
		}
	}
	return s
}

// shownDiff is the difference between what was asked for and what is in the file, as
// a refusal shows it.
type shownDiff struct {
	signs
	lines   []string // with their marks
	size    int      // of lines
	used    map[string]bool
	hidden  string   // a character that is written out, "" for none
	points  []string // what is named by its code points
	partial bool     // something is left out of a line or at the end
}

// differenceOf returns the difference between old, which was asked for, and near, the
// file's text.
func differenceOf(old, near string) *shownDiff {
	old, near = content(old), content(near) // a last line end is not seen
	cut := len(old) > maxCompared || len(near) > maxCompared
	old, near = old[:runeStart(old, min(len(old), maxCompared))], near[:runeStart(near, min(len(near), maxCompared))]
	d := &shownDiff{signs: signsFor(old, near), used: map[string]bool{}, partial: cut}
	at := 0
	hunks := Diff(old, near)
	for i, h := range hunks {
		d.same(splitLines(old[at:h.Old.Start]), i == 0, false)
		d.hunk(splitLines(h.OldText), splitLines(h.NewText))
		at = h.Old.End
	}
	d.same(splitLines(old[at:]), len(hunks) == 0, true)
	return d
}

// same shows lines that are in both texts: those next to others.
func (d *shownDiff) same(lines []string, first, last bool) {
	head, tail := maxAround, maxAround
	if first {
		head = 0
	}
	if last {
		tail = 0
	}
	if first && last {
		head = maxQuoted
	}
	for i, line := range lines {
		switch {
		case i < head || i >= len(lines)-tail:
			d.put("  ", d.written(content(line), 0))
		case i == head:
			d.put("  ", fmt.Sprintf("… (%s that are the same)", counted(len(lines)-head-tail, "line")))
		}
	}
}

// counted is a number of things in words.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

// hunk shows lines that were asked for, and those that the file has for them.
func (d *shownDiff) hunk(old, new []string) {
	old, new = contents(old), contents(new)
	blank := squeeze(strings.Join(old, "")) == squeeze(strings.Join(new, ""))
	pairs := len(old) == len(new)
	side := func(mark string, these, others []string) {
		for i, line := range these {
			other := ""
			if pairs {
				other = others[i]
			}
			switch {
			case line == "" || blank && pairs && line != other:
				line = d.signed(line, other)
			case trimBlanks(line) == "":
				line = d.signed(line, "")
			}
			d.put(mark, d.written(line, commonStart(line, other)))
		}
	}
	side("- ", old, new)
	side("+ ", new, old)
	if pairs {
		for i := range old {
			d.name(old[i], new[i])
		}
	}
}

// commonStart returns how many bytes the lines start with in common.
func commonStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// signed returns line with signs for those of its blanks by which it differs from other.
func (d *shownDiff) signed(line, other string) string {
	if line == "" {
		d.used[d.empty] = true
		return d.empty
	}
	indent, tail := len(indentOf(line)), len(trimBlanks(line))
	otherIndent, otherTail := len(indentOf(other)), len(trimBlanks(other))
	var b strings.Builder
	for i := range len(line) {
		differs := true
		switch {
		case i < indent:
			differs = line[:indent] != other[:otherIndent]
		case i >= tail:
			differs = line[tail:] != other[otherTail:]
		default:
			differs = other == "" || line[indent:tail] != other[otherIndent:max(otherTail, otherIndent)]
		}
		sign := ""
		switch {
		case differs && line[i] == ' ':
			sign = d.space
		case differs && line[i] == '\t':
			sign = d.tab
		}
		if sign == "" {
			b.WriteByte(line[i])
			continue
		}
		d.used[sign] = true
		b.WriteString(sign)
	}
	return b.String()
}

// written returns a line with its characters written out, shortened around the byte
// that is to be seen.
func (d *shownDiff) written(line string, see int) string {
	if len(line) > maxWidth {
		line = clipAround(line, see)
		d.partial = true
	}
	out := Visible(line)
	if out != line && d.hidden == "" && utf8.ValidString(line) {
		i := commonStart(out, line)
		for !utf8.RuneStart(out[i]) {
			i--
		}
		d.hidden = out[i : i+strings.Index(out[i:], "⟩")+len("⟩")]
	}
	return out
}

// clip shortens a line and makes it safe to show.
func clip(line string) string { return Visible(clipAround(line, 0)) }

// clipAround shortens a line to what is around a byte of it.
func clipAround(line string, see int) string {
	if len(line) <= maxWidth {
		return line
	}
	from := max(0, min(see-maxWidth/4, len(line)-maxWidth))
	to := runeStart(line, from+maxWidth)
	out := ""
	if from = runeStart(line, from); from > 0 {
		out = "…"
	}
	if out += line[from:to]; to < len(line) {
		out += "…"
	}
	return out
}

// put takes a line, as long as there is room.
func (d *shownDiff) put(mark, line string) {
	if len(d.lines) == maxQuoted || d.size+len(line) > maxShown {
		if d.size <= maxShown {
			d.lines = append(d.lines, "  …")
			d.size = maxShown + 1
		}
		d.partial = true
		return
	}
	d.lines = append(d.lines, mark+line)
	d.size += len(line)
}

// name names characters of a line, and those that are there instead, that look alike
// or the same: by their code points.
func (d *shownDiff) name(old, new string) {
	if isASCII(old) && isASCII(new) {
		return
	}
	x, y := charsOf(old), charsOf(new)
	if len(x) != len(y) {
		return
	}
	for i := range x {
		if x[i].text == y[i].text || isASCII(x[i].text) && isASCII(y[i].text) || hasHidden(x[i].text+y[i].text) {
			continue
		}
		point := fmt.Sprintf("%s is %s in yours and %s in the file", x[i].text, points(x[i].text), points(y[i].text))
		if norm.NFC.String(x[i].text) != norm.NFC.String(y[i].text) {
			point = fmt.Sprintf("yours has %s (%s), the file %s (%s)", x[i].text, points(x[i].text), y[i].text, points(y[i].text))
		}
		if len(d.points) < maxNamed && !slices.Contains(d.points, point) {
			d.points = append(d.points, point)
		}
	}
}

// hasHidden reports whether s has a character that is written out, or is no UTF-8.
func hasHidden(s string) bool { return !utf8.ValidString(s) || strings.ContainsFunc(s, isHidden) }

// points returns the code points of s, the first few of them.
func points(s string) string {
	var names []string
	for _, r := range s {
		if len(names) == 4 {
			return strings.Join(names, " ") + " …"
		}
		names = append(names, fmt.Sprintf("U+%04X", r))
	}
	return strings.Join(names, " ")
}

// text returns the lines.
func (d *shownDiff) text() string { return strings.Join(d.lines, "\n") }

// legend says what of the lines does not stand for itself.
func (d *shownDiff) legend() string {
	var parts []string
	for _, s := range []struct{ sign, what string }{{d.space, "a space"}, {d.tab, "a tab"}, {d.empty, "an empty line"}} {
		switch {
		case !d.used[s.sign]:
		case len(parts) == 0:
			parts = append(parts, s.sign+" stands for "+s.what)
		default:
			parts = append(parts, s.sign+" for "+s.what)
		}
	}
	out := ""
	switch len(parts) {
	case 0:
	case 1:
		out = parts[0] + "; this sign is not in the file. "
	default:
		out = strings.Join(parts, ", ") + "; these signs are not in the file. "
	}
	if d.hidden != "" {
		out += d.hidden + " stands for the character with that code point. "
	}
	if len(d.points) > 0 {
		out += "Characters that look alike differ: " + strings.Join(d.points, "; ") + ". "
	}
	return out
}

// blanks says so if the texts differ in nothing but blanks and line ends.
func blanks(old, near string) string {
	if max(len(old), len(near)) > maxCompared || squeeze(old) != squeeze(near) {
		return ""
	}
	x, y := splitLines(old), splitLines(near)
	if len(x) == len(y) && differInIndent(bare(x), bare(y)) {
		return "Only the indentation differs, and not in the same way on all lines. "
	}
	return "Only spaces, tabs or line ends differ. "
}
