// Package pair finds which new lines of a change come from which old ones.
package pair

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// Pairing holds where the lines of a new text come from.
type Pairing struct {
	Of   []int // for each new line the old line that it keeps or changes; -1 if it was added
	Like []int // the old line whose line end it takes: that one, or one that it replaces or follows; -1 if there is none
}

// Lines pairs the lines of a new text with those of the old one.
func Lines(old, new []string) Pairing {
	p := Pairing{make([]int, len(new)), make([]int, len(new))}
	i, j := 0, 0
	kept := func(until int) {
		for ; j < until; i, j = i+1, j+1 {
			p.Of[j], p.Like[j] = i, i
		}
	}
	for _, h := range edits.DiffLines(old, new) {
		kept(h.Y0)
		for n := range h.Y1 - h.Y0 {
			p.Of[j+n] = -1
			p.Like[j+n] = max(min(i+n, h.X1-1), i-1)
		}
		Changed(old[i:h.X1], new[j:h.Y1], func(x, y int) { p.Of[j+y], p.Like[j+y] = i+x, i+x })
		i, j = h.X1, h.Y1
	}
	kept(len(new))
	return p
}

// Max is how many pairs of lines Changed compares.
const Max = 1 << 12

// Changed calls yield for the lines of old that have become lines of new, in order: all
// of them if there are equally many, else the most similar ones.
func Changed(old, new []string, yield func(i, j int)) {
	if len(old) == len(new) || len(old)*len(new) > Max {
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
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+Alike(old[i], new[j]))
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

// Alike returns how many bytes two lines share at their starts and ends, or 0 if that
// is less than half of either line.
func Alike(a, b string) int {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	n := linetext.CommonPrefix(a, b)
	n += linetext.CommonSuffix(a[n:], b[n:])
	if 2*n < max(len(a), len(b)) {
		return 0
	}
	return n
}
