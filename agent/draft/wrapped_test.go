package draft_test

import (
	"strings"
	"testing"

	"redline/agent/draft"
)

// TestWriteLeavesOutWhatIsAround checks that the fence of a whole text and copied line numbers do not come
// into a file, where they cannot be meant.
func TestWriteLeavesOutWhatIsAround(t *testing.T) {
	const fenced, numbered = "```go\na\nB\n```\n", "     1\ta\n     2\tB\n     3\tc\n     4\td\n"
	for _, c := range []struct{ name, path, base, content, want, note string }{
		{"a fence", "a.go", "a\nb\n", fenced, "a\nB\n", "fence"},
		{"a fence, in a new file", "new.go", "", fenced, "a\nB\n", "fence"},
		{"a fence without a language", "a.go", "a\nb\n", "~~~~\na\nB\n~~~~", "a\nB\n", "fence"},
		{"a fence in Markdown", "a.md", "a\nb\n", fenced, fenced, ""},
		{"a fence in a file of no known language", "a", "a\nb\n", fenced, fenced, ""},
		{"a fence that the file has", "a.go", "```go\na\n```\n", fenced, fenced, ""},
		{"a fence that does not end", "a.go", "a\nb\n", "```go\na\nB\n", "```go\na\nB\n", ""},
		{"two fences", "a.go", "a\nb\n", "```\na\n```\nb\n```\nc\n```\n", "```\na\n```\nb\n```\nc\n```\n", ""},
		{"numbers", "a.txt", "a\nb\nc\nd\n", numbered, "a\nB\nc\nd\n", "numbers"},
		{"numbers and a bar", "a.txt", "a\nb\nc\n", "1 | a\n2 | B\n3 | c\n", "a\nB\nc\n", "numbers"},
		{"nothing but numbers, which were asked for", "a.txt", "a\nb\nc\nd\n", strings.ReplaceAll(numbered, "B", "b"), strings.ReplaceAll(numbered, "B", "b"), ""},
		{"numbers of a table", "a.tsv", "a\nb\nc\nd\n", numbered, numbered, ""},
		{"numbers and other lines", "a.txt", "x\ny\nz\n", numbered, numbered, ""},
		{"numbers in a new file", "new.txt", "", numbered, numbered, ""},
		{"numbers that do not begin with 1", "a.txt", "a\nb\nc\nd\n", strings.ReplaceAll(numbered, "     1\t", "     0\t"), strings.ReplaceAll(numbered, "     1\t", "     0\t"), ""},
		{"numbers that the file has", "a.txt", "1\ta\n2\tb\n", numbered, numbered, ""},
		{"keys of YAML", "a.yaml", "a\nb\nc\nd\n", "1: a\n2: b\n3: c\n", "1: a\n2: b\n3: c\n", ""},
	} {
		files := memory{}
		if c.base != "" {
			files[c.path] = c.base
		}
		d := draft.New(files)
		s, err := d.Write(c.path, c.content, op("write_file"))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if text, _, _ := d.Read(c.path); text != c.want || (c.note == "") != (s.Note == "") || !strings.Contains(s.Note, c.note) {
			t.Errorf("%s: got %q, note %q, want %q", c.name, text, s.Note, c.want)
		}
	}
}
