package placeholder

import (
	"os"
	"strings"
	"testing"
)

// block is a text of which a few lines are replaced in each context.
const block = "head() {\n    first()\n    alpha()\n    beta()\n    gamma()\n    last()\n}\n"

// lostIn are new texts for it in which the line PH stands for code.
var lostIn = map[string]string{
	"alone, for a few lines":               "head() {\n    first()\n    PH\n    last()\n}\n",
	"after a new line, at the block's end": "head() {\n    first()\n    brandNew(1)\n    PH\n}\n",
	"at the block's end":                   "head() {\n    first()\n    PH\n}\n",
}

// keptIn are new texts in which the line PH is a comment on the code below or above it.
var keptIn = map[string]string{
	"above a changed line":      "head() {\n    first()\n    PH\n    alpha(2)\n    beta()\n    gamma()\n    last()\n}\n",
	"above several":             "head() {\n    first()\n    PH\n    gamma2(3)\n    other(4)\n    last()\n}\n",
	"inserted":                  "head() {\n    first()\n    alpha()\n    PH\n    more2(3)\n    beta()\n    gamma()\n    last()\n}\n",
	"below a line that changed": "head() {\n    first()\n    alpha()\n    beta()\n    gamma()\n    last(2)\n    PH\n}\n",
}

// TestLinesInContext tries each line of a list in each context. A list names the file before its
// lines: "== a.go".
func TestLinesInContext(t *testing.T) {
	for _, of := range []struct {
		list     string
		contexts map[string]string
		lost     bool
		least    int
	}{{"lost.txt", lostIn, true, 900}, {"kept.txt", keptIn, false, 350}} {
		data, err := os.ReadFile("testdata/" + of.list)
		if err != nil {
			t.Fatal(err)
		}
		path, n := "", 0
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSuffix(line, "\n")
			if name, ok := strings.CutPrefix(line, "== "); ok {
				path = name
				continue
			}
			n++
			for name, text := range of.contexts {
				found := Find(path, block, strings.Replace(text, "PH", line, 1))
				if (len(found) > 0) != of.lost {
					t.Errorf("%s: %q %s was found as %v", path, line, name, found)
				}
			}
		}
		if t.Log(of.list, n, "lines"); n < of.least {
			t.Errorf("%s has only %d lines", of.list, n)
		}
	}
}

// A comment that may mean something else counts only if it is the only added line.
func TestHintsCountOnlyAlone(t *testing.T) {
	for _, line := range []string{"// existing fields", "// other methods", "// same as above", "// rest of main", "// the remaining functions"} {
		for name, text := range keptIn {
			if found := Find("a.go", block, strings.Replace(text, "PH", line, 1)); len(found) > 0 {
				t.Errorf("%q %s was found", line, name)
			}
		}
		for name, text := range lostIn {
			if found := Find("a.go", block, strings.Replace(text, "PH", line, 1)); len(found) != 1 {
				t.Errorf("%q %s was not found", line, name)
			}
		}
		// A reworded comment.
		old := "a()\n// all the others, and the helpers\nb()\nc()\n"
		if found := Find("a.go", old, "a()\n"+line+"\nc()\n"); len(found) > 0 {
			t.Errorf("%q for another comment was found", line)
		}
	}
}
