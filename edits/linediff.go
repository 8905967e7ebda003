package edits

import (
	"slices"
	"strings"

	"znkr.io/diff"
)

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
