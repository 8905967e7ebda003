package plan

import "strings"

// The ratings that have words.
const (
	RatedBad  = 1
	RatedGood = 5
)

// ParseRating reads a rating as a user writes it: good, bad, or a number from 1 (bad) to 5 (good).
func ParseRating(word string) (rating int, ok bool) {
	switch word = strings.ToLower(word); {
	case word == "good":
		return RatedGood, true
	case word == "bad":
		return RatedBad, true
	case len(word) == 1 && word[0] >= '0'+RatedBad && word[0] <= '0'+RatedGood:
		return int(word[0] - '0'), true
	}
	return 0, false
}
