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
				"unified": {"--- a/x\n+++ b/x\n", ""}, "begin": {"*** Begin Patch\n*** Update File: x\n", "*** End Patch\n"},
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

// Lines that are only added, below a line @@ that says nothing, are for the end of the file, if no
// other chunk follows.
func TestLinesBelowABareHeaderAreAppended(t *testing.T) {
	for _, c := range []struct{ name, text, rows, want string }{
		{"alone", "a\nb\n", "@@\n+new\n", "a\nb\nnew\n"},
		{"with two signs", "a\nb\n", "@@ @@\n+new\n+more\n", "a\nb\nnew\nmore\n"},
		{"without a line end", "a\nb", "@@\n+new\n", "a\nb\nnew"},
		{"other line ends", "a\r\nb\r\n", "@@\n+new\n", "a\r\nb\r\nnew\r\n"},
		{"after another chunk", "a\nb\n", "@@\n-a\n+A\n@@\n+new\n", "A\nb\nnew\n"},
		{"before another chunk", "a\nb\n", "@@\n+new\n@@\n-b\n+B\n", ""},
		{"twice", "a\nb\n", "@@\n+new\n@@\n+more\n", ""},
		{"indented as the last line is", "a:\n  b\n", "@@\n+  new\n", "a:\n  b\n  new\n"},
		{"indented otherwise", "f() {\n  a\n}\n", "@@\n+  new\n", ""},
		{"above an empty line", "a\n\nb\n", "@@\n+new\n\n", ""},
		{"below a header", "a\nb\n", "@@ a\n+new\n", ""},
		{"below a line number", "a\nb\n", "@@ -1,0 +2,1 @@\n+new\n", ""},
	} {
		for form, patch := range map[string][2]string{
			"unified": {"--- a/x\n+++ b/x\n", ""}, "begin": {"*** Begin Patch\n*** Update File: x\n", "*** End Patch\n"},
		} {
			got, _, err := apply(tree{"x": c.text}, patch[0]+c.rows+patch[1])
			if c.want == "" && err == nil || c.want != "" && (err != nil || got["x"] != c.want) {
				t.Errorf("%s, %s: %q, %v, want %q", c.name, form, got["x"], err, c.want)
			}
		}
	}
}

// A block may end with the signs of its first line.
func TestBlockEndsWithTheSignsOfItsStart(t *testing.T) {
	got, _, err := apply(tree{"x.go": "a\nb\n"}, "x.go\n------- SEARCH\na\n=======\nA\n------- REPLACE\nWords.\n\nx.go\n------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n")
	if err != nil || got["x.go"] != "A\nB\n" {
		t.Errorf("%q, %v", got["x.go"], err)
	}
}
