package closest

import (
	"slices"
	"strings"

	"redline/edits/internal/linetext"
)

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
