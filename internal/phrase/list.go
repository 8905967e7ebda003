package phrase

import (
	"slices"
	"strconv"
	"strings"
)

// Count returns a number with its noun: "1 file", "3 files".
func Count(n int, noun string) string { return strconv.Itoa(n) + " " + plural(n, noun) }

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// And lists names: "o1", "o1 and o2", "o1, o2 and o3".
func And(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Named lists names after their noun: "hunk h1", "hunks h1 and h2". Without names it
// returns the noun.
func Named(noun string, names []string) string {
	if len(names) > 1 {
		noun += "s"
	}
	return strings.TrimSpace(noun + " " + And(names))
}

// FirstOf returns names if there are at most limit of them. Else it returns the first
// limit names and, as the last element, the number of the others: "3 more files".
func FirstOf(names []string, limit int, noun string) []string {
	more := len(names) - limit
	if more <= 0 {
		return names
	}
	return append(slices.Clone(names[:limit]), Count(more, "more "+noun))
}
