package tool_test

import (
	"strings"
	"testing"
)

// replace_all reports how many places it has replaced, and where they are now.
func TestReplaceAllSaysWhere(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "x x\n-\nx\n", "long.txt": strings.Repeat("y\n", 300)})
	for _, s := range []step{
		{"edit_file", `{"path":"a.txt","old_string":"x","new_string":"x\n\nz","replace_all":true}`, "staged: edit_file a.txt lines 1-9 (exact)\nIt was replaced in 3 places, which are now on lines 1, 3 and 7.", ""},
		{"edit_file", `{"path":"a.txt","old_string":"-","new_string":"+","replace_all":true}`, "staged: edit_file a.txt line 6 (exact)\nIt was replaced in 1 place, on line 6.", ""},
		{"edit_file", `{"path":"a.txt","old_string":"+","new_string":"-"}`, "staged: edit_file a.txt line 6 (exact)", ""},
		{"edit_file", `{"path":"long.txt","old_string":"y","new_string":"","replace_all":true}`, "staged: edit_file long.txt lines 1-300 (exact)\nIt was replaced in 300 places, which are now on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 290 more.", ""},
	} {
		if r := b.call(t, s.tool, s.arguments); r.Text != s.text {
			t.Errorf("%s answers\n%s\nwant\n%s", s.arguments, r.Text, s.text)
		}
	}
}
