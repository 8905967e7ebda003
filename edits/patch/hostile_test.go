package patch

import (
	"fmt"
	"strings"
	"testing"
)

// Texts made to be scanned again and again take linear time: if each line caused a scan of the
// rest, these would take hours.
func TestLongTextsAreReadInLinearTime(t *testing.T) {
	fill := func(part string) string { return strings.Repeat(part, LongText/len(part)) }
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < LongText; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const block = "\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
	const update = "*** Begin Patch\n*** Update File: a\n@@\n"
	for name, text := range map[string]string{
		"indented ends":          update + fill("\t*** End Patch\n"),
		"fences before a row":    update + fill("```\n") + "+x\n*** End Patch\n",
		"context headers":        update + fill("@@ f\n"),
		"empty lines":            update + fill("@@\n\n\n") + "+a\n*** End Patch\n",
		"words like paths":       numbered("a/%d ") + block,
		"paths in backticks":     numbered("`a/%d` ") + block,
		"lines that name files":  numbered("see `a/%d`\n") + block,
		"patches in scripts":     fill("apply_patch \"*** Begin Patch\n"),
		"headers in scripts":     fill("apply_patch \"*** Begin Patch\n@@\n"),
		"first marks":            fill("<<<<<<< SEARCH\n"),
		"last marks":             fill(">>>>>>> REPLACE\n"),
		"blocks without an end":  fill("<<<<<<< SEARCH\na\n=======\n"),
		"names without a hunk":   fill("--- a/a.go\n+++ b/a.go\n"),
		"indented names":         fill("  --- a/a.go\n  +++ b/a.go\n  @@\n x\n"),
		"indented fences":        fill("  ```diff\n"),
		"one long line":          fill("a") + block,
		"signatures in a hunk":   "--- a/a\n+++ b/a\n@@ -1 +1 @@\n" + fill("--\n"),
		"here-documents":         fill("cat <<E\nE\n"),
		"files with another one": "*** Begin Patch\n" + fill("  *** Update File: a\n@@\n-a\n+b\n"),
	} {
		t.Run(name, func(t *testing.T) {
			files, err := Parse(text)
			if err == nil && len(files) > MaxFiles {
				t.Errorf("%d files", len(files))
			}
			if got := JoinText(Attempts(text)); len(got) > 8*len(text) {
				t.Errorf("the attempts have %d bytes of %d", len(got), len(text))
			}
		})
	}
}

// Each context header causes a search of the text, like a chunk.
func TestTooManyHeadersForALargeFile(t *testing.T) {
	files, err := Parse("*** Begin Patch\n*** Update File: a.go\n" + strings.Repeat("@@ f\n", 2000) + "-a\n+b\n*** End Patch\n")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a\n", 4<<20)
	if _, _, err := files[0].Edits(text, true); err == nil || !strings.Contains(err.Error(), "too large for a patch with 2001 chunks and context headers") {
		t.Errorf("%v", err)
	}
	if _, _, err := files[0].Edits("f\na\n", true); err != nil {
		t.Errorf("a small file: %v", err)
	}
}
