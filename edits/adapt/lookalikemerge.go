package adapt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"znkr.io/diff"

	"redline/edits/internal/linetext"
)

// lookalikeMerge merges a new line into a line of the file that differs from the old
// line in look-alikes, word by word. A word that stays keeps the file's bytes. A
// look-alike stays only if that cannot change the meaning: "—-" is not "--", and
// “a" is not a quotation.
type lookalikeMerge struct {
	here, was, now []string        // the words of the place, of the old line and of the new line
	seen           []string        // the words of the new line if it keeps no look-alike
	of             []int           // the old word of each new word, -1 if it was added
	quotes         map[byte]quoted // the quotation marks, by the ASCII mark that they resemble
	unclear        int             // a new word that may be a look-alike or its ASCII character, or -1
	there          string          // the word of the place for its old word
}

// quoted holds the positions of one kind of quotation mark in the old and in the new
// words.
type quoted struct{ was, now marksOf }

// marksOf holds, for each word, the index of the mark before it and after it, or -1, and
// the number of marks before it.
type marksOf struct{ before, after, count []int }

// newLookalikeMerge keeps the look-alikes that both lines share, unless they would
// clash.
func newLookalikeMerge(here, was, now, seen []string, of []int) *lookalikeMerge {
	m := &lookalikeMerge{here: here, was: was, now: now, seen: seen, of: of, unclear: -1}
	m.quotes = map[byte]quoted{'"': {marks(was, '"'), marks(now, '"')}, '\'': {marks(was, '\''), marks(now, '\'')}}
	todo := make([]int, len(now))
	for j := range now {
		todo[j] = len(now) - 1 - j
	}
	for len(todo) > 0 {
		j := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !m.stays(j) || !m.clashes(j) {
			continue
		}
		m.of[j] = -1 // its neighbour or partner may clash now
		if q := m.quotes[look(now[j])]; q.now.before != nil {
			todo = append(todo, q.now.before[j], q.now.after[j])
		}
		todo = append(todo, j-1, j+1)
	}
	return m
}

// String returns the line.
func (m *lookalikeMerge) String() string {
	var b strings.Builder
	for j, i := range m.of {
		if i >= 0 {
			b.WriteString(m.here[i])
		} else {
			b.WriteString(m.seen[j])
		}
	}
	return b.String()
}

// why returns why the line is unclear, or "".
func (m *lookalikeMerge) why() string {
	if m.unclear < 0 {
		return ""
	}
	r, _ := utf8.DecodeRuneInString(m.there)
	return fmt.Sprintf("it is not clear which of the %q in the new text is the %c (U+%04X) of the file, whose counterpart is on another line", m.now[m.unclear], r, r)
}

// better reports whether the line is clearer than another, or keeps more look-alikes.
func (m *lookalikeMerge) better(than *lookalikeMerge) bool {
	if clear := m.unclear < 0; clear != (than.unclear < 0) {
		return clear
	}
	return m.kept() > than.kept()
}

// kept returns how many look-alikes stay.
func (m *lookalikeMerge) kept() int {
	n := 0
	for j := range m.of {
		if m.stays(j) {
			n++
		}
	}
	return n
}

// stays reports whether new word j is a look-alike that keeps the file's bytes.
func (m *lookalikeMerge) stays(j int) bool {
	return j >= 0 && j < len(m.of) && m.of[j] >= 0 && m.here[m.of[j]] != m.seen[j]
}

// clashes reports whether new word j, a look-alike that stays, would mean something other
// than the author wrote.
func (m *lookalikeMerge) clashes(j int) bool {
	l := look(m.now[j])
	for _, n := range []int{j - 1, j + 1} {
		if n < 0 || n >= len(m.now) || m.of[n] >= 0 && m.of[n]-m.of[j] == n-j {
			continue // there is no neighbour, or it is the same as in the place
		}
		if look(m.now[n]) == l || strings.Contains(joins[l], m.now[n]) {
			return true
		}
	}
	if l != '"' && l != '\'' || apostrophe(m.now, j) {
		return false
	}
	return m.breaksPair(j, m.quotes[l])
}

// joins maps an ASCII character to those that form another sign with it: an arrow, an
// operator, a literal.
var joins = map[byte]string{
	'-':  "<>=+|\\",
	'"':  "\\`=+$@<>",
	'\'': "\\`=+$@<>",
	' ':  "\\",
}

// breaksPair reports whether new word j, a quotation mark that stays, would lose its
// counterpart or get one of another kind.
func (m *lookalikeMerge) breaksPair(j int, q quoted) bool {
	i := m.of[j]
	side := m.side(i, j, q)
	if side == 0 {
		return false
	}
	was, now := q.was.before[i], q.now.before[j]
	if side > 0 {
		was, now = q.was.after[i], q.now.after[j]
		if j > 0 && m.of[j-1] != i-1 && isWordText(m.now[j-1]) {
			return true // f"a"
		}
	}
	switch {
	case was < 0 && now < 0:
		return false // on another line
	case was < 0:
		m.unclear, m.there = j, m.here[i]
		return false
	case now < 0:
		return true
	case m.of[now] == was:
		return false
	}
	return !m.stays(now) || m.side(m.of[now], now, q) != -side
}

// side returns the direction of a mark's counterpart: 1 after an opening mark, -1 before
// a closing one, 0 if the mark is neither.
func (m *lookalikeMerge) side(i, j int, q quoted) int {
	for _, s := range []string{m.here[i], m.now[j]} {
		switch r, _ := utf8.DecodeRuneInString(s); r {
		case '‘', '“':
			return 1
		case '’', '”':
			return -1
		case '‛', '‟', '＂', '＇': // every second one closes
			return 1 - q.was.count[i]%2*2
		}
	}
	return 0
}

// marks returns where the quotation marks of one kind are. Apostrophes do not count.
func marks(words []string, kind byte) marksOf {
	n := len(words)
	m := marksOf{make([]int, n), make([]int, n), make([]int, n)}
	last, count := -1, 0
	for j := range words {
		m.before[j], m.count[j] = last, count
		if look(words[j]) == kind && !apostrophe(words, j) {
			last, count = j, count+1
		}
	}
	last = -1
	for j := len(words) - 1; j >= 0; j-- {
		m.after[j] = last
		if look(words[j]) == kind && !apostrophe(words, j) {
			last = j
		}
	}
	return m
}

// look returns the ASCII quote, dash or space that a word looks like, or 0.
func look(word string) byte {
	c, size, width := linetext.PlainRune(word)
	if size != len(word) || width != 1 || c != '"' && c != '\'' && c != '-' && c != ' ' {
		return 0
	}
	return c
}

// apostrophe reports whether word j is an apostrophe inside a word.
func apostrophe(words []string, j int) bool {
	return look(words[j]) == '\'' && j > 0 && j+1 < len(words) && isWordText(words[j-1]) && isWordText(words[j+1])
}

// isWordText reports whether a piece of [linetext.Words] is letters and digits.
func isWordText(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return linetext.IsWord(r)
}

// maxExactWords is how many words two lines may have together for an exact comparison.
const maxExactWords = 1 << 14

// byWords pairs as many words as possible. It returns, for each new word, the index of
// its old word, or -1.
func byWords(old, new []string) []int {
	var options []diff.Option
	if len(old)+len(new) > maxExactWords {
		options = append(options, diff.Fast())
	}
	of := make([]int, 0, len(new))
	for _, e := range diff.Edits(old, new, options...) {
		switch e.Op {
		case diff.Match:
			of = append(of, e.PosX)
		case diff.Insert:
			of = append(of, -1)
		}
	}
	return of
}

// byWordsBackwards is byWords from the end of the line.
func byWordsBackwards(old, new []string) []int {
	old, new = slices.Clone(old), slices.Clone(new)
	slices.Reverse(old)
	slices.Reverse(new)
	of := byWords(old, new)
	slices.Reverse(of)
	for j, i := range of {
		if i >= 0 {
			of[j] = len(old) - 1 - i
		}
	}
	return of
}

// byChunks is byWords, but pairs whole chunks between two spaces first.
func byChunks(old, new []string) []int {
	of := make([]int, 0, len(new))
	was, wasAt := chunks(old)
	is, isAt := chunks(new)
	i, j := 0, 0 // the first words that are not paired yet
	between := func(oldEnd, newEnd int) {
		for _, k := range byWords(old[i:oldEnd], new[j:newEnd]) {
			if k >= 0 {
				k += i
			}
			of = append(of, k)
		}
		i, j = oldEnd, newEnd
	}
	for y, x := range byWords(was, is) {
		if x < 0 || is[y] == " " {
			continue
		}
		between(wasAt[x], isAt[y])
		for n := isAt[y+1] - isAt[y]; n > 0; n-- {
			of = append(of, i)
			i, j = i+1, j+1
		}
	}
	between(len(old), len(new))
	return of
}

// chunks returns the words joined up to a space, and each space by itself; and the index
// of the word at which each chunk starts, with one more entry for the end.
func chunks(words []string) (joined []string, starts []int) {
	for i, word := range words {
		if i == 0 || look(word) == ' ' || look(words[i-1]) == ' ' {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(words))
	for k, start := range starts[:len(starts)-1] {
		joined = append(joined, strings.Join(words[start:starts[k+1]], ""))
	}
	return joined, starts
}
