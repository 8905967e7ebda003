package tool

import (
	"slices"
	"strings"
	"testing"
)

func TestDoing(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"read_file", `{"path":"prices.go"}`, "reading prices.go"},
		{"read_file", `{"file_path":"prices.go"}`, "reading prices.go"},
		{"text_editor", `{"command":"view","path":"a.go"}`, "reading a.go"},
		{"text_editor", `{"command":"str_replace","path":"a.go"}`, "editing a.go"},
		{"search", `{"pattern":"Total"}`, "searching for Total"},
		{"edit_file", `{"path":"report.go","old_string":"a"}`, "editing report.go"},
		{"apply_patch", `{"patch":"*** Begin"}`, "editing files"},
		{"delete_file", `{"path":"a.go"}`, "planning to delete a.go"},
		{"run_command", `{"command":"go test ./..."}`, "planning to run `go test ./...`"},
		{"try_command", `{"command":"make"}`, "trying `make`"},
		{"fetch_url", `{"url":"https://example.com/a?key=secret"}`, "fetching a page of example.com"},
		{"fetch_url", `{"url":"https://me:secret@example.com"}`, "fetching a page of example.com"},
		{"read_file", `{"path":`, "reading a file"},
		{"write_file", `{"path":"a b.go","content":"package`, "writing a b.go"},
		{"write_file", `{"path":"a.g`, "writing a file"},
		{"write_file", ``, "writing a file"},
		{"read_file", `{"path":7}`, "reading a file"},
		{"list_files", `{}`, "listing files in the project"},
		{"search", `{"pattern":"one\ntwo\u202e"}`, "searching for one two⟨U+202E⟩"},
		{"github_issue", `{"id":7}`, "calling github_issue"},
	} {
		if got := Doing(c.name, c.arguments); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.name, c.arguments, got, c.want)
		}
	}
	if got := Doing("search", `{"pattern":"`+strings.Repeat("long ", 100)+`"}`); len([]rune(got)) > 80 {
		t.Errorf("%d characters: %q", len([]rune(got)), got)
	}
}

// Each tool that models are offered has its own description of what it is doing, unless it only
// shows something.
func TestDoingKnowsAllTools(t *testing.T) {
	shows := []string{"open_location", "show_view", "set_diff_mode"}
	for _, tool := range All() {
		if said := Doing(tool.Name, "{}"); strings.HasPrefix(said, "calling") != slices.Contains(shows, tool.Name) {
			t.Errorf("%s is %q", tool.Name, said)
		}
	}
}
