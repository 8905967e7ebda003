package trace

import "testing"

func TestDoing(t *testing.T) {
	for _, tt := range [][3]string{
		{"read_file", "path prices.go", "Reading prices.go"},
		{"search", "path shop, pattern Total(", "Searching for Total("},
		{"list_files", "", "Listing the files"},
		{"run_command", "command go test ./..., -v", "Planning to run `go test ./..., -v`"},
		{"apply_patch", "", "Editing files"},
		{"rename_file", "path a.go, new_path b.go", "Renaming a.go"},
		{"rename_symbol", "path a.go, symbol Total, new_name Sum", "Renaming Total"},
		{"references", "path a.go, symbol b.Total", "Finding the uses of b.Total"},
		{"tickets_find", "name x", "Calling tickets_find"},
		{"read_file", "path a\x1b[2Jb", "Reading a⟨U+001B⟩[2Jb"},
	} {
		if got := Doing(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s, %s: %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}
