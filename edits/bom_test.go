package edits_test

import (
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	_ "redline/internal/seed"
)

// TestMarkedPositions shows that a text whose byte order mark was cut has the
// positions of the whole text, before and after an edit.
func TestMarkedPositions(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		plain := edittest.Text(12).Draw(t, "text")
		enc := rapid.SampledFrom([]edits.Encoding{edits.UTF8, edits.UTF16, edits.UTF32}).Draw(t, "encoding")
		whole := edits.NewLines(edits.BOM + plain)
		cut := whole.CutMark()
		if again := cut.Whole(); cut.Text() != plain || !cut.Marked() || again.Text() != whole.Text() || again.Marked() {
			t.Fatalf("%q is cut to %q, and that made %q", whole.Text(), cut.Text(), again.Text())
		}
		start := rapid.IntRange(0, len(plain)).Draw(t, "start")
		e := edits.Edit{Span: edits.Span{Start: start, End: rapid.IntRange(start, len(plain)).Draw(t, "end")}, New: edittest.Text(3).Draw(t, "new")}
		for range 2 {
			for at := range len(cut.Text()) + 1 {
				if got, want := cut.Position(at, enc), whole.Position(at+len(edits.BOM), enc); got != want {
					t.Fatalf("offset %d of %q: position %v, want %v", at, cut.Text(), got, want)
				}
			}
			for line := range cut.Count() {
				for character := range 8 {
					p := edits.Position{Line: line, Character: character}
					got, err := cut.Offset(p, enc)
					want, _ := whole.Offset(p, enc)
					if want = max(0, want-len(edits.BOM)); err != nil || got != want {
						t.Fatalf("position %v of %q: offset %d, %v, want %d", p, cut.Text(), got, err, want)
					}
				}
			}
			all, err := cut.ReplaceAll([]edits.Edit{e})
			if cut = cut.Replace(e); err != nil || all.Text() != cut.Text() || all.Marked() != cut.Marked() {
				t.Fatalf("replaced: %q, %v", all.Text(), err)
			}
			whole = edits.NewLines(edits.BOM + cut.Text())
			e = edits.Edit{}
		}
	})
}

func TestNoMark(t *testing.T) {
	for _, text := range []string{"", "a\n", "a\n" + edits.BOM + "b\n"} {
		if l := edits.NewLines(text); l.CutMark() != l || l.Whole() != l || l.Marked() {
			t.Errorf("%q has a byte order mark", text)
		}
	}
}
