package lsp

import (
	"testing"
	"time"

	"redline/lsp/diagnostics"
	"redline/lsp/position"
)

// Measures the time from the request to the encoded answer with 10,000 undecided hunks in
// the file.
func BenchmarkCodeLens10000Hunks(b *testing.B) {
	f := tenThousandHunks(b)
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		run, err := f.codeLens(f.ctx, &documentParams{position.TextDocument{URI: f.uri("a.txt")}})
		if err == nil {
			_, err = run(f.ctx)
		}
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	reportP99(b, took)
}

// Measures the check for outdated answers after a typed character in a file with 10,000
// undecided hunks.
func BenchmarkRefresh10000Hunks(b *testing.B) {
	f := tenThousandHunks(b)
	for b.Loop() {
		diagnostics.NewRefresher(f.refreshing()).Due() // a new refresher knows no file, as after a change
	}
}

func tenThousandHunks(b *testing.B) *fixture {
	text := manyHunks(10_000)
	f := newFixture(b, client{refresh: diagnostics.RefreshClient{CodeLens: true}}, map[string]string{"a.txt": text})
	f.open("a.txt", text)
	f.ask(`replace "apple" with "pear" in a.txt`)
	if n := len(f.backend.Snapshot().Plans[0].Files[0].Change.Hunks); n != 10_000 {
		b.Fatalf("there are %d hunks", n)
	}
	return f
}
