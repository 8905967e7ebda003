package edits

import (
	"strings"

	"redline/edits/internal/linetext"
)

// pairing says, for each line of a new text, what became of the old one.
type pairing struct {
	of   []int // the old line that it is, or that it has become; -1 if it was added
	like []int // the old line whose line end it takes: that one, or one that it replaces or is put after; -1 if there is none
}

// pair returns which of the new lines are which of the old.
func pair(old, new []string) pairing {
	p := pairing{make([]int, len(new)), make([]int, len(new))}
	i, j := 0, 0
	kept := func(until int) {
		for ; j < until; i, j = i+1, j+1 {
			p.of[j], p.like[j] = i, i
		}
	}
	for _, h := range DiffLines(old, new) {
		kept(h.y0)
		for n := range h.y1 - h.y0 {
			p.of[j+n] = -1
			p.like[j+n] = max(min(i+n, h.x1-1), i-1)
		}
		pairChanged(old[i:h.x1], new[j:h.y1], func(x, y int) { p.of[j+y], p.like[j+y] = i+x, i+x })
		i, j = h.x1, h.y1
	}
	kept(len(new))
	return p
}

// maxPaired is how many pairs of lines are compared, at most, to find those
// that have become one another.
const maxPaired = 1 << 12

// pairChanged calls yield for the lines of old that have become lines of new, in
// order: all of them if there are as many, else those that are most alike.
func pairChanged(old, new []string, yield func(i, j int)) {
	if len(old) == len(new) || len(old)*len(new) > maxPaired {
		for i := range min(len(old), len(new)) {
			yield(i, i)
		}
		return
	}
	// best[i][j] is how much of old[i:] and new[j:] can be alike.
	best := make([][]int, len(old)+1)
	for i := range best {
		best[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+alike(old[i], new[j]))
		}
	}
	for i, j := 0, 0; i < len(old) && j < len(new); {
		switch best[i][j] {
		case best[i+1][j]:
			i++
		case best[i][j+1]:
			j++
		default:
			yield(i, j)
			i, j = i+1, j+1
		}
	}
}

// alike returns how many bytes two lines have in common at their starts and
// ends, or 0 if that is less than half of either.
func alike(a, b string) int {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	n := linetext.CommonPrefix(a, b)
	n += linetext.CommonSuffix(a[n:], b[n:])
	if 2*n < max(len(a), len(b)) {
		return 0
	}
	return n
}
