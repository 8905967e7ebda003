package tool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A path without a file: every tool that reads one names the file that was meant, and
// none that the model must not see.
func TestMissingFileNamesTheOneThatWasMeant(t *testing.T) {
	tree := map[string]string{
		"lib/util.go": "package lib\n", "Main.go": "package main\n", ".env": "A=1\n", "conf/.env": "A=1\n", ".gitignore": "out/\n", "out/made.go": "package out\n",
		"x/same.txt": "1\n", "y/same.txt": "2\n",
	}
	for _, c := range []struct {
		path, want string
		not        []string
	}{
		{"src/util.go", "src/util.go does not exist; lib/util.go does: use that path, or ", nil},
		{"main.go", "main.go does not exist; Main.go does: use that path, or ", nil},
		{"util.ts", "util.ts does not exist; lib/util.go does: use that path, or ", nil},
		{"same.txt", "x/same.txt and y/same.txt do: use one of these paths, or ", nil},
		{"other.go", "other.go does not exist; ", []string{"use that path"}},
		{"made.go", "made.go does not exist; ", []string{"use that path", "out/"}},
		{"new/credentials.txt.md", "does not exist; ", []string{"use that path", ".env"}},
	} {
		for tool, arguments := range map[string]string{
			"read_file":   `{"path":%q}`,
			"edit_file":   `{"path":%q,"old_string":"a","new_string":"b"}`,
			"outline":     `{"path":%q}`,
			"delete_file": `{"path":%q}`,
			"rename_file": `{"path":%q,"new_path":"z"}`,
			"text_editor": `{"command":"insert","path":%q,"insert_line":0,"insert_text":"x"}`,
			"apply_patch": `{"patch":"*** Update File: %s\n-a\n+b\n"}`,
		} {
			if tool == "apply_patch" {
				arguments = strings.Replace(arguments, "%s", c.path, 1)
			} else {
				arguments = fmt.Sprintf(arguments, c.path)
			}
			b := newBench(t, tree)
			if _, err := os.Stat(filepath.Join(b.dir, filepath.FromSlash(c.path))); err == nil {
				continue // the disk ignores case
			}
			r := b.call(t, tool, arguments)
			if !r.IsError || !strings.Contains(r.Text, c.want) {
				t.Errorf("%s %s: %q does not say %q", tool, c.path, r.Text, c.want)
			}
			for _, not := range c.not {
				if strings.Contains(r.Text, not) {
					t.Errorf("%s %s: %q says %q", tool, c.path, r.Text, not)
				}
			}
		}
	}
}
