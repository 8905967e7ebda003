package model

import "testing"

func TestWithoutNotes(t *testing.T) {
	for content, want := range map[string]string{
		"[The user has approved \"a\" hunk h1.]\n\nerror: there is no file b": "error: there is no file b",
		"[one]\n[two]\n\nstaged\n\nmore":                                      "staged\n\nmore",
		"error: no":                                                           "error: no",
		"a.go:1: [x]\n\nmore":                                                 "a.go:1: [x]\n\nmore",
		"[a].txt\n[b].txt":                                                    "[a].txt\n[b].txt",
		"[a]\nb.txt\n\n… more":                                                "[a]\nb.txt\n\n… more",
	} {
		if got := withoutNotes(content); got != want {
			t.Errorf("of %q comes %q, want %q", content, got, want)
		}
	}
}
