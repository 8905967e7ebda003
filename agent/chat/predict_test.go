package chat_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"redline/agent/chat"
)

func TestAListIsReadStrictly(t *testing.T) {
	for _, text := range []string{`{"files":["a.go","b/c.go"]}`, "```json\n{\"files\":[\"a.go\",\"b/c.go\"]}\n```"} {
		if got, err := chat.ParsePredicted(text); err != nil || !slices.Equal(got, []string{"a.go", "b/c.go"}) {
			t.Errorf("Parse(%q) = %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "[]", `{}`, `{"files":null}`, `{"files":"a.go"}`, `{"files":[1]}`, `The files: {"files":[]}`, `{"files":[],"files":["x"]}`, `{"files":[],"more":1}`} {
		if got, err := chat.ParsePredicted(text); err == nil {
			t.Errorf("Parse(%q) = %q", text, got)
		}
	}
}

func TestFilesInWords(t *testing.T) {
	known := func(p string) bool { return p == "main.go" || p == "cmd/tool" }
	for text, want := range map[string][]string{
		"Change `Total` in `shop/prices.go` and its test.":            {"shop/prices.go"},
		"main.go gets a flag; add cmd/flags.go, and a `Makefile`.":    {"main.go", "cmd/flags.go", "Makefile"},
		"Use `fmt.Println` and `os.Exit`; see e.g. the docs, v1.2.3.": nil,
		"1. **src/a.ts**: new\n2. (src/b.ts) gone":                    {"src/b.ts"},
		"the and/or case, and cmd/tool":                               {"cmd/tool"},
		"`./x/y.go:12` and https://example.com/a.html":                {"x/y.go"},
		"nothing at all": nil,
		"":               nil,
	} {
		if got := chat.PredictFromWords(text, known); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPathsAreChecked(t *testing.T) {
	check := func(p string) (string, error) {
		if strings.HasPrefix(p, "..") || strings.HasPrefix(p, "/") {
			return "", errors.New("outside")
		}
		return p, nil
	}
	got := chat.CleanPredicted([]string{"./a.go", "a.go", "../x", "/etc/passwd", "b.go:3", "", "c\nd", "e/", "*.go", strings.Repeat("x", 400)}, check)
	if want := []string{"a.go", "b.go", "e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprint("f", i))
	}
	if got := chat.CleanPredicted(many, check); len(got) != chat.MaxPredicted {
		t.Errorf("%d paths", len(got))
	}
}
