package patch_test

import (
	"strings"
	"testing"
)

// TestOnlyAPatchThatIsCutOffIsSaidToBe compares truncated patches with patches that lack as much in
// the middle: only for the first does the refusal ask for the whole patch.
func TestOnlyAPatchThatIsCutOffIsSaidToBe(t *testing.T) {
	const other = "--- a/y\n+++ b/y\n@@ @@\n-b\n+B\n"
	for _, c := range []struct {
		name, patch string
		cut         bool
		says        string
	}{
		{"begin, nothing", "*** Begin Patch\n", true, "names a file"},
		{"begin, empty", "*** Begin Patch\n*** End Patch\n", false, "The patch is empty"},
		{"begin, a name", "*** Begin Patch\n*** Update File: x\n", true, "x: The patch ends after the name"},
		{"begin, a name and a blank line", "*** Begin Patch\n*** Update File: x\n\n", true, "x: The patch ends after the name"},
		{"begin, a name and the end", "*** Begin Patch\n*** Update File: x\n*** End Patch\n", false, `x: The patch names the file but changes nothing in it. Put the change below the line "*** Update File: x"`},
		{"begin, two names", "*** Begin Patch\n*** Update File: x\n*** Update File: y\n@@\n-b\n+B\n*** End Patch\n", false, "x: The patch names the file but changes nothing"},
		{"begin, @@", "*** Begin Patch\n*** Update File: x\n@@\n-a\n+A\n@@ b\n", true, "x: The change on line 6 of the patch has no lines"},
		{"unified, names", "--- a/x\n+++ b/x\n", true, "x: The patch ends after the name"},
		{"unified, git's line", other + "diff --git a/x b/x\n", true, "x: The patch ends after the name"},
		{"unified, git's lines", other + "diff --git a/x b/x\nindex 123..456 100644\n", true, "x: The patch ends after the name"},
		{"unified, names before others", "--- a/x\n+++ b/x\n" + other, false, "x: The patch names the file but has no hunk for it. Put one below"},
		{"unified, names in a fence", "```diff\n--- a/x\n+++ b/x\n```\n", false, "x: The patch names the file but has no hunk for it. Put one below"},
		{"unified, git's line before others", "diff --git a/x b/x\n" + other, false, "x: The patch names the file but has no hunk for it. Put one below"},
		{"unified, one name before others", "--- a/x\n" + other, false, ""},
		{"unified, @@", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n", true, "x: The hunk on line 3 of the patch has no lines"},
		{"unified, @@ before others", "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n" + other, false, "x: The hunk on line 3 of the patch has no lines below its line @@"},
		{"unified, half a hunk", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b", true, "in the middle of a hunk"},
		{"a block", "x.go\n<<<<<<< SEARCH\na\n=======\nb\n", true, "x.go: The block on line 2 of the patch has no end"},
		{"a block before others", "x.go\n<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n", false, "another mark in it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := apply(tree{"x": "a\nb\nc\n", "y": "b\n"}, c.patch)
			if err == nil {
				t.Fatal("not refused")
			}
			msg := err.Error()
			if cut := strings.Contains(msg, "Send it whole"); cut != c.cut || strings.Contains(msg, "cut off") && !c.cut || !strings.Contains(msg, c.says) {
				t.Errorf("cut off: %v, want %v and %q:\n%s", cut, c.cut, c.says, msg)
			}
		})
	}
}
