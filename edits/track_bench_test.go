package edits

import (
	"strings"
	"testing"
)

// thousands returns a placement of n one-line pieces in a megabyte.
func thousands(n int) Placement {
	s := megabyte()
	l := NewLines(s)
	pieces := make([]Span, n)
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
		e := Edit{Span{c.at, c.at}, "x"}
		live := p.live[:c.at] + "x" + p.live[c.at:]
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Shift([]Edit{e}, live)
			}
		})
	}
	b.Run("all stale", func(b *testing.B) {
		live := strings.ReplaceAll(p.live, "\n", "!\n")
		p := p.Shift([]Edit{{Span{0, len(p.live)}, live}}, live)
		e := Edit{Span{500_000, 500_000}, "x"}
		typed := live[:500_000] + "x" + live[500_000:]
		b.ResetTimer()
		for b.Loop() {
			p.Shift([]Edit{e}, typed)
		}
	})
}

// BenchmarkKeystroke is all that a keystroke costs here.
func BenchmarkKeystroke(b *testing.B) {
	p := thousands(10_000)
	l := NewLines(p.live)
	at := Position{l.Count() / 2, 3}
	for b.Loop() {
		s, err := l.Span(Range{at, at}, UTF16)
		if err != nil {
			b.Fatal(err)
		}
		e := Edit{s, "x"}
		typed := l.Replace(e)
		p.Shift(Refine(p.live, e), typed.Text())
	}
}

func BenchmarkPlace(b *testing.B) {
	p := thousands(10_000)
	live := strings.ReplaceAll(p.ref, "0\n}", "1\n}")
	for b.Loop() {
		Place(p.ref, p.pieces, live)
	}
}
