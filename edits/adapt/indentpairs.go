package adapt

import (
	"znkr.io/diff"

	"redline/edits/internal/pair"
)

// pairs returns, for each new line, the old line that it keeps or changes, or -1. It
// pairs as many equal lines as possible; among the ways to do so, it takes the one with
// the most pairs for which liked returns true.
func (m *indentLines) pairs(liked func(i, j int) bool) []int {
	x, y := m.wasBodies, m.nowBodies
	of := make([]int, len(y))
	for j := range of {
		of[j] = -1
	}
	start := 0
	for start < min(len(x), len(y)) && x[start] == y[start] {
		of[start] = start
		start++
	}
	xEnd, yEnd := len(x), len(y)
	for xEnd > start && yEnd > start && x[xEnd-1] == y[yEnd-1] {
		xEnd, yEnd = xEnd-1, yEnd-1
		of[yEnd] = xEnd
	}
	if (xEnd-start)*(yEnd-start) > pair.Max {
		pairFast(of, x, y, start, xEnd, yEnd)
	} else {
		pairBest(of, x, y, start, xEnd, yEnd, liked)
	}
	m.pairBetween(of)
	return of
}

// pairFast pairs the lines of x from start to xEnd with equal ones of y, in any way.
func pairFast(of []int, x, y []string, start, xEnd, yEnd int) {
	for _, e := range diff.Edits(x[start:xEnd], y[start:yEnd]) {
		if e.Op == diff.Match {
			of[start+e.PosY] = start + e.PosX
		}
	}
}

// pairBest is pairFast with the most liked pairs.
func pairBest(of []int, x, y []string, start, xEnd, yEnd int, liked func(i, j int) bool) {
	width := yEnd - start + 1
	best := make([]int, (xEnd-start+1)*width) // best[i][j] is the best result for x[i:] and y[j:]
	at := func(i, j int) *int { return &best[(i-start)*width+j-start] }
	worth := func(i, j int) int {
		switch {
		case x[i] != y[j]:
			return -1
		case liked(i, j):
			return 2*pair.Max + 1
		}
		return 2 * pair.Max
	}
	for i := xEnd - 1; i >= start; i-- {
		for j := yEnd - 1; j >= start; j-- {
			*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			if w := worth(i, j); w >= 0 {
				*at(i, j) = max(*at(i, j), *at(i+1, j+1)+w)
			}
		}
	}
	for i, j := start, start; i < xEnd && j < yEnd; {
		if w := worth(i, j); w >= 0 && *at(i, j) == *at(i+1, j+1)+w {
			of[j] = i
			i, j = i+1, j+1
		} else if *at(i, j) == *at(i+1, j) {
			i++
		} else {
			j++
		}
	}
}

// pairBetween pairs similar lines between those that are paired already.
func (m *indentLines) pairBetween(of []int) {
	i, j := 0, 0
	for end := 0; end <= len(of); end++ {
		to := len(m.wasBodies)
		if end < len(of) {
			if to = of[end]; to < 0 {
				continue
			}
		}
		x, y, first, firstOf := m.wasBodies[i:to], m.nowBodies[j:end], i, j
		pair.Changed(x, y, func(i, j int) {
			if pair.Alike(x[i], y[j]) > 0 {
				of[firstOf+j] = first + i
			}
		})
		i, j = to+1, end+1
	}
}
