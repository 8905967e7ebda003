package redline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// How long the pages may be, in words as `wc -w` counts them. The reference and the decisions
// do not count: nobody reads them from start to end.
const (
	mostPages       = 20
	mostWords       = 20_000
	mostReadmeWords = 1_300
)

// The pages of docs stay few and short, and so does README.md.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("found %d pages, %v: does this test still look in the right place?", len(pages), err)
	}
	words := 0
	for _, name := range pages {
		n := wordsOf(t, name)
		t.Logf("%6d %s", n, name)
		words += n
	}
	t.Logf("%6d in %d pages", words, len(pages))
	if len(pages) > mostPages || words > mostWords {
		t.Errorf("docs has %d words in %d pages, want at most %d in %d", words, len(pages), mostWords, mostPages)
	}
	if n := wordsOf(t, "README.md"); n > mostReadmeWords {
		t.Errorf("README.md has %d words, want at most %d", n, mostReadmeWords)
	}
}

func wordsOf(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return len(strings.Fields(string(text)))
}

// Each page of docs begins with the question that it answers.
func TestPagesBeginWithTheirQuestion(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	begins := regexp.MustCompile(`^# [^\n]+\n\n\*[^*]+\?\*\n\n`)
	for _, name := range pages {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !begins.Match(text) {
			t.Errorf("%s does not begin with its title and, in italics, the question that it answers", name)
		}
	}
}
