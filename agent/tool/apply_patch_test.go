package tool_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestApplyPatch(t *testing.T) {
	for _, test := range []struct{ name, patch, text, summary string }{
		{
			"several files", "*** Begin Patch\n*** Update File: ./a.go\n@@\n-type T struct{}\n+type U struct{}\n*** Add File: dir/n.txt\n+n\n*** Delete File: empty\n" +
				"*** Update File: dir/b.txt\n*** Move to: dir/c.txt\n-beta\n+gamma\n*** Update File: open.txt\n*** Move to: shut.txt\n*** End Patch\n",
			"staged: apply_patch a.go line 5 (exact)\nstaged: create dir/n.txt line 1\nstaged: delete empty\nstaged: rename dir/b.txt to dir/c.txt, line 2 (exact)\nstaged: rename open.txt to shut.txt",
			"edit a.go +1 −1, create dir/n.txt +1, delete empty −0, 2 files more",
		},
		{
			"one refused of two", "--- a/a.go\n+++ b/a.go\n@@ @@\n-type T struct{}\n+type U struct{}\n--- a/dir/b.txt\n+++ b/dir/b.txt\n@@ @@\n-alpha\n+omega\n",
			"staged: apply_patch a.go line 5 (exact)\nerror: 1 file was refused, and nothing of it is staged; the other files are staged, as listed above. Send a patch of only that file, once it is right:\n" +
				"dir/b.txt, chunk 1 of 1: The text to replace was found in 2 places, on lines 1 and 3. Nothing was changed. …",
			"edit a.go +1 −1; refused: dir/b.txt",
		},
		{
			"all refused", "*** Update File: a.go\n-nope\n+x\n*** Add File: ../x\n+x\n",
			"error: ../x is outside the workspace…\na.go, chunk 1 of 1: The text to replace was not found…\nNothing of the patch was staged, in any file.",
			"apply_patch refused: ../x is outside the workspace…",
		},
		{"not a patch", "hello", "error: There is no patch in the text. …", "apply_patch refused: There is no patch …"},
		{"outside", "*** Add File: ../x\n+x\n", "error: ../x is outside the workspace…", ""},
		{"moved outside", "*** Update File: a.go\n*** Move to: /etc/x\n", "error: /etc/x is outside the workspace…", ""},
		{"in .git", "*** Add File: .git/hooks/post-commit\n+x\n", "error: .git/hooks/post-commit is inside .git…", ""},
		{"secret", "*** Update File: .env\n-TOKEN=x\n+TOKEN=y\n", "error: .env may hold secrets…", ""},
		{"secret moved", "*** Update File: .env\n*** Move to: env.txt\n", "error: .env may hold secrets…", ""},
		{"secret compared", "--- a/.env\n+++ /dev/null\n@@ @@\n-TOKEN=x\n", "error: .env may hold secrets…", ""},
		{"secret deleted", "*** Delete File: .env\n", "staged: delete .env", ""},
		{"two spellings", "*** Add File: z\n+1\n*** Add File: ./z\n+2\n", "error: z: The patch creates the file twice. …", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, files)
			arguments, err := json.Marshal(map[string]string{"patch": test.patch})
			if err != nil {
				t.Fatal(err)
			}
			r := b.call(t, "apply_patch", string(arguments))
			if !matches(r.Text, test.text) {
				t.Errorf("answer\n%s\nwant\n%s", r.Text, test.text)
			}
			if test.summary != "" && !matches(r.Summary, test.summary) {
				t.Errorf("summary\n%s\nwant\n%s", r.Summary, test.summary)
			}
			if r.IsError != (r.Staged == nil) || r.IsError != (len(b.env.Draft.Operations()) == 0) {
				t.Errorf("error %t, staged %v, draft empty %t", r.IsError, r.Staged, len(b.env.Draft.Operations()) == 0)
			}
		})
	}
}

// matches reports whether text equals want, in which "…" stands for anything.
func matches(text, want string) bool {
	for i, part := range strings.Split(want, "…") {
		at := strings.Index(text, part)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return text == "" || strings.HasSuffix(want, "…")
}
