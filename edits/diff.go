package edits

import (
	"slices"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"redline/edits/internal/linetext"
)

// Hunk is one contiguous piece of the difference between two texts, base and proposed,
// in whole lines. It is the smallest unit that a user decides on.
type Hunk struct {
	Old, New         Span   // in base and in proposed; one of them may be empty
	OldText, NewText string // the bytes of Old and New
	Added, Removed   int    // numbers of lines in New and Old
}

// Edit returns the hunk as an edit of base.
func (h Hunk) Edit() Edit { return Edit{h.Old, h.NewText} }

// EditsOf returns the hunks as edits of base, ready for Apply.
func EditsOf(hunks []Hunk) []Edit {
	es := make([]Edit, len(hunks))
	for i, h := range hunks {
		es[i] = h.Edit()
	}
	return es
}

// Diff returns the hunks that turn base into proposed, in order, with at least one
// unchanged line between two of them. It returns nil if the texts are equal.
func Diff(base, proposed string) []Hunk { return diffWithin(base, proposed, usualBounds) }

func diffWithin(base, proposed string, b bounds) []Hunk {
	if base == proposed {
		return nil
	}
	x, y := NewLines(base), NewLines(proposed)
	changed := diffLines(x, y, b)
	hunks := make([]Hunk, len(changed))
	for i, c := range changed {
		was, is := x.SpanOf(c.X0, c.X1), y.SpanOf(c.Y0, c.Y1)
		hunks[i] = Hunk{
			Old: was, New: is,
			OldText: was.Of(base), NewText: is.Of(proposed),
			Added: c.Y1 - c.Y0, Removed: c.X1 - c.X0,
		}
	}
	return hunks
}

// SpanOf returns the span of the lines from first up to after.
func (l *Lines) SpanOf(first, after int) Span { return Span{l.Start(first), l.Start(after)} }

// LineHunk says that lines Y0 up to Y1 of one text replace lines X0 up to X1 of
// another.
type LineHunk struct{ X0, X1, Y0, Y1 int }

func (h LineHunk) size() int { return h.X1 - h.X0 + h.Y1 - h.Y0 }

// CompareLines returns the difference of two texts in lines. With quick set it is faster,
// and hunks may be larger than necessary.
func CompareLines(x, y string, quick bool) []LineHunk {
	options := []diff.Option{diff.Context(0)}
	if quick {
		options = append(options, diff.Fast())
	}
	var out []LineHunk
	if linetext.HasLoneCR(x) || linetext.HasLoneCR(y) {
		for _, h := range diff.Hunks(linetext.Split(x), linetext.Split(y), options...) {
			out = append(out, LineHunk{h.PosX, h.EndX, h.PosY, h.EndY})
		}
		return out
	}
	// textdiff knows only "\n", but where a hunk could be in several places, it chooses
	// the one that a reader would.
	for _, h := range textdiff.Hunks(x, y, append(options, textdiff.IndentHeuristic())...) {
		out = append(out, LineHunk{h.LineNoX, h.EndLineNoX, h.LineNoY, h.EndLineNoY})
	}
	return out
}

// bounds limit the time that a difference takes. Without them, a file of megabytes with
// many equal lines (braces, a table of zeros) and many changes would take minutes.
type bounds struct {
	always int // compare texts of up to this many lines together, whatever it costs
	few    int // also compare texts with up to this many different lines
	block  int // lines of both texts together per block, where nothing else helps
}

var usualBounds = bounds{always: 1 << 14, few: 256, block: 1 << 11}

// diffLines returns the difference of two texts in lines. For large texts it compares
// the parts between lines that both texts have just once; where there are no such
// lines, it compares blocks that are equally far down in both texts.
func diffLines(x, y *Lines, b bounds) []LineHunk {
	if x.Count()+y.Count() <= b.always {
		return CompareLines(x.text, y.text, false)
	}
	var out []LineHunk
	for _, h := range CompareLines(x.text, y.text, true) {
		switch {
		case h.X0 == h.X1 || h.Y0 == h.Y1 || h.size() == 2:
			out = append(out, h)
		case h.size() <= b.always:
			out = append(out, compareBetween(x, y, h)...)
		default:
			switch n := differences(x, y, h, b.few); {
			case n == h.size():
				out = append(out, h)
			case n <= b.few:
				out = append(out, compareBetween(x, y, h)...)
			default:
				out = append(out, inBlocks(x, y, h, b.block)...)
			}
		}
	}
	return out
}

// compareBetween returns the difference of the lines of h.
func compareBetween(x, y *Lines, h LineHunk) []LineHunk {
	out := CompareLines(x.SpanOf(h.X0, h.X1).Of(x.text), y.SpanOf(h.Y0, h.Y1).Of(y.text), false)
	for i, d := range out {
		out[i] = LineHunk{h.X0 + d.X0, h.X0 + d.X1, h.Y0 + d.Y0, h.Y0 + d.Y1}
	}
	return out
}

// inBlocks returns the difference of the lines of h, block by block.
func inBlocks(x, y *Lines, h LineHunk, block int) []LineHunk {
	var all []LineHunk
	n := (h.size() + block - 1) / block
	xs, ys := h.X1-h.X0, h.Y1-h.Y0
	for i := range n {
		for _, d := range compareBetween(x, y, LineHunk{h.X0 + xs*i/n, h.X0 + xs*(i+1)/n, h.Y0 + ys*i/n, h.Y0 + ys*(i+1)/n}) {
			if last := len(all) - 1; last >= 0 && all[last].X1 == d.X0 && all[last].Y1 == d.Y0 {
				all[last].X1, all[last].Y1 = d.X1, d.Y1
			} else {
				all = append(all, d)
			}
		}
	}
	// A line deleted at the end of one block may be inserted again in the next.
	out := all[:0]
	for _, d := range all {
		if d = trimLines(x, y, d); d.size() > 0 {
			out = append(out, d)
		}
	}
	return out
}

// trimLines drops the lines at the start and end of the hunk that are the same in both
// texts.
func trimLines(x, y *Lines, h LineHunk) LineHunk {
	for h.X0 < h.X1 && h.Y0 < h.Y1 && x.SpanOf(h.X0, h.X0+1).Of(x.text) == y.SpanOf(h.Y0, h.Y0+1).Of(y.text) {
		h.X0, h.Y0 = h.X0+1, h.Y0+1
	}
	for h.X0 < h.X1 && h.Y0 < h.Y1 && x.SpanOf(h.X1-1, h.X1).Of(x.text) == y.SpanOf(h.Y1-1, h.Y1).Of(y.text) {
		h.X1, h.Y1 = h.X1-1, h.Y1-1
	}
	return h
}

// differences returns how many lines of h must be deleted and inserted. If that is more
// than most, it returns a number above most, which may be too low. It is the forward half
// of E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), without the
// path.
func differences(x, y *Lines, h LineHunk, most int) int {
	numbers := map[string]int32{}
	b := lineNumbers(y, h.Y0, h.Y1, numbers, true)
	a := lineNumbers(x, h.X0, h.X1, numbers, false)
	least := 0 // lines of a that b does not have, all to be deleted
	for _, n := range a {
		if n == 0 {
			least++
		}
	}
	switch {
	case least == len(a):
		return len(a) + len(b)
	case least > most:
		return least
	}
	// far[most+1+k] is how far d edits reach into a, if they pass k more lines of a than
	// of b.
	far := make([]int, 2*most+3)
	for d := range most + 1 {
		for k := -d; k <= d; k += 2 {
			at := most + 1 + k
			i := 0
			switch {
			case d == 0:
			case k == -d || k < d && far[at-1] < far[at+1]:
				i = far[at+1] // inserts a line of b
			default:
				i = far[at-1] + 1 // deletes a line of a
			}
			for i < len(a) && i-k < len(b) && a[i] == b[i-k] {
				i++
			}
			if far[at] = i; i >= len(a) && i-k >= len(b) {
				return d
			}
		}
	}
	return most + 1
}

// lineNumbers returns a number for each line from first up to after, the same for equal
// lines. A line without a number gets a new one if give is set, else 0.
func lineNumbers(l *Lines, first, after int, numbers map[string]int32, give bool) []int32 {
	out := make([]int32, after-first)
	for i := range out {
		line := l.SpanOf(first+i, first+i+1).Of(l.text)
		n := numbers[line]
		if n == 0 && give {
			n = int32(len(numbers)) + 1
			numbers[line] = n
		}
		out[i] = n
	}
	return out
}

// DiffLines returns the difference of two lists of lines without line ends.
func DiffLines(old, new []string) []LineHunk { return diffContents(old, new, usualBounds) }

// diffContents is DiffLines within bounds.
func diffContents(old, new []string, b bounds) []LineHunk {
	if len(old)+len(new) > b.always {
		return diffLines(NewLines(ended(old)), NewLines(ended(new)), b)
	}
	var out []LineHunk
	for _, h := range diff.Hunks(old, new, diff.Context(0)) {
		out = append(out, LineHunk{h.PosX, h.EndX, h.PosY, h.EndY})
	}
	return out
}

// ended joins lines to a text, with a line end after each.
func ended(lines []string) string {
	return strings.Join(append(slices.Clip(lines), ""), "\n")
}

// Refine returns the same change as smaller edits, sorted and not overlapping: it leaves
// out unchanged lines and, at both ends of changed lines, unchanged characters. So a
// client that reports everything between the first and the last change (Neovim), or the
// whole text (Kakoune), does not seem to touch the rest. An edit that only inserts or
// only deletes stays where its client says it was. No edit starts or ends inside a
// character or a "\r\n" that e does not divide itself. The cost is that of Diff for the
// lines between the first and the last change.
func Refine(text string, e Edit) []Edit {
	t := trim(text, e)
	if t == (Edit{Span: t.Span}) && t.Len() == 0 {
		return nil
	}
	if e.Len() == 0 || e.New == "" || linetext.IndexEnd(t.Span.Of(text)) < 0 && linetext.IndexEnd(t.New) < 0 {
		return []Edit{t}
	}
	// The rest contains line ends. Where it begins and ends in its lines may be chance (a
	// line inserted before one that begins alike), so compare whole lines.
	whole := WholeLines(text, t.Span)
	proposed := text[whole.Start:t.Start] + t.New + text[t.End:whole.End]
	var out []Edit
	for _, h := range Diff(whole.Of(text), proposed) {
		h.Old = h.Old.Moved(whole.Start)
		out = append(out, refineHunk(text, h)...)
	}
	return out
}

// refineHunk returns the hunk as edits without the unchanged characters at both ends,
// line by line if the number of lines stays.
func refineHunk(text string, h Hunk) []Edit {
	if h.Added != h.Removed {
		return []Edit{trim(text, h.Edit())}
	}
	var out []Edit
	at := h.Old.Start
	added := linetext.Split(h.NewText)
	for i, line := range linetext.Split(h.OldText) {
		out = append(out, trim(text, Edit{Span{at, at + len(line)}, added[i]}))
		at += len(line)
	}
	return out
}

// WholeLines returns the smallest span of whole lines of text that holds s.
func WholeLines(text string, s Span) Span {
	for !linetext.IsStart(text, s.Start) {
		s.Start--
	}
	for !linetext.IsBound(text, s.End) {
		s.End++
	}
	return s
}

// trim drops the unchanged characters at both ends of an edit. It leaves insertions and
// deletions as they are.
func trim(text string, e Edit) Edit {
	old := e.Span.Of(text)
	n := linetext.CommonPrefix(old, e.New)
	e.Start, e.New, old = e.Start+n, e.New[n:], old[n:]
	n = linetext.CommonSuffix(old, e.New)
	e.End, e.New = e.End-n, e.New[:len(e.New)-n]
	return e
}

// Region is the whole lines that an edit changes, before and after it.
type Region struct{ Was, Is Span }

// Regions returns the region of each edit. Edits in the same lines share one.
func Regions(before, proposed string, es []Edit) []Region {
	out := make([]Region, len(es))
	first := 0 // index of the first edit in the same lines
	for i, e := range Invert(before, es) {
		was, is := es[i].Span, e.Span
		a, b := WholeLines(before, was), WholeLines(proposed, is)
		// The text around the edit is the same in both texts.
		left := max(was.Start-a.Start, is.Start-b.Start)
		right := max(a.End-was.End, b.End-is.End)
		r := Region{Span{was.Start - left, was.End + right}, Span{is.Start - left, is.End + right}}
		if i > 0 && r.Was.Start < out[i-1].Was.End {
			r.Was.Start, r.Is.Start = out[first].Was.Start, out[first].Is.Start
		} else {
			first = i
		}
		for k := first; k <= i; k++ {
			out[k] = r
		}
	}
	return out
}
