package edits

import "strings"

// minLike is how many characters a text has, spaces aside, of which it is said how like
// it another is.
const minLike = 4

// maxAlike is how many lines that are equally like a text are told apart.
const maxAlike = 64

// likeness says how like the lines of a text are to a piece of one: how many of the
// pairs of bytes of the piece, in thousandths, are in that stretch of the line, a quarter
// longer than the piece, that has most of them. Spaces and tabs do not count, and neither
// does the case of ASCII letters. A line of more than maxLike bytes is like nothing.
type likeness struct {
	pairs  [1 << 16]uint8 // 1 for those of the piece
	wanted int            // how many pairs the piece has
	within int            // how many the stretch has
}

// maxLike is how long a line may be, in bytes.
const maxLike = 16 << 10

// newLikeness returns what compares with needle, nil if that is too short.
func newLikeness(needle string) *likeness {
	needle = foldedBytes(needle)
	if len(needle) < minLike {
		return nil
	}
	n := &likeness{wanted: len(needle) - 1}
	n.within = n.wanted + n.wanted/4
	for i := 1; i < len(needle); i++ {
		n.pairs[uint16(needle[i-1])<<8|uint16(needle[i])] = 1
	}
	return n
}

// folded is the byte that each byte counts as: 0 for a blank and what ends a line. In
// its upper half is 0xFF where the byte before stays the one that a pair begins with.
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

// foldedBytes returns s without blanks and line ends, in lower case as far as it is
// ASCII.
func foldedBytes(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if b := uint8(folded[s[i]]); b != 0 {
			out = append(out, b)
		}
	}
	return string(out)
}

// best returns the lines of text, counted from 0, that are most like the piece, at most
// maxAlike, and how like they are. There are none if no line is much like it.
func (n *likeness) best(text string) (lines []int, like int) {
	eachLine(text, func(i int, line string) {
		if 2*len(line) <= n.wanted || len(line) > maxLike {
			return
		}
		// In all of the line there are no fewer than in a stretch of it.
		now := enough(n.hits(line), n.wanted, 0)
		if now < like || now == 0 || now == like && len(lines) == maxAlike {
			return
		}
		if line = trimmed(line); len(line)-1 > n.within {
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

// eachLine calls visit with the lines of text, with their line ends, and their numbers
// from 0.
func eachLine(text string, visit func(i int, line string)) {
	if hasLoneCR(text) {
		for i, line := range splitLines(text) {
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

// hits returns how many pairs of a line the piece has too.
func (n *likeness) hits(line string) int {
	hits, last := 0, uint16(0)
	for i := range len(line) {
		b := folded[line[i]]
		hits += int(n.pairs[last<<8|b&0xFF])
		last = b&0xFF | last&(b>>8)
	}
	return hits
}

// of returns how like a line is, 0 if it is not much.
func (n *likeness) of(line string) int {
	if line = trimmed(line); len(line)-1 <= n.within {
		return enough(n.hits(line), n.wanted, 0)
	}
	return n.inStretch(line)
}

// inStretch is of for a line that may be longer than the stretch.
func (n *likeness) inStretch(line string) int {
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

// enough returns how like a line is, in thousandths, that has hits of the wanted pairs,
// in one stretch. It is 0 unless that is more than half, or three fifths where the line is
// more than twice as long, as much is there by chance.
func enough(hits, wanted, has int) int {
	like := hits * 1000 / wanted
	if like <= 500 || has > 2*wanted && like <= 600 {
		return 0
	}
	return min(like, 1000)
}
