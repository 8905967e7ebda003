package track

import (
	"strings"
	"testing"

	"redline/edits"
	"redline/edits/internal/edittest"
)

// thousands returns a placement of n one-line pieces in a megabyte.
func thousands(n int) Placement {
	s := edittest.Megabyte()
	l := edits.NewLines(s)
	pieces := make([]edits.Span, n)
	for i := range pieces {
		pieces[i] = l.Line(i * (l.Count() / n))
	}
	return Place(s, pieces, s)
}

func BenchmarkShiftKeystroke(b *testing.B) {
	p := thousands(10_000)
	for _, c := range []struct {
		name string
		at   int
	}{{"first line", 2}, {"middle", len(p.live) / 2}, {"end", len(p.live)}} {
		e := edits.Edit{Span: edits.Span{Start: c.at, End: c.at}, New: "x"}
		live := p.live[:c.at] + "x" + p.live[c.at:]
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Shift([]edits.Edit{e}, live)
			}
		})
	}
	b.Run("all stale", func(b *testing.B) {
		live := strings.ReplaceAll(p.live, "\n", "!\n")
		p := p.Shift([]edits.Edit{{Span: edits.Span{Start: 0, End: len(p.live)}, New: live}}, live)
		e := edits.Edit{Span: edits.Span{Start: 500_000, End: 500_000}, New: "x"}
		typed := live[:500_000] + "x" + live[500_000:]
		b.ResetTimer()
		for b.Loop() {
			p.Shift([]edits.Edit{e}, typed)
		}
	})
}

// BenchmarkKeystroke measures the whole cost of a keystroke in this package.
func BenchmarkKeystroke(b *testing.B) {
	p := thousands(10_000)
	l := edits.NewLines(p.live)
	at := edits.Position{Line: l.Count() / 2, Character: 3}
	for b.Loop() {
		s, err := l.Span(edits.Range{Start: at, End: at}, edits.UTF16)
		if err != nil {
			b.Fatal(err)
		}
		e := edits.Edit{Span: s, New: "x"}
		typed := l.Replace(e)
		p.Shift(edits.Refine(p.live, e), typed.Text())
	}
}

func BenchmarkPlace(b *testing.B) {
	p := thousands(10_000)
	live := strings.ReplaceAll(p.ref, "0\n}", "1\n}")
	for b.Loop() {
		Place(p.ref, p.pieces, live)
	}
}
