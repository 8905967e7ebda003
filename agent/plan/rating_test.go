package plan

import "testing"

func TestParseRating(t *testing.T) {
	for word, want := range map[string]int{"good": 5, "Bad": 1, "1": 1, "5": 5, "0": 0, "6": 0, "4.5": 0, "": 0, "fine": 0, "44": 0} {
		if got, ok := ParseRating(word); got != want || ok != (want != 0) {
			t.Errorf("%q is read as %d, %v, want %d", word, got, ok, want)
		}
	}
}
