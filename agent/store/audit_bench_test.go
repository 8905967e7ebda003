package store

import (
	"testing"

	"redline/agent/plan"
)

// What an approval writes: the intent before the editor is asked, and the
// outcome of ten hunks in ten files.
func BenchmarkBeginAndFinish10(b *testing.B) {
	s := newStore(b)
	p, texts := sample(10)
	if err := s.CreatePlan(b.Context(), ws, p, texts); err != nil {
		b.Fatal(err)
	}
	var paths, hunks []string
	for _, c := range p.Latest().Changes {
		paths, hunks = append(paths, c.Path), append(hunks, c.Hunks[0].ID)
	}
	d := &plan.Decision{Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictApprove, Hunks: hunks, Who: "user", At: now}
	for b.Loop() {
		id, err := s.Begin(b.Context(), ws, p, d, paths)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Finish(b.Context(), ws, p, id, false); err != nil {
			b.Fatal(err)
		}
	}
}

// Bringing the head up to date, which each record costs besides.
func BenchmarkHead(b *testing.B) {
	s := newStore(b)
	create(b, s, ws)
	head, err := s.head.read()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		head.Last.Count++
		if err := s.head.advance(head, head.Last, head.Base); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify10000(b *testing.B) {
	s := newStore(b)
	for range 10_000 {
		s.Shown(ws, 1, 1, "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "Helix", now)
	}
	if err := s.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		whole(b, s, 10_000)
	}
}
