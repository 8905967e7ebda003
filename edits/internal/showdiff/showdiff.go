// Package showdiff writes the difference of two short texts for a message to a model:
// bounded in size, with signs for invisible characters.
package showdiff

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/internal/phrase"
)

// Limits of a difference.
const (
	maxQuoted = 40   // lines of a difference
	maxAround = 3    // equal lines before and after others
	MaxLine   = 400  // bytes of a line
	MaxSize   = 6000 // bytes of all lines
	maxNamed  = 3    // characters whose code points are named
	maxChar   = 64   // bytes of such a character and the one that it is compared with

	maxCompared = 64 << 10 // bytes of either text
)

// Diff is the difference between a text that a model quoted and the text of the file,
// as a message shows it.
type Diff struct {
	signs
	lines   []string // with their marks
	size    int      // of lines
	used    map[string]bool
	hidden  string   // a written-out character, "" for none
	points  []string // the characters named by code points
	parts   bool     // of a too long line, the part that differs is shown
	partial bool     // something left out cannot be guessed from the rest
}

// New returns a difference without lines. Its signs are in none of the texts.
func New(texts ...string) *Diff {
	return &Diff{signs: signsFor(texts...), used: map[string]bool{}}
}

// Of returns the difference between old, as the model quoted it, and near, the text of
// the file.
func Of(old, near string) *Diff {
	cut := len(old) > maxCompared || len(near) > maxCompared
	old, near = old[:linetext.RuneStart(old, min(len(old), maxCompared))], near[:linetext.RuneStart(near, min(len(near), maxCompared))]
	old, near = evenEnds(old), evenEnds(near)
	d := New(old, near)
	d.partial = cut
	at := 0
	hunks := edits.Diff(old, near)
	for i, h := range hunks {
		d.same(linetext.Split(old[at:h.Old.Start]), i == 0, false)
		d.hunk(linetext.Split(h.OldText), linetext.Split(h.NewText))
		at = h.Old.End
	}
	d.same(linetext.Split(old[at:]), len(hunks) == 0, true)
	return d
}

// evenEnds returns text with "\n" at the end of each line, the last one too: a message
// does not show line ends.
func evenEnds(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// same adds the lines that both texts have, next to lines that differ.
func (d *Diff) same(lines []string, first, last bool) {
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
			d.put("  ", d.written(linetext.Content(line), 0))
		case i == head:
			d.put("  ", fmt.Sprintf("… (%s that are the same)", phrase.Count(len(lines)-head-tail, "line")))
		}
	}
}

// hunk adds lines of the model, and the lines of the file in their place.
func (d *Diff) hunk(old, new []string) {
	old, new = linetext.Contents(old), linetext.Contents(new)
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
				line = d.Signed(line, other)
			case linetext.TrimBlanks(line) == "":
				line = d.Signed(line, "")
			case !pairs:
				line = d.Signed(line, linetext.TrimBlanks(line))
			}
			if part, ok := d.partOf(line, other); ok {
				line = part
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
	} else {
		d.name(strings.Join(old, "\n"), strings.Join(new, "\n"))
	}
}

// partOf returns the part of a long line that differs from another, with a little of the
// common text around it. ok is false if the line is short enough, if too much differs, or
// if the part is not unique.
func (d *Diff) partOf(line, other string) (part string, ok bool) {
	if len(line) <= MaxLine && len(other) <= MaxLine || other == "" {
		return "", false
	}
	start := linetext.CommonPrefix(line, other)
	end := linetext.CommonSuffix(line[start:], other[start:])
	from := linetext.RuneStart(line, max(start-MaxLine/4, 0))
	end -= min(end, MaxLine/4) // leave out so much of the common text
	if !utf8.RuneStart((line + "\n")[len(line)-end]) {
		return "", false
	}
	mine, theirs := line[from:len(line)-end], other[from:len(other)-end]
	if len(mine) > MaxLine-len("……") || len(theirs) > MaxLine-len("……") || strings.Count(line, mine) != 1 || strings.Count(other, theirs) != 1 {
		return "", false
	}
	d.parts = true
	if from > 0 {
		mine = "…" + mine
	}
	if end > 0 {
		mine += "…"
	}
	return mine, true
}

// commonStart is like [linetext.CommonPrefix], in bytes: it may end inside a character.
func commonStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// written returns a line with invisible characters written out, shortened around the
// byte see.
func (d *Diff) written(line string, see int) string {
	if len(line) > MaxLine {
		line = clipAround(line, see)
		d.partial = true
	}
	out := edits.Visible(line)
	if out != line && d.hidden == "" && utf8.ValidString(line) {
		i := commonStart(out, line)
		for !utf8.RuneStart(out[i]) {
			i--
		}
		d.hidden = out[i : i+strings.Index(out[i:], "⟩")+len("⟩")]
	}
	return out
}

// Clip shortens a line and writes out its invisible characters.
func Clip(line string) string { return edits.Visible(clipAround(line, 0)) }

// clipAround shortens a line to the part around a byte.
func clipAround(line string, see int) string {
	if len(line) <= MaxLine {
		return line
	}
	from := max(0, min(see-MaxLine/4, len(line)-MaxLine))
	to := linetext.RuneStart(line, from+MaxLine)
	out := ""
	if from = linetext.RuneStart(line, from); from > 0 {
		out = "…"
	}
	if out += line[from:to]; to < len(line) {
		out += "…"
	}
	return out
}

// put adds a line while there is room.
func (d *Diff) put(mark, line string) {
	if len(d.lines) == maxQuoted || d.size+len(line) > MaxSize {
		if d.size <= MaxSize {
			d.lines = append(d.lines, "  …")
			d.size = MaxSize + 1
		}
		d.partial = true
		return
	}
	d.lines = append(d.lines, mark+line)
	d.size += len(line)
}

// Partial reports whether the lines leave out something that cannot be guessed from the
// rest.
func (d *Diff) Partial() bool { return d.partial }

// Size returns the length of the lines in bytes.
func (d *Diff) Size() int { return d.size }

// Text returns the lines.
func (d *Diff) Text() string { return strings.Join(d.lines, "\n") }

// Legend returns an explanation of the signs in the lines.
func (d *Diff) Legend() string {
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
	if d.parts {
		out += "… at an end of a line stands for the rest of it, which is the same in yours and in the file. "
	}
	if d.hidden != "" {
		out += d.hidden + " stands for the character with that code point. "
	}
	if len(d.points) > 0 {
		out += "Characters that look alike differ: " + strings.Join(d.points, "; ") + ". "
	}
	return out
}

// Blanks returns a sentence if the texts differ in spaces, tabs or line ends only, or
// else "".
func Blanks(old, near string) string {
	if max(len(old), len(near)) > maxCompared || squeeze(old) != squeeze(near) {
		return ""
	}
	x, y := linetext.Split(old), linetext.Split(near)
	if len(x) == len(y) && linetext.DifferInIndent(bare(x), bare(y)) {
		return "Only the indentation differs, and not in the same way on all lines. "
	}
	return "Only spaces, tabs or line ends differ. "
}

// bare returns the lines without their line ends and the spaces before them.
func bare(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = linetext.TrimBlanks(linetext.Content(line))
	}
	return out
}

// squeeze returns s without white space.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// name adds the code points of characters that look alike, or the same, in both lines.
func (d *Diff) name(old, new string) {
	if linetext.IsASCII(old) && linetext.IsASCII(new) {
		return
	}
	x, y := sameChars(linetext.CharsOf(old), linetext.CharsOf(new))
	for i := range x {
		if x[i].Text == y[i].Text || linetext.IsASCII(x[i].Text) && linetext.IsASCII(y[i].Text) || hasHidden(x[i].Text+y[i].Text) || len(x[i].Text)+len(y[i].Text) > maxChar {
			continue
		}
		point := fmt.Sprintf("%s is %s in yours and %s in the file", x[i].Text, points(x[i].Text), points(y[i].Text))
		if norm.NFC.String(x[i].Text) != norm.NFC.String(y[i].Text) {
			point = fmt.Sprintf("yours has %s (%s), the file %s (%s)", x[i].Text, points(x[i].Text), y[i].Text, points(y[i].Text))
		}
		if len(d.points) < maxNamed && !slices.Contains(d.points, point) {
			d.points = append(d.points, point)
		}
	}
}

// sameChars returns the characters of two lines that stand for each other: all if there are
// as many, else those that are the same in another form.
func sameChars(x, y []linetext.Char) (same, as []linetext.Char) {
	if len(x) == len(y) {
		return x, y
	}
	if len(x)+len(y) > maxCompared {
		return nil, nil
	}
	folded := func(chars []linetext.Char) []string {
		out := make([]string, len(chars))
		for i, c := range chars {
			out[i] = c.Folded
		}
		return out
	}
	i, j := 0, 0
	for _, h := range append(edits.DiffLines(folded(x), folded(y)), edits.LineHunk{X0: len(x), Y0: len(y)}) {
		same, as = append(same, x[i:h.X0]...), append(as, y[j:h.Y0]...)
		i, j = h.X1, h.Y1
	}
	return same, as
}

// hasHidden reports whether s has an invisible character, or is not UTF-8.
func hasHidden(s string) bool { return !utf8.ValidString(s) || strings.ContainsFunc(s, edits.IsHidden) }

// points returns the first few code points of s.
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

// signs stand for spaces, tabs and empty lines, which are invisible.
type signs struct{ space, tab, empty string }

// signsFor returns signs that none of the texts has.
func signsFor(texts ...string) signs {
	s := signs{"·", "→", "¶"}
	for _, text := range texts {
		if strings.ContainsAny(text, "·→¶") {
			return signs{"⟨U+0020⟩", "⟨U+0009⟩", "⟨empty⟩"}
		}
	}
	return s
}

// Signed returns line with signs for the spaces and tabs that differ from those of
// other.
func (d *Diff) Signed(line, other string) string {
	if line == "" {
		d.used[d.empty] = true
		return d.empty
	}
	indent, tail := len(linetext.IndentOf(line)), len(linetext.TrimBlanks(line))
	otherIndent, otherTail := len(linetext.IndentOf(other)), len(linetext.TrimBlanks(other))
	indentDiffers := line[:indent] != other[:otherIndent]
	tailDiffers := line[tail:] != other[otherTail:]
	bodyDiffers := other == "" || line[indent:max(tail, indent)] != other[otherIndent:max(otherTail, otherIndent)]
	var b strings.Builder
	for i := range len(line) {
		differs := bodyDiffers
		switch {
		case i < indent:
			differs = indentDiffers
		case i >= tail:
			differs = tailDiffers
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
