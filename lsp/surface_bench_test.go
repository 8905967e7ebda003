package lsp

import (
	"fmt"
	"testing"
	"time"

	"redline/lsp/completion"
	"redline/lsp/location"

	"go.lsp.dev/protocol"
)

// The time from the request to the answer for a name after an @, in a workspace
// of 10,000 files whose names are at hand, and when they are looked for.
func BenchmarkCompletion10000Files(b *testing.B) {
	files := map[string]string{}
	for i := range 10_000 {
		files[fmt.Sprintf("dir%d/file%d.go", i%100, i)] = "package x\n"
	}
	f := newFixture(b, client{}, files)
	f.open(".redline/chat.md", "## You\n\nsee @file12")
	p := &completionParams{TextDocument: location.TextDocument{URI: f.uri(".redline/chat.md")}, Position: protocol.Position{Line: 2, Character: 11}}
	complete := func() {
		run, err := f.completion(f.ctx, p)
		if err != nil {
			b.Fatal(err)
		}
		result, err := run(f.ctx)
		if list, ok := result.(*protocol.CompletionList); err != nil || !ok || len(list.Items) != completion.Max {
			b.Fatalf("%v, %v", result, err)
		}
	}
	for f.completer.Names.Get(f.ctx, f.workspace) == nil { // they may take longer than an answer waits
	}
	for name, known := range map[string]bool{"at hand": true, "looked for": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.completer.Names.Mu.Lock()
				if f.completer.Names.At = time.Now(); !known {
					f.completer.Names.At = time.Time{}
				}
				f.completer.Names.Mu.Unlock()
				complete()
			}
		})
	}
}

// The time from the request to the encoded answer, with 10,000 staged hunks in
// the file that is asked about.
func BenchmarkCodeLens10000Hunks(b *testing.B) {
	f := tenThousandHunks(b)
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		run, err := f.codeLens(f.ctx, &codeLensParams{location.TextDocument{URI: f.uri("a.txt")}})
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

// The time to find out whether anything that a client asked for is out of date,
// after a character was typed into a file with 10,000 staged hunks.
func BenchmarkRefresh10000Hunks(b *testing.B) {
	f := tenThousandHunks(b)
	r := newRefresher(f.session)
	for b.Loop() {
		clear(r.files) // as after a change of the file
		r.changed()
	}
}

func tenThousandHunks(b *testing.B) *fixture {
	text := manyHunks(10_000)
	f := newFixture(b, client{refresh: refreshes{codeLens: true}}, map[string]string{"a.txt": text})
	f.open("a.txt", text)
	f.ask(`replace "apple" with "pear" in a.txt`)
	if n := len(f.backend.Snapshot().Plans[0].Files[0].Change.Hunks); n != 10_000 {
		b.Fatalf("there are %d hunks", n)
	}
	return f
}
