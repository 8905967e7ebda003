package tool_test

import (
	"fmt"
	"strings"
	"testing"
)

// The answer to the call that staged an edit says at once that the file does not parse any more.
func TestParsing(t *testing.T) {
	const line3 = "a.go does not parse now: line 3: "
	for _, test := range []struct {
		name  string
		files map[string]string
		steps []step
	}{
		{"an edit, another, and one that fixes it", map[string]string{"a.json": "{\n  \"a\": 1\n}\n"}, []step{
			{"edit_file", `{"path":"a.json","old_string":"1\n","new_string":"1\n  \"b\": 2\n"}`, "staged: edit_file a.json line 3 (exact)\na.json does not parse now: line 3: invalid character '\"' after object value (expecting ',' or '}')", "edit a.json +1 −0"},
			{"edit_file", `{"path":"a.json","old_string":"2","new_string":"3"}`, "…\na.json does not parse now: line 3: ", ""},
			{"edit_file", `{"path":"a.json","old_string":"1\n","new_string":"1,\n"}`, "staged: edit_file a.json line 2 (exact)\na.json parses again.", ""},
			{"edit_file", `{"path":"a.json","old_string":"3","new_string":"4"}`, "staged: edit_file a.json line 3 (exact)", ""},
		}},
		{"each way to stage", map[string]string{"a.go": "package a\n\nvar x = 1\n"}, []step{
			{"text_editor", `{"command":"str_replace","path":"a.go","old_str":"= 1","new_str":"= ("}`, "…\na.go does not parse now: line 4: expected operand, found 'EOF'", ""},
			{"text_editor", `{"command":"insert","path":"a.go","insert_line":2,"insert_text":"x"}`, "…\n" + line3, ""},
			{"write_file", `{"path":"a.go","content":"package a\n\nvar x = )\n"}`, "…\n" + line3, ""},
			{"rename_file", `{"path":"a.go","new_path":"b.go"}`, "…\nb.go does not parse now: line 3: ", ""},
			{"apply_patch", patchArgs(t, "*** Update File: b.go\n-var x = )\n+var x = 2\n*** Add File: c.yaml\n+a:\n+  b: 1\n+ c: 2\n*** Update File: none.go\n-a\n+b\n"), "…\nb.go parses again.\nc.yaml does not parse now: line 3: ", ""},
			{"delete_file", `{"path":"c.yaml"}`, "staged: delete c.yaml", ""},
			{"text_editor", `{"command":"create","path":"c.yaml","file_text":"a: 'x\n"}`, "…\nc.yaml does not parse now: line 2: ", ""},
		}},
		{"a file that did not parse before", map[string]string{"a.json": "{\n", "b.txt": "{\n"}, []step{
			{"write_file", `{"path":"a.json","content":"{{\n"}`, "staged: write_file a.json line 1", ""},
			{"rename_file", `{"path":"b.txt","new_path":"b.json"}`, "staged: rename b.txt to b.json", ""},
			{"write_file", `{"path":"a.json","content":"{}\n"}`, "…staged: write_file a.json line 1", ""},
			{"write_file", `{"path":"a.json","content":"{\n\n"}`, "…staged: write_file a.json lines 1-2", ""},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, test.files)
			for _, s := range test.steps {
				r := b.call(t, s.tool, s.arguments)
				if part, ok := strings.CutPrefix(s.text, "…"); ok && !strings.Contains(r.Text, part) || !ok && r.Text != s.text {
					t.Errorf("%s %s answers\n%s\nwant\n%s", s.tool, s.arguments, r.Text, s.text)
				}
				if r.Staged == nil || r.IsError {
					t.Errorf("%s %s: staged %v, error %v; want it staged", s.tool, s.arguments, r.Staged, r.IsError)
				}
			}
		})
	}
}

func TestParsingOfManyFiles(t *testing.T) {
	b := newBench(t, nil)
	var patch strings.Builder
	for i := range 30 {
		fmt.Fprintf(&patch, "*** Add File: %d.json\n+{\n", i)
	}
	r := b.call(t, "apply_patch", patchArgs(t, patch.String()))
	if got := strings.Count(r.Text, " does not parse now: line 2: the text ends early\n"); got != 20 || !strings.HasSuffix(r.Text, "\n10 more files do not parse now.") {
		t.Errorf("%d files are named in\n%s", got, r.Text)
	}
}

// A draft knows the text that a file had before all of its operations.
func TestTexts(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "package a\n", "b.txt": "b\n"})
	b.call(t, "write_file", `{"path":"a.go","content":"package b\n"}`)
	b.call(t, "rename_file", `{"path":"a.go","new_path":"c.go"}`)
	b.call(t, "delete_file", `{"path":"b.txt"}`)
	b.call(t, "write_file", `{"path":"n.go","content":"package n\n"}`)
	for path, want := range map[string][2]string{"c.go": {"package a\n", "package b\n"}, "n.go": {"", "package n\n"}, "a.go": {}, "b.txt": {}} {
		before, now, ok := b.env.Draft.Texts(path)
		if got := [2]string{before, now}; got != want || ok != (want[1] != "") {
			t.Errorf("%s: %q, %v; want %q", path, got, ok, want)
		}
	}
}
