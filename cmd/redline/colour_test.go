package main

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	_ "redline/internal/seed"
)

// marked returns painted text in a readable form: colours as <31>.
func marked(painted string) string {
	return regexp.MustCompile("\x1b\\[([0-9]+)m").ReplaceAllString(painted, "<$1>")
}

func TestPaint(t *testing.T) {
	const base = "same\nx := one(a)\ny\n-- old\nend"
	es := []edits.Edit{
		{Span: edits.Span{Start: 5, End: 17}, New: "x := two(a)\n"}, // two calls on adjacent lines
		{Span: edits.Span{Start: 17, End: 19}, New: "y = 1\n"},
		{Span: edits.Span{Start: 26, End: 29}, New: "end\nmore"},
	}
	const want = `<1>--- a/f<0>
<1>+++ b/f<0>
<36>@@ -1,5 +1,6 @@<0>
 same
<31>-x := <7>one<27>(a)<0>
<32>+x := <7>two<27>(a)<0>
<31>-y<0>
<32>+y<7> = 1<27><0>
 -- old
<31>-end<0>
\ No newline at end of file
<32>+end<0>
<32>+more<0>
\ No newline at end of file
`
	if got := marked(paint(edits.UnifiedOf("a/f", "b/f", base, es, 3))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := marked(paint("rename from a\nrename to b\n--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n--- x\n--- a/g\n+++ b/g\n@@ -0,0 +1 @@\n+++ y\n")); got !=
		"rename from a\nrename to b\n<1>--- a/f<0>\n<1>+++ b/f<0>\n<36>@@ -1 +0,0 @@<0>\n<31>--- x<0>\n<1>--- a/g<0>\n<1>+++ b/g<0>\n<36>@@ -0,0 +1 @@<0>\n<32>+++ y<0>\n" {
		t.Errorf("lines that look like headers: got\n%s", got)
	}
}

// TestPaintOnlyAddsColour checks that painting does not change the text of a diff.
func TestPaintOnlyAddsColour(t *testing.T) {
	colour := regexp.MustCompile("\x1b\\[[0-9]+m")
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a b\n", "a c\n", "\n", "- x\n", "+ y\n", "@@ -1 +1 @@\n", "\\ z\n", "é👩‍💻 a\r\n", "b"}), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		base, proposed := strings.Join(lines.Draw(t, "base"), ""), strings.Join(lines.Draw(t, "proposed"), "")
		diff := edits.Visible(edits.Unified("a/f", "b/f", base, proposed, 1))
		if got := colour.ReplaceAllString(paint(diff), ""); got != diff {
			t.Fatalf("got\n%q\nwant\n%q", got, diff)
		}
	})
}

// The hover in the tour has the same colours as its lines in the diff.
func TestDiffOfHoverHasColours(t *testing.T) {
	hover := "plan 1\n\n```diff\n@@ -1,2 +1,2 @@\n \n-old\n+new\n```\n\nmore"
	got := indented(paint(diffBlock(hover)))
	want := "   \x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n\n   \x1b[31m-"
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "\n   \x1b[32m+") {
		t.Errorf("the block is %q", got)
	}
}
