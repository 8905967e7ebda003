package lsp

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/internal/wire"
)

// manyHunks returns a text in which one word in every third line is to be replaced.
func manyHunks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d has an apple in it\nand the next has none\nnor has this\n", i)
	}
	return b.String()
}

// Measures the time from the request to the encoded answer with 1,000 undecided hunks in
// the file.
func BenchmarkCodeAction1000Hunks(b *testing.B) {
	text := manyHunks(1000)
	f := newFixture(b, client{}, map[string]string{"a.txt": text})
	f.open("a.txt", text)
	f.ask(`replace "apple" with "pear" in a.txt`)
	if n := len(f.backend.Snapshot().Plans[0].Files[0].Change.Hunks); n != 1000 {
		b.Fatalf("there are %d hunks", n)
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		f.actions("a.txt", cursor(uint32(i*7%3000), 0))
		took = append(took, time.Since(start))
	}
	reportP99(b, took)
}

// Measures the time on the read loop for one typed character in a file of 1 MB with 100
// undecided hunks. Typing has pauses, so the collector may run between two characters.
func BenchmarkDidChange1MB(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(300)) // as redline serve sets it
	text := manyHunks(100) + strings.Repeat("this line is typed in and is one of many\n", 25_000)
	f := newFixture(b, client{}, map[string]string{"a.txt": text})
	f.open("a.txt", text)
	f.ask(`replace "apple" with "pear" in a.txt`)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		line := 300 + i%20_000
		p := changeParams(f.uri("a.txt"), fmt.Sprintf(
			`[{"range":{"start":{"line":%d,"character":3},"end":{"line":%d,"character":3}},"text":"x"}]`, line, line))
		start := time.Now()
		if err := f.didChange(f.ctx, p); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		b.StopTimer()
		time.Sleep(2 * time.Millisecond)
		b.StartTimer()
	}
	reportP99(b, took)
}

// Measures the time on the read loop for one typed character, with and without a request
// for code actions after it, in a file of 1 MB with 10,000 undecided hunks: each one after
// the cursor moves.
func BenchmarkDidChange10000Hunks(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(300)) // as redline serve sets it
	text := manyHunks(10_000) + strings.Repeat("this line is one of many that stay as they are\n", 10_000)
	f := newFixture(b, client{}, map[string]string{"a.txt": text})
	f.open("a.txt", text)
	f.ask(`replace "apple" with "pear" in a.txt`)
	if n := len(f.backend.Snapshot().Plans[0].Files[0].Change.Hunks); n != 10_000 {
		b.Fatalf("there are %d hunks", n)
	}
	for _, c := range []struct {
		name string
		line int
		ask  bool
	}{{"start", 1, false}, {"middle", 15_001, false}, {"end", 39_000, false}, {"start and actions", 1, true}} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				p := changeParams(f.uri("a.txt"), fmt.Sprintf(
					`[{"range":{"start":{"line":%d,"character":3},"end":{"line":%d,"character":3}},"text":"x"}]`, c.line, c.line))
				start := time.Now()
				if err := f.didChange(f.ctx, p); err != nil {
					b.Fatal(err)
				}
				if c.ask {
					f.backend.Snapshot() // as a request does on the read loop
				}
				took = append(took, time.Since(start))
				b.StopTimer()
				time.Sleep(2 * time.Millisecond)
				b.StartTimer()
			}
			reportP99(b, took)
		})
	}
}

func reportP99(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns/op")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns/op")
}

func changeParams(uri, changes string) *wire.DidChangeParams {
	p := &wire.DidChangeParams{ContentChanges: json.RawMessage(changes)}
	p.TextDocument.URI, p.TextDocument.Version = uri, 2
	return p
}
