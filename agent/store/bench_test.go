package store

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"redline/agent/plan"
)

func BenchmarkOpenNew(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		s := New(fmt.Sprintf("%s/%d", b.TempDir(), i))
		if _, err := s.open(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

func benchmarkOpen(b *testing.B, plans int) {
	dir := b.TempDir()
	s := New(dir)
	fill(b, s, plans)
	s.Close()
	for b.Loop() {
		s := New(dir)
		if _, err := s.Plans(b.Context(), ws, Filter{Open: true}); err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

// fill stores n plans that are completed.
func fill(b *testing.B, s *Store, n int) {
	db, err := s.open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.Exec(`PRAGMA synchronous = OFF`); err != nil {
		b.Fatal(err)
	}
	for range n {
		p, texts := sample(1)
		p.State = plan.Completed
		if err := s.CreatePlan(b.Context(), ws, p, texts); err != nil {
			b.Fatal(err)
		}
	}
}

// Opening an existing database and reading its open plans.
func BenchmarkOpen(b *testing.B)      { benchmarkOpen(b, 1) }
func BenchmarkOpen10000(b *testing.B) { benchmarkOpen(b, 10_000) }

func BenchmarkCreatePlan(b *testing.B) {
	s := newStore(b)
	for b.Loop() {
		create(b, s, ws)
	}
}

func BenchmarkSaveDecision(b *testing.B) {
	s := newStore(b)
	p := create(b, s, ws)
	d := &plan.Decision{Revision: 1, Verdict: plan.VerdictReject}
	for b.Loop() {
		if err := s.Save(b.Context(), ws, p, d); err != nil {
			b.Fatal(err)
		}
	}
}

// Each revision has 1,000 operations on 1,000 files and 2,000 new texts.
func BenchmarkAddRevision1000(b *testing.B) {
	s := newStore(b)
	p := create(b, s, ws)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		r, texts := revision(1000, fmt.Sprint(i))
		next := p.Clone()
		next.Revisions = next.Revisions[:1]
		next.Add(r, func(b plan.Blob) string { return texts[b] })
		next.Latest().Number = i + 2
		b.StartTimer()
		if err := s.AddRevision(b.Context(), ws, next, texts); err != nil {
			b.Fatal(err)
		}
		p = next
	}
}

// The decision on 1,000 operations on 1,000 files, which are checked to be those
// that were shown.
func BenchmarkBegin1000(b *testing.B) {
	s := newStore(b)
	p, texts := sample(1000)
	if err := s.CreatePlan(b.Context(), ws, p, texts); err != nil {
		b.Fatal(err)
	}
	d := &plan.Decision{Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictApprove}
	var paths []string
	for _, c := range p.Latest().Changes {
		paths = append(paths, c.Path)
	}
	for b.Loop() {
		if _, err := s.Begin(b.Context(), ws, p, d, paths); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlans100(b *testing.B) {
	s := newStore(b)
	for range 100 {
		create(b, s, ws)
	}
	for b.Loop() {
		if _, err := s.Plans(b.Context(), ws, Filter{Open: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkChanged(b *testing.B) {
	s := newStore(b)
	create(b, s, ws)
	for b.Loop() {
		if _, err := s.Changed(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// The memory that an open database adds to the resident size of the process, where the
// system reports it.
func BenchmarkMemoryOfOpen(b *testing.B) {
	for b.Loop() {
		runtime.GC()
		before := resident(b)
		s := newStore(b)
		create(b, s, ws)
		b.ReportMetric(float64(resident(b)-before)/1024, "KiB")
		s.Close()
	}
}

func resident(b *testing.B) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("this system does not tell")
	}
	var size, pages int
	if _, err := fmt.Fscan(strings.NewReader(string(text)), &size, &pages); err != nil {
		b.Fatal(err)
	}
	return pages * os.Getpagesize()
}
