package patch_test

import (
	"strings"
	"testing"
)

// The line after @@ names a part of a file whose end no indentation and no bracket at its line's end tells.
func TestHeadersTellSectionsApart(t *testing.T) {
	for _, c := range []struct {
		name, path, header, text string
		line                     int // the line that changes, from 1; 0 if it is refused
	}{
		{"a bracket on its own line", "a.c", "int f(void)", "int f(void)\n{\n\trun();\n}\n\nint g(void)\n{\n\trun();\n}\n", 3},
		{"the second of such functions", "a.c", "int g(void)", "int f(void)\n{\n\trun();\n}\n\nint g(void)\n{\n\trun();\n}\n", 8},
		{"a statement above a block", "a.c", "a();", "a();\n{\n\trun();\n}\n{\n\trun();\n}\n", 0},
		{"twice in a function", "a.c", "int f(void)", "int f(void)\n{\n\trun();\n\trun();\n}\n", 0},
		{"a rule of CSS", "a.css", ".a {", ".a {\n  run();\n}\n\n.b {\n  run();\n}\n", 2},
		{"a title of Markdown", "a.md", "## A", "# T\n\n## A\n\n  run();\n\n## B\n\n  run();\n", 5},
		{"a title with deeper ones", "a.md", "## A", "## A\n\n### C\n\n  run();\n\n## B\n\n  run();\n", 5},
		{"a comment in code of Markdown", "a.md", "## A", "## A\n\n```\n# x\n```\n\n  run();\n  run();\n\n## B\n", 0},
		{"a comment is no title", "a.py", "# a", "# a\n\n  run();\n\n# b\n\n  run();\n", 0},
		{"a statement of SQL", "a.sql", "create view a as", "create view a as\nselect\n  run();\n\ncreate view b as\nselect\n  run();\n", 3},
		{"no statement of SQL ends", "a.sql", "create view a as", "create view a as\nselect\n  run()\ncreate view b as\n  run();\n\n  run();\n", 0},
	} {
		lines := strings.SplitAfter(c.text, "\n")
		old := ""
		for _, line := range lines {
			if strings.Contains(line, "run();") {
				old = line
			}
		}
		for form, text := range map[string]string{
			"begin-patch": "*** Begin Patch\n*** Update File: " + c.path + "\n@@ " + c.header + "\n-" + old + "+new\n*** End Patch\n",
			"unified":     "--- a/" + c.path + "\n+++ b/" + c.path + "\n@@ @@ " + c.header + "\n-" + old + "+new\n",
		} {
			got, _, err := apply(tree{c.path: c.text}, text)
			if c.line == 0 {
				if err == nil {
					t.Errorf("%s, %s: got %q", c.name, form, got[c.path])
				}
				continue
			}
			want := strings.Join(lines[:c.line-1], "") + "new\n" + strings.Join(lines[c.line:], "")
			if err != nil || got[c.path] != want {
				t.Errorf("%s, %s: got %q, %v, want %q", c.name, form, got[c.path], err, want)
			}
		}
	}
}
