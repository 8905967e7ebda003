package patch_test

import (
	"strings"
	"testing"
)

// TestLinesWithoutAPlaceSayHowToAppend follows the advice of the refusal of a hunk with
// only new lines: then the lines are at the end of the file.
func TestLinesWithoutAPlaceSayHowToAppend(t *testing.T) {
	for _, c := range []struct{ name, text, last string }{
		{"a last line that is there once", "a\nb\n", "b"},
		{"a last line that is there twice", "{\na\n}\n{\nb\n}\n", "b\n}"},
		{"no line end", "a\nb", "b"},
		{"blank lines at the end", "a\nb\n\n", "b\n"},
		{"lines that are the same all over", strings.Repeat("a\n", 9), ""},
		{"a line too long to show", "a\n" + strings.Repeat("b", 300) + "\n", ""},
		{"a line that cannot be shown", "a\nb\u200b\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for form, patch := range map[string][2]string{
				"unified": {"--- a/x\n+++ b/x\n@@ @@\n", ""}, "begin": {"*** Begin Patch\n*** Update File: x\n@@\n", "*** End Patch\n"},
			} {
				_, _, err := apply(tree{"x": c.text}, patch[0]+"+new\n"+patch[1])
				if err == nil {
					t.Fatal("not refused")
				}
				_, last, ok := strings.Cut(err.Error(), "above the new ones:\n")
				if last = strings.TrimPrefix(strings.ReplaceAll("\n"+last, "\n  ", "\n"), "\n"); ok != (c.last != "") || last != c.last {
					t.Errorf("%s: names %q, want %q:\n%v", form, last, c.last, err)
				}
				if c.last == "" {
					continue
				}
				rows := " " + strings.ReplaceAll(last, "\n", "\n ") + "\n+new\n"
				got, _, err := apply(tree{"x": c.text}, patch[0]+rows+patch[1])
				want := strings.TrimSuffix(c.text, "\n") + "\nnew\n"
				if !strings.HasSuffix(c.text, "\n") {
					want = strings.TrimSuffix(want, "\n")
				}
				if err != nil || got["x"] != want {
					t.Errorf("%s: %q, %v, want %q", form, got["x"], err, want)
				}
			}
		})
	}
}
