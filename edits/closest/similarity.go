package closest

import (
	"cmp"
	"slices"
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
		end = cmp.Or(end, len(text))
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

// sharer finds the wanted lines in a text. Spaces and tabs around a line do not count.
type sharer struct {
	ids   map[string]int // of the wanted lines, from 1
	wants []int          // by id: how often a line is wanted, less how often the window has it
	order []int          // the ids of the wanted lines, 0 for one that says nothing
	total int            // of those that say something
	seen  [1 << 10]uint64
}

// newSharer indexes the wanted lines. Those without a letter or digit do not count.
func newSharer(want []string) *sharer {
	s := &sharer{ids: map[string]int{}, wants: []int{0}, order: make([]int, len(want))}
	for i, w := range want {
		w = strings.TrimSpace(w)
		if !telling(w) {
			continue
		}
		if s.ids[w] == 0 {
			s.ids[w] = len(s.wants)
			s.wants = append(s.wants, 0)
			sum := sumOf(w)
			s.seen[sum>>6] |= 1 << (sum & 63)
		}
		s.order[i] = s.ids[w]
		s.wants[s.ids[w]]++
		s.total++
	}
	return s
}

// sumOf returns a checksum below 1<<16 of a line that is not empty.
func sumOf(line string) uint16 {
	n := len(line)
	return uint16(n)<<11 ^ uint16(line[0]) ^ uint16(line[n-1])<<3 ^ uint16(line[n/2])<<6 ^ uint16(line[n/3])<<8
}

// id returns the id of a line, 0 if it is not wanted.
func (s *sharer) id(line string) int {
	if line = linetext.TrimSpace(line); line == "" {
		return 0
	}
	if sum := sumOf(line); s.seen[sum>>6]&(1<<(sum&63)) == 0 {
		return 0
	}
	return s.ids[line]
}

// sharedLines finds the windows of len(want) lines that share most lines with the
// wanted ones, at least a third. It returns where the wanted lines would start there,
// at most maxAlike lines. absent is the longest wanted line that counts and that text
// does not have, or -1.
func sharedLines(text string, want []string) (starts []int, absent int) {
	s := newSharer(want)
	if s.total == 0 {
		return nil, -1
	}
	found := make([]bool, len(s.wants))
	var at, ids []int // the lines that are wanted, and their ids
	var tops []int    // the first lines of the windows that have most
	first := 0        // at[first:] are in the window
	score, best := 0, 0
	eachLine(text, func(i int, body string) {
		id := s.id(body)
		if id == 0 {
			return
		}
		found[id] = true
		for ; first < len(at) && at[first] <= i-len(want); first++ {
			if s.wants[ids[first]]++; s.wants[ids[first]] > 0 {
				score--
			}
		}
		at, ids = append(at, i), append(ids, id)
		if s.wants[id]--; s.wants[id] >= 0 {
			score++
		}
		if score > best {
			best, tops = score, tops[:0]
		}
		if score == best && len(tops) < maxAlike {
			tops = append(tops, max(i+1-len(want), 0))
		}
	})
	absent = s.absent(want, found)
	if best*3 < s.total {
		return nil, absent
	}
	for _, top := range tops {
		if start := s.aligned(top, at, ids); !slices.Contains(starts, start) {
			starts = append(starts, start)
		}
	}
	return starts, absent
}

// absent returns the longest wanted line that counts and was not found, or -1.
func (s *sharer) absent(want []string, found []bool) int {
	longest := -1
	for i, id := range s.order {
		if id > 0 && !found[id] && (longest < 0 || len(linetext.TrimSpace(want[i])) > len(linetext.TrimSpace(want[longest]))) {
			longest = i
		}
	}
	return longest
}

// aligned returns where the wanted lines would start in the window at a line, by the
// offset that most of its wanted lines agree on. at are the lines that are wanted, in
// rising order, and ids their ids.
func (s *sharer) aligned(line int, at, ids []int) int {
	place := make([]int, len(s.wants)) // by id: the first wanted line that has it
	for i := len(s.order) - 1; i >= 0; i-- {
		place[s.order[i]] = i
	}
	start, votes := line, map[int]int{}
	for i, _ := slices.BinarySearch(at, line); i < len(at) && at[i] < line+len(s.order); i++ {
		from := at[i] - place[ids[i]]
		if votes[from]++; votes[from] > votes[start] {
			start = from
		}
	}
	return start
}

// telling reports whether a line has a letter or a digit, so that it is worth looking
// for.
func telling(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r > 0x7F
	})
}
