package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A whole text that leaves out most of a file is refused once; the model says that it means it.
func TestWriteAsksBeforeItCutsAFile(t *testing.T) {
	line := func(i int) string { return fmt.Sprintf("line %d;\n", i) }
	var text string
	for i := 1; i <= 30; i++ {
		text += line(i)
	}
	part := func(from, to int) string {
		lines := strings.SplitAfter(text, "\n")
		return strings.Join(lines[from-1:to], "")
	}
	for _, c := range []struct{ name, content, says string }{
		{"the start stays", part(1, 5), "lines 6 to 30"},
		{"the start stays, with a new line", part(1, 5) + "new;\n", "lines 6 to 30"},
		{"the end stays", part(20, 30), "lines 1 to 19"},
		{"both stay", part(1, 4) + part(25, 30), "lines 5 to 24"},
		{"less than half goes", part(1, 16), ""},
		{"other lines take their place", part(1, 3) + strings.Repeat("another;\n", 11), ""},
		{"nothing stays", "new;\n", ""},
		{"one line stays", line(1), ""},
		{"empty", "", ""},
		{"every third line", part(1, 1) + part(4, 4) + part(7, 7) + part(10, 10) + part(13, 13) + part(16, 16) + part(19, 19) + part(22, 22) + part(25, 25), ""},
	} {
		for _, call := range []struct{ tool, format string }{
			{"write_file", `{"path": "a.txt", "content": %s%s}`},
			{"text_editor", `{"command": "create", "path": "a.txt", "file_text": %s%s}`},
		} {
			b := newBench(t, map[string]string{"a.txt": text})
			content, err := json.Marshal(c.content)
			if err != nil {
				t.Fatal(err)
			}
			r := b.call(t, call.tool, fmt.Sprintf(call.format, content, ""))
			if r.IsError != (c.says != "") || !strings.Contains(r.Text, c.says) {
				t.Errorf("%s, %s: %s", c.name, call.tool, r.Text)
			}
			if c.says == "" {
				continue
			}
			if !strings.Contains(r.Text, "confirm_removal") || len(r.Staged) > 0 {
				t.Errorf("%s, %s: %s", c.name, call.tool, r.Text)
			}
			if r := b.call(t, call.tool, fmt.Sprintf(call.format, content, `, "confirm_removal": true`)); r.IsError {
				t.Errorf("%s, %s, confirmed: %s", c.name, call.tool, r.Text)
			} else if got, _, err := b.env.Draft.Read("a.txt"); err != nil || got != c.content {
				t.Errorf("%s, %s: %q, %v", c.name, call.tool, got, err)
			}
		}
	}
	short := newBench(t, map[string]string{"a.txt": part(1, 19)})
	if r := short.call(t, "write_file", fmt.Sprintf(`{"path": "a.txt", "content": %q}`, part(1, 5))); r.IsError {
		t.Errorf("a short file: %s", r.Text)
	}
}
