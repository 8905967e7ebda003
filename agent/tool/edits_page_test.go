package tool_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// exampleFence is a part of an example of docs/reference/edits.md.
var exampleFence = regexp.MustCompile("(?ms)^```(file|old|new|patch|becomes|refused)\n(.*?)^```$")

// TestExamplesOfEdits runs the examples of docs/reference/edits.md.
func TestExamplesOfEdits(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/edits.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	examples := 0
	for _, m := range exampleFence.FindAllStringSubmatch(string(page), -1) {
		parts[m[1]] = m[2]
		if m[1] != "becomes" && m[1] != "refused" {
			continue
		}
		examples++
		b := newBench(t, map[string]string{"FILE": parts["file"]})
		name, args := "edit_file", map[string]string{"path": "FILE", "old_string": parts["old"], "new_string": parts["new"]}
		if patch, ok := parts["patch"]; ok {
			name, args = "apply_patch", map[string]string{"patch": patch}
		}
		doc, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		r := b.call(t, name, string(doc))
		got, _, err := b.env.Draft.Read("FILE")
		switch words, isRefused := parts["refused"]; {
		case err != nil:
			t.Error(err)
		case isRefused && (!r.IsError || !strings.Contains(r.Text, strings.TrimSpace(words))):
			t.Errorf("%q: %s\nwant a refusal that says %s", parts["old"], r.Text, words)
		case !isRefused && got != parts["becomes"]:
			t.Errorf("%q becomes %q, want %q\n%s", parts["file"], got, parts["becomes"], r.Text)
		}
		clear(parts)
	}
	if examples < 5 {
		t.Errorf("docs/reference/edits.md has %d examples", examples)
	}
}
