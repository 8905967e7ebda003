// Package nearest finds what somebody probably meant by a word that is not
// one of the words they could have used.
package nearest

import "slices"

// Of returns those of known that are nearest to word by the number of letters
// to put in, take out or change, in known's order and at most three. It
// returns nil if none is near enough to be meant.
func Of(word string, known []string) []string {
	best := max(1, len(word)/3)
	var found []string
	for _, k := range known {
		switch d := distance(word, k); {
		case d < best:
			best, found = d, []string{k}
		case d == best:
			found = append(found, k)
		}
	}
	return found[:min(len(found), 3)]
}

// Within reports whether no more than most letters have to be put in, taken out or changed to
// make one word of the other.
func Within(a, b string, most int) bool { return distance(a, b) <= most }

// distance is the Levenshtein distance of two words, in runes.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		last := slices.Clone(row)
		row[0] = i + 1
		for j, s := range to {
			change := last[j]
			if r != s {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
		}
	}
	return row[len(to)]
}
