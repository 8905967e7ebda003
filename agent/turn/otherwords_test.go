package turn

import (
	"testing"

	"redline/agent/chat"
)

// Requests in a group ask the same in other words, and no two groups do.
func TestTheSameInOtherWords(t *testing.T) {
	seen := map[string]string{}
	for _, same := range [][]string{
		{"rename total to Sum", "Change the name of total to Sum.", "let total be called Sum", "please rename the function total to `Sum` everywhere", "total should be named Sum", "call total Sum instead", "give total the name Sum"},
		{"rename total to sum", "total should be named sum"},
		{"rename Total to Sum"},
		{"rename total to Sum in a.go", "change the name of total to Sum in a.go"},
		{`replace "a b" with "c"`, "change `a b` to `c`", `use "c" instead of "a b"`, `substitute "c" for "a b" in all files`, `swap "a b" for "c"`},
		{`replace "c" with "a b"`},
		{`replace "A b" with "c"`},
		{"delete old.txt", "Remove the file old.txt.", "get rid of `old.txt`", "drop old.txt"},
		{"move a.txt to b.txt", "rename the file a.txt to b.txt"},
		{"run `go test`", "execute `go test`."},
	} {
		form := chat.AsksFor(normal(same[0]))
		if form == "" || seen[form] != "" {
			t.Errorf("%q has the form %q, as %q", same[0], form, seen[form])
		}
		seen[form] = same[0]
		for _, text := range same {
			if got := chat.AsksFor(normal(text)); got != form {
				t.Errorf("%q has the form %q, and %q has %q", text, got, same[0], form)
			}
		}
	}
	for _, text := range []string{
		"", "rename it", "rename total to Sum and add a test", "rename total to Sum, but not in b.go", "do not rename total to Sum", "why is total called Sum?",
		"rename total to\nSum", "replace the loop with a map", "delete the old tests", "run the tests", "move the parser to its own file", "total is called Sum", "rename save! to save",
	} {
		if form := chat.AsksFor(normal(text)); form != "" {
			t.Errorf("%q has the form %q", text, form)
		}
	}
}
