package intraline

import (
	"strings"
	"unicode/utf8"

	"znkr.io/diff"

	"redline/edits"
	"redline/edits/internal/linetext"
)

const (
	// similar is how much of a line must stay if it is to be another line, edited.
	similar = 0.5
	// fewest is how many letters must stay: a brace is in many lines.
	fewest = 3
	// part is how much of the lines must stay, as one of so many parts, if both are in the same place.
	part = 3
	// maxWords limits what is compared: the product of the numbers of words. A longer line was
	// written by a program.
	maxWords = 1 << 20
)

// wording is a line as a list of words.
type wording struct {
	line    string
	words   []string
	names   []int32 // of the words: equal words have the same name
	sizes   []int   // how many letters each word has
	letters int     // how many the line has
}

// wordingOf splits a line. It adds the names of new words to names.
func wordingOf(line string, names map[string]int32) *wording {
	w := &wording{line: line, words: clusters(line)}
	w.names, w.sizes = make([]int32, len(w.words)), make([]int, len(w.words))
	for i, word := range w.words {
		name, known := names[word]
		if !known {
			name = int32(len(names))
			names[word] = name
		}
		w.names[i] = name
		w.sizes[i] = letters(word)
		w.letters += w.sizes[i]
	}
	return w
}

func wordingsOf(lines []string, names map[string]int32) []*wording {
	all := make([]*wording, len(lines))
	for i, line := range lines {
		all[i] = wordingOf(line, names)
	}
	return all
}

// wordsIn returns how many words some lines have.
func wordsIn(lines []*wording) (n int) {
	for _, w := range lines {
		n += len(w.words)
	}
	return n
}

// letters returns how many characters a word has, 0 for spaces.
func letters(word string) int {
	if strings.TrimSpace(word) == "" {
		return 0
	}
	return utf8.RuneCountInString(word)
}

// compare returns what differs in two lines, and how many letters are the same.
func compare(x, y *wording) (changes []Change, same int) {
	xs, ys := offsetsOf(x.words), offsetsOf(y.words)
	end := func(w *wording, offsets []int, i int) int {
		if i < len(offsets) {
			return offsets[i]
		}
		return len(w.line)
	}
	same = x.letters
	for _, h := range diff.Hunks(x.names, y.names, diff.Context(0)) {
		for _, size := range x.sizes[h.PosX:h.EndX] {
			same -= size
		}
		c := Change{
			Old: edits.Span{Start: end(x, xs, h.PosX), End: end(x, xs, h.EndX)},
			New: edits.Span{Start: end(y, ys, h.PosY), End: end(y, ys, h.EndY)},
		}
		if n := len(changes); n > 0 && replaces(changes[n-1]) && replaces(c) && strings.TrimSpace(x.line[changes[n-1].Old.End:c.Old.Start]) == "" {
			changes[n-1].Old.End, changes[n-1].New.End = c.Old.End, c.New.End // a space between two words is not worth showing
		} else {
			changes = append(changes, c)
		}
	}
	return changes, same
}

func replaces(c Change) bool { return c.Old.Len() > 0 && c.New.Len() > 0 }

// likeness returns how much two lines with a number of common letters are alike, up to 1, or 0 if
// they are not the same line. A line that only grows still is. near says that both are in the same
// place.
func likeness(x, y *wording, same int, near bool) float64 {
	if x.letters == 0 && y.letters == 0 {
		return 1
	}
	alike := 2 * float64(same) / float64(x.letters+y.letters)
	stays := 0.75*float64(same)/float64(max(x.letters, 1)) + 0.25*alike
	if linetext.PartsOf(x.line).Indent != linetext.PartsOf(y.line).Indent {
		alike, stays = 0.9*alike, 0.9*stays
	}
	if stays >= similar && (same >= fewest || x.letters == y.letters) || near && part*same >= max(x.letters, y.letters) {
		return alike
	}
	return 0
}

// mostAlike yields the pairs of lines that are together most alike, in order. names is how
// many words the lines have.
func mostAlike(x, y []*wording, names int, yield func(i, j int)) {
	n, m := len(x), len(y)
	width := m + 1
	fits, best := make([]float64, n*m), make([]float64, (n+1)*width)
	bag := make(bag, names)
	for i := n - 1; i >= 0; i-- {
		bag.fill(x[i])
		for j := m - 1; j >= 0; j-- {
			here := max(best[(i+1)*width+j], best[i*width+j+1])
			near := n == m && i == j
			if likeness(x[i], y[j], bag.common(y[j]), near) > 0 { // the order of the words can only make it less
				_, same := compare(x[i], y[j])
				if fit := likeness(x[i], y[j], same, near); fit > 0 {
					fits[i*m+j] = fit
					here = max(here, best[(i+1)*width+j+1]+fit)
				}
			}
			best[i*width+j] = here
		}
		bag.empty(x[i])
	}
	for i, j := 0, 0; i < n && j < m; {
		fit := fits[i*m+j]
		switch {
		case fit > 0 && best[i*width+j] == best[(i+1)*width+j+1]+fit:
			yield(i, j)
			i, j = i+1, j+1
		case best[i*width+j] == best[(i+1)*width+j]:
			i++
		default:
			j++
		}
	}
}

// bag counts the words of one line, by their names.
type bag []int32

func (b bag) fill(w *wording) {
	for _, name := range w.names {
		b[name]++
	}
}

func (b bag) empty(w *wording) {
	for _, name := range w.names {
		b[name] = 0
	}
}

// common returns how many letters the words have that both the bag and a line have.
func (b bag) common(w *wording) (n int) {
	for i, name := range w.names {
		if b[name] > 0 {
			n += w.sizes[i]
		}
		b[name]--
	}
	for _, name := range w.names {
		b[name]++
	}
	return n
}
