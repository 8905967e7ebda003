package model

import (
	"slices"
	"testing"
)

// The files of a search's answer are read in all its forms, and nothing else is taken for one.
func TestHitsIn(t *testing.T) {
	for answer, want := range map[string]found{
		"no matches": {},
		"no matches, but as a regular expression (regex: true):\na.go:1: x":                                     {},
		"a.go:1: x\nb: c/d.go\n2: x:3: y\n10: x\n\"12: e\"\n1: x\n2:\n":                                         {files: []string{"a.go", "b: c/d.go", "12: e"}},
		"a.go\n1: x\n2: x\n… 7 more lines match (narrow the search to see them):\nc.go: 3 lines\nd.go: 4 lines": {files: []string{"a.go"}, left: "7 more lines match (narrow the search to see them)"},
	} {
		if got := hitsIn(answer); !slices.Equal(got.files, want.files) || got.left != want.left {
			t.Errorf("%q has %+v, want %+v", answer, got, want)
		}
	}
}
