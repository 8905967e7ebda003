package turn

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "redline/internal/seed"
)

// Requests in a group are the same.
func TestTheSameRequest(t *testing.T) {
	for _, same := range [][]string{
		{"rename Total to Sum", "Rename Total to Sum", " rename  Total   to Sum.", "please rename Total to Sum", "Please, rename Total to Sum.", "RENAME Total to Sum, please!", "rename Total to Sum please."},
		{"rename total to sum", "Rename total to sum", "Please rename total to sum."},
		{"add a greeting", "Add a greeting", "Add  a greeting, please."},
		{"fix the sum in a.go", "Fix the sum in a.go."},
		{"add tests", "please add tests", "add tests, please"},
		{"Document `Sum`", "document `Sum`."},
		{"use figures", "use figures, please", "use figures."},
		{"Add Sub to calc.go", "add Sub to calc.go"},
		{"one\r\ntwo\n", "one\ntwo"},
		{"don't touch  b.go", "don't touch b.go"},
	} {
		for _, text := range same {
			if got, want := normal(text), normal(same[0]); got != want {
				t.Errorf("%q counts as %q, and %q as %q", text, got, same[0], want)
			}
		}
	}
}

// No two requests of a group are the same.
func TestOtherRequests(t *testing.T) {
	for _, others := range [][]string{
		{"rename total to Sum", "rename Total to sum", "rename Total to Sum", "rename total to sum"},
		{"rename save to save!", "rename save to save", "rename save! to save"},
		{"Add is wrong", "add is wrong", "ADD is wrong"},
		{"Add leaks memory", "add leaks memory"},
		{"Move leads to a panic", "move leads to a panic"},
		{"Move went to nil", "move went to nil"},
		{"Rename", "rename"},
		{"replace The with the", "replace the with The", "replace the with the", "replace The with The"},
		{"replace hello with please", "replace hello with", "replace hello with Please"},
		{"remove please", "remove"},
		{"print \"a  b\"", "print \"a b\"", "print \"A b\"", "print \"a b.\""},
		{"print `a  b`", "print `a b`"},
		{"print 'a  b' and  c", "print 'a b' and c"},
		{"print \"a  b", "print \"a b"},
		{"use , in place of .", "use , in place of"},
		{"list the files in ..", "list the files in .", "list the files in"},
		{"call f(x...)", "call f(x)", "call f(x.)"},
		{"is it done?", "is it done"},
		{"write\n\tx", "write\n x", "write x"},
		{"add a\tb", "add a b"},
	} {
		seen := map[string]string{}
		for _, text := range others {
			if before, is := seen[normal(text)]; is {
				t.Errorf("%q and %q count as the same, %q", before, text, normal(text))
			}
			seen[normal(text)] = text
		}
	}
}

// Requests that name different things are never the same, whatever else differs and wherever the
// names are. Names may be spelt like the verbs with which requests begin.
func TestNamesKeepRequestsApart(t *testing.T) {
	letters := rapid.SampledFrom(slices.Concat(orders, strings.Fields("total sum save empty please a x the get_name getName cafe\u0301 größe")))
	name := rapid.Custom(func(t *rapid.T) string {
		word := letters.Draw(t, "word")
		switch rapid.IntRange(0, 3).Draw(t, "spelling") {
		case 1:
			word = strings.ToUpper(word[:1]) + word[1:]
		case 2:
			word = strings.ToUpper(word)
		}
		return word + rapid.SampledFrom([]string{"", "", "", "!", "?", "()", "_", "2"}).Draw(t, "end")
	})
	sentences := []string{
		"rename X to Y", "replace X with Y in all files", "X is wrong", "X fails with Y", "X returns nil", "X leads to Y", "X went to Y", "X can panic",
		"add a test for X", "fix X", "document X and Y", "move X into Y", "make X call Y", "what does X do", "`X` and \"Y\" differ", "the two names X Y",
		"in a.go X, then Y", "X", "write `X  Y`", "X: use Y", "change X", "test that X works", "drop X from Y", "X broke",
	}
	vary := func(t *rapid.T, text string) string {
		if rapid.Bool().Draw(t, "please") {
			text = "please " + text
		}
		if rapid.Bool().Draw(t, "end") {
			text += rapid.SampledFrom([]string{".", ",", " please", ", please.", " please!"}).Draw(t, "what")
		}
		return rapid.SampledFrom([]string{"", " "}).Draw(t, "space") + text
	}
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.SampledFrom(sentences).Draw(t, "sentence")
		one := []string{name.Draw(t, "X"), name.Draw(t, "Y")}
		other := []string{name.Draw(t, "other X"), name.Draw(t, "other Y")}
		if rapid.Bool().Draw(t, "only case") { // the likeliest way to take two names for one
			other = []string{swapped(one[0]), one[1]}
			if rapid.Bool().Draw(t, "the second") {
				other = []string{one[0], swapped(one[1])}
			}
		}
		if !strings.Contains(sentence, "Y") {
			other[1] = one[1]
		}
		if slices.Equal(one, other) {
			return
		}
		fill := func(names []string) string {
			return strings.NewReplacer("X", names[0], "Y", names[1]).Replace(sentence)
		}
		a, b := vary(t, fill(one)), vary(t, fill(other))
		if normal(a) == normal(b) {
			t.Fatalf("%q and %q count as the same, %q", a, b, normal(a))
		}
	})
}

// swapped returns a name with its first letter in the other case.
func swapped(name string) string {
	if up := strings.ToUpper(name[:1]); up != name[:1] {
		return up + name[1:]
	}
	return strings.ToLower(name[:1]) + name[1:]
}
