package tool_test

import "testing"

// A file that is not UTF-8 is compared and blamed as text.
func TestGitDiffInCharset(t *testing.T) {
	h := newHistory(t, map[string]string{".editorconfig": "[*.txt]\ncharset = latin1\n", "a.txt": "caf\xe9\ntwo\n", "wide.c": "\xff\xfea\x00"})
	h.write(t, "a.txt", "caf\xe9\ntw\xf6\n")
	h.write(t, "wide.c", "\xff\xfe\xa9\x03")
	const latin, wide = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n café\n-two\n+twö\n", "--- a/wide.c\n+++ b/wide.c\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+Ω\n\\ No newline at end of file"
	h.want(t, "git_diff", `{}`, latin+wide)
	h.want(t, "git_blame", `{"path":"a.txt"}`, "HASH 2024-05-06 Ada: first\n1: café\nin no commit yet\n2: twö")
	h.commit(t, "second")
	h.want(t, "git_diff", `{"commit":"HEAD"}`, latin+wide)
}
