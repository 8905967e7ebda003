package closest

import (
	"strings"

	"redline/edits/internal/linetext"
)

// minLike is the least number of bytes, without spaces, of a text that is compared by
// similarity.
const minLike = 4

// maxAlike is the number of equally similar lines that are kept.
const maxAlike = 64

// similarity compares lines with a needle by their bigrams (pairs of bytes). The
// similarity is the share of the needle's bigrams, in thousandths, that the best window
// of the line has; the window is a quarter longer than the needle. Spaces, tabs and the
// case of ASCII letters do not count. Lines longer than maxLike are not compared.
type similarity struct {
	pairs  [1 << 16]uint8 // 1 for those of the needle
	wanted int            // how many pairs the needle has
	within int            // how many the window has
}

// maxLike is how long a line may be, in bytes.
const maxLike = 16 << 10

// newSimilarity returns the similarity for needle, or nil if needle is too short to be
// compared.
func newSimilarity(needle string) *similarity {
	needle = foldedBytes(needle)
	if len(needle) < minLike {
		return nil
	}
	n := &similarity{wanted: len(needle) - 1}
	n.within = n.wanted + n.wanted/4
	for i := 1; i < len(needle); i++ {
		n.pairs[uint16(needle[i-1])<<8|uint16(needle[i])] = 1
	}
	return n
}

// folded maps each byte to what it counts as: 0 for white space. Its upper half is 0xFF
// if the byte does not begin a pair, so that the one before it does.
var folded = func() (folded [256]uint16) {
	for b := range folded {
		folded[b] = uint16(b)
		if b >= 'A' && b <= 'Z' {
			folded[b] += 'a' - 'A'
		}
	}
	for _, b := range "\x00 \t\r\n" {
		folded[b] = 0xFF00
	}
	return folded
}()

// foldedBytes returns s without spaces and line ends, with ASCII letters in lower case.
func foldedBytes(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if b := uint8(folded[s[i]]); b != 0 {
			out = append(out, b)
		}
	}
	return string(out)
}

// best returns the lines of text that are most similar to the needle, counted from 0
// and at most maxAlike, and their similarity. It returns none if no line is similar
// enough.
func (n *similarity) best(text string) (lines []int, like int) {
	eachLine(text, func(i int, line string) {
		if 2*len(line) <= n.wanted || len(line) > maxLike {
			return
		}
		// The whole line has at least as many as any window of it.
		now := enough(n.hits(line), n.wanted, 0)
		if now < like || now == 0 || now == like && len(lines) == maxAlike {
			return
		}
		if line = linetext.TrimSpace(line); len(line)-1 > n.within {
			now = n.inStretch(line)
		}
		switch {
		case now > like:
			lines, like = append(lines[:0], i), now
		case now == like && now > 0 && len(lines) < maxAlike:
			lines = append(lines, i)
		}
	})
	return lines, like
}

// eachLine calls visit with each line of text, with its line end, and its number from
// 0.
func eachLine(text string, visit func(i int, line string)) {
	if linetext.HasLoneCR(text) {
		for i, line := range linetext.Split(text) {
			visit(i, line)
		}
		return
	}
	for i := 0; text != ""; i++ {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		visit(i, text[:end])
		text = text[end:]
	}
}

// hits returns how many bigrams of a line the needle has.
func (n *similarity) hits(line string) int {
	hits, last := 0, uint16(0)
	for i := range len(line) {
		b := folded[line[i]]
		hits += int(n.pairs[last<<8|b&0xFF])
		last = b&0xFF | last&(b>>8)
	}
	return hits
}

// of returns the similarity of a line, or 0 if it is not similar enough.
func (n *similarity) of(line string) int {
	if line = linetext.TrimSpace(line); len(line)-1 <= n.within {
		return enough(n.hits(line), n.wanted, 0)
	}
	return n.inStretch(line)
}

// inStretch is like of, for a line that may be longer than the window.
func (n *similarity) inStretch(line string) int {
	line = foldedBytes(line)
	hits, most := 0, 0
	is := func(i int) int { return int(n.pairs[uint16(line[i-1])<<8|uint16(line[i])]) }
	for i := 1; i < len(line); i++ {
		hits += is(i)
		if i > n.within {
			hits -= is(i - n.within)
		}
		most = max(most, hits)
	}
	return enough(most, n.wanted, len(line)-1)
}

// enough returns the share of hits in thousandths, or 0 if it is half or less. A line
// more than twice as long needs three fifths, since it has some bigrams by chance.
func enough(hits, wanted, has int) int {
	like := hits * 1000 / wanted
	if like <= 500 || has > 2*wanted && like <= 600 {
		return 0
	}
	return min(like, 1000)
}
