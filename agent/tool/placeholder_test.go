package tool_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// lazyFile is a file that careless models leave parts of out.
const lazyFile = "import os\nimport sys\n\n\ndef run(args):\n    print(args)\n    print(os.name)\n    return 0\n\n\ndef stop():\n    sys.exit(1)\n"

// TestPlaceholders has a model leave lines out, in every tool that takes text.
func TestPlaceholders(t *testing.T) {
	object := func(members ...string) string {
		m := map[string]any{}
		for i := 0; i < len(members); i += 2 {
			m[members[i]] = members[i+1]
		}
		out, _ := json.Marshal(m)
		return string(out)
	}
	patch := func(lines ...string) string { return object("patch", strings.Join(lines, "\n")+"\n") }
	for _, test := range []struct{ name, tool, arguments, answer, after string }{
		{
			"a whole file", "write_file", object("path", "app.py", "content", "import os\nimport sys\nname = os.name\n\n# ... existing code ...\n"),
			"error: Line 5 of the new text (`# ... existing code ...`) stands for lines that it leaves out: the code that it stands for would be deleted. Nothing was changed. " +
				"It was not replaced by those lines, since the line above it (`name = os.name`) does not tell one place in the text that is there. Send the whole text of the file, with every line, or change only a part of it with edit_file.", "",
		},
		{
			"a whole file, restored", "write_file", object("path", "app.py", "content", "import json\nimport os\nimport sys\n\n# ... existing code ...\n\ndef stop():\n    sys.exit(2)\n"),
			"staged: write_file app.py lines 1-13 (left-out lines kept)\nThe lines for `# ... existing code ...` (line 5) were taken over from the text that is there.",
			"import json\n" + strings.Replace(lazyFile, "exit(1)", "exit(2)", 1),
		},
		{
			"a whole file with a new import", "write_file", object("path", "app.py", "content", "import os\nimport sys\nimport json\n\n# ... existing code ...\n"),
			"staged: write_file app.py line 3 (left-out lines kept)\nThe lines for `# ... existing code ...` (line 5) were taken over…",
			strings.Replace(lazyFile, "import sys\n", "import sys\nimport json\n", 1),
		},
		{
			"a whole file without a change", "write_file", object("path", "app.py", "content", "import os\n# ... existing code ...\n"),
			"error: app.py has that text already, so there is nothing to change. The lines for `# ... existing code ...` (line 2) were taken over…", "",
		},
		{
			"a new file", "write_file", object("path", "new.py", "content", "import os\n\n# ... existing code ...\n"),
			"staged: create new.py lines 1-3", "",
		},
		{
			"create", "text_editor", object("command", "create", "path", "app.py", "file_text", "import os\n# ...\ndef go(): pass\n"),
			"error: Line 2 of the new text (`# ...`)…", "",
		},
		{
			"a pair", "edit_file", object("path", "app.py", "old_string", "def run(args):\n    print(args)\n    print(os.name)\n    return 0\n", "new_string", "def run(args):\n    # ... existing code ...\n    return 1\n"),
			"error: Line 2 of the new text (`# ... existing code ...`) stands for lines that it leaves out: the code that it stands for would be deleted. Nothing was changed. " +
				"It was not replaced by those lines, since the line below it (`return 1`) does not tell one place in the text that is there. Send every line of the new text, or replace less: give only the lines that change as the text to replace.", "",
		},
		{
			"a pair, restored", "edit_file", object("path", "app.py", "old_string", "def run(args):\n    print(args)\n    print(os.name)\n    return 0\n", "new_string", "def run(args):\n    log(args)\n    print(args)\n    # ...\n    return 0\n"),
			"staged: edit_file app.py line 6 (left-out lines kept)\nThe lines for `# ...` (line 4) were taken over…",
			strings.Replace(lazyFile, "    print(args)\n", "    log(args)\n    print(args)\n", 1),
		},
		{
			"str_replace", "text_editor", object("command", "str_replace", "path", "app.py", "old_str", "    print(args)\n    print(os.name)\n", "new_str", "    (rest of the function ...)\n"),
			"error: Line 1 of the new text (`(rest of the function ...)`)…", "",
		},
		{
			"insert", "text_editor", `{"command":"insert","path":"app.py","insert_line":2,"insert_text":"# ... existing imports ...\nimport json\n"}`,
			"error: Line 1 of the new text (`# ... existing imports ...`) stands for lines that it leaves out, but it takes the place of none: it would stay in the file as it is. Nothing was changed. Leave the line out: what is not named stays as it is.", "",
		},
		{
			"a unified diff", "apply_patch", patch("--- a/app.py", "+++ b/app.py", "@@ -5,4 +5,3 @@", " def run(args):", "-    print(args)", "-    print(os.name)", "+    # ... existing code ...", "     return 0"),
			"error: app.py, chunk 1 of 1: Line 2 of the new text (`# ... existing code ...`)…Leave the line out, take away (-) only the lines that go, and begin another chunk for the next change: what a patch does not name stays as it is.", "",
		},
		{
			"a begin-patch", "apply_patch", patch("*** Begin Patch", "*** Update File: app.py", "@@ def run(args):", "-    print(args)", "-    print(os.name)", "+    # ...", "*** End Patch"),
			"error: app.py, chunk 1 of 1: Line 1 of the new text (`# ...`)…", "",
		},
		{
			"a new file in a patch", "apply_patch", patch("*** Begin Patch", "*** Add File: new.py", "+import os", "+# rest of the file unchanged", "*** End Patch"),
			"staged: create new.py lines 1-2", "",
		},
		{
			"a block", "apply_patch", patch("app.py", "<<<<<<< SEARCH", "    print(args)", "    print(os.name)", "=======", "    # ...", ">>>>>>> REPLACE"),
			"error: app.py, chunk 1 of 1: Line 1 of the new text (`# ...`)…", "",
		},
		{
			"a block, restored", "apply_patch", patch("app.py", "<<<<<<< SEARCH", "def run(args):", "    print(args)", "    print(os.name)", "    return 0", "=======", "def run(args):", "    # existing code", "    return 0", "", "", "def go(): pass", ">>>>>>> REPLACE"),
			"staged: apply_patch app.py lines 10-12 (left-out lines kept)\nThe lines for `# existing code` (line 2) were taken over…",
			strings.Replace(lazyFile, "    return 0\n", "    return 0\n\n\ndef go(): pass\n", 1),
		},
		{
			"a stub", "edit_file", object("path", "app.py", "old_string", "    print(args)\n    print(os.name)\n    return 0\n", "new_string", "    ...\n"),
			"staged: edit_file app.py line 6 (exact)", strings.Replace(lazyFile, "    print(args)\n    print(os.name)\n    return 0\n", "    ...\n", 1),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"app.py": lazyFile})
			r := b.call(t, test.tool, test.arguments)
			if !matches(r.Text, test.answer) {
				t.Errorf("answer\n%s\nwant\n%s", r.Text, test.answer)
			}
			if test.after == "" {
				test.after = lazyFile
			}
			if got, _, err := b.env.Draft.Read("app.py"); err != nil || got != test.after {
				t.Errorf("the file is\n%s%v\nwant\n%s", got, err, test.after)
			}
		})
	}
}
