package draft

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// changed are the lines that a change has taken out of a file and put into it.
type changed struct {
	removed, added []string
	before         string // the file before
}

// changedLines compares two texts by their lines, without the spaces around them and whatever
// their order.
func changedLines(before, after string) changed {
	return changed{linesNotIn(before, after, maxChanged), linesNotIn(after, before, maxChanged), before}
}

// most reports whether the change is of more than half of the file, or makes the file.
func (c changed) most() bool {
	return 2*len(c.removed) >= 1+len(linesNotIn(c.before, "", 2*maxChanged))
}

// linesNotIn returns the lines of a text that another text does not have, most of them at most,
// without the spaces around them and without those that are blank.
func linesNotIn(text, other string, most int) []string {
	there := map[string]int{}
	for line := range strings.Lines(other) {
		there[strings.TrimSpace(line)]++
	}
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if there[line] > 0 {
			there[line]--
			continue
		}
		if all = append(all, line); len(all) == most {
			break
		}
	}
	return all
}

// makes reports whether a change is like the replacement of a text: it adds at least half of the
// lines that the replacement adds to the file or, if that only removes lines, it removes half of
// those. Or it replaces the same words and signs by the same, beside half of the same words, as a
// second attempt does that only gets a name right. A replacement that changes no line is only about
// spaces or the order; any change may be like it.
func (c changed) makes(t Text) bool {
	if t.Either {
		return mostAre(linesNotIn(t.New, "", maxLines), slices.Concat(c.added, c.removed))
	}
	if wanted := linesNotIn(t.New, t.Old+"\n"+c.before, maxLines); len(wanted) > 0 {
		return mostAre(wanted, c.added) || c.exchanges(t)
	}
	if gone := linesNotIn(t.Old, t.New, maxLines); len(gone) > 0 {
		return mostAre(gone, c.removed)
	}
	return true
}

// exchanges reports whether a change replaces the same words and signs as the replacement of a
// text by the same, beside half of the same words.
func (c changed) exchanges(t Text) bool {
	removed, added := strings.Join(c.removed, "\n"), strings.Join(c.added, "\n")
	news := tokensNotIn(t.New, t.Old)
	if !maps.Equal(news, tokensNotIn(added, removed)) || !maps.Equal(tokensNotIn(t.Old, t.New), tokensNotIn(removed, added)) {
		return false
	}
	beside := wordsIn(t.New)
	maps.DeleteFunc(beside, func(word string, _ bool) bool { return news[word] > 0 })
	there, n := wordsIn(added), 0
	for word := range beside {
		if there[word] {
			n++
		}
	}
	return n > 0 && 2*n >= len(beside)
}

// tokensNotIn counts the words and signs of a text beyond those of another.
func tokensNotIn(text, other string) map[string]int {
	count := map[string]int{}
	add := func(text string, by int) {
		for _, line := range linesNotIn(text, "", maxLines) {
			for _, word := range words(line) {
				count[word] += by
			}
			for _, r := range line {
				if !inWord(r) && !unicode.IsSpace(r) {
					count[string(r)] += by
				}
			}
		}
	}
	add(text, 1)
	add(other, -1)
	maps.DeleteFunc(count, func(_ string, n int) bool { return n <= 0 })
	return count
}

// mostAre reports whether at least half of the wanted lines are among others, more or less.
// Lines without words count only if there are no others.
func mostAre(wanted, others []string) bool {
	said := make([]map[string]bool, len(others))
	for i, line := range others {
		said[i] = wordsIn(line)
	}
	told, found, bare := 0, 0, 0
	for _, line := range wanted {
		own := wordsIn(line)
		if len(own) == 0 {
			for _, other := range others {
				if other == line {
					bare++
					break
				}
			}
			continue
		}
		told++
		for _, other := range said {
			if mostIn(own, other) {
				found++
				break
			}
		}
	}
	if told == 0 {
		return 2*bare >= len(wanted)
	}
	return 2*found >= told
}

// mostIn reports whether at least two thirds of some words are among others.
func mostIn(own, others map[string]bool) bool {
	n := 0
	for word := range own {
		if others[word] {
			n++
		}
	}
	return 3*n >= 2*len(own)
}

// wordsIn returns the words and numbers of a line.
func wordsIn(line string) map[string]bool {
	all := map[string]bool{}
	for _, word := range words(line) {
		all[word] = true
	}
	return all
}

// words returns the words and numbers of a text in order.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !inWord(r) })
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
