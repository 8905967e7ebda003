package tool_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// writtenOut replaces the visible signs of the stories with the characters they stand
// for.
var writtenOut = strings.NewReplacer("∎\n", "", "␍", "\r", "␠", " ", "␉", "\t", "⍽", "\u00a0", "⟨BOM⟩", "\ufeff")

// stories returns the cases of testdata/corpus; its README explains the format.
func stories(t *testing.T) []corpusCase {
	paths, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files of stories, %v", len(paths), err)
	}
	var out []corpusCase
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c *corpusCase
		for _, f := range archive.Files {
			word, rest, _ := strings.Cut(f.Name, " ")
			text := writtenOut.Replace(string(f.Data))
			if word == "case" {
				kind, name, _ := strings.Cut(rest, ": ")
				out = append(out, corpusCase{kind: kind, name: name, files: map[string]string{}})
				c = &out[len(out)-1]
				continue
			}
			if c == nil {
				t.Fatalf("%s: %q stands before the first case", path, f.Name)
			}
			if !c.section(word, rest, text) {
				t.Fatalf("%s: what is the section %q?", path, f.Name)
			}
		}
	}
	return out
}

// section adds a section of a story to the case, and reports whether it knows the
// section.
func (c *corpusCase) section(word, rest, text string) bool {
	switch word {
	case "file":
		c.files[rest] = text
	case "call":
		words := strings.Fields(rest)
		call := corpusCall{words[0], map[string]any{}}
		for _, word := range words[1:] {
			name, value, _ := strings.Cut(word, "=")
			call.args[name] = value
		}
		c.calls = append(c.calls, call)
	case "arg":
		c.calls[len(c.calls)-1].args[rest] = text
	case "becomes":
		if c.want == nil {
			c.want = map[string]string{}
		}
		c.want[rest] = text
	case "or-refused":
		c.either = true
	case "says", "refused":
		for line := range strings.Lines(text) {
			c.says = append(c.says, strings.TrimSuffix(line, "\n"))
		}
	default:
		return false
	}
	return true
}
