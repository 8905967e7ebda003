package lsp

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"redline/lsp/lsptest"
)

// Measures the time from a request to its answer over the connection while someone types into a
// file with 220 undecided hunks: a character, then the requests that editors send after it. Between
// two characters there is either no pause, as in an editor that sends everything at once, or a
// pause until the work that typing causes is done.
func BenchmarkTyping220Hunks(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(300)) // as redline serve sets it
	for _, method := range []string{"codeLens", "codeAction", "hover", "inlayHint"} {
		for _, pause := range []time.Duration{0, 20 * time.Millisecond} {
			b.Run(fmt.Sprintf("%s/%v", method, pause), func(b *testing.B) { benchmarkTyping(b, method, pause) })
		}
	}
}

func benchmarkTyping(b *testing.B, method string, pause time.Duration) {
	text := manyHunks(220) + strings.Repeat("this line is typed in and is one of many\n", 300)
	c := connect(b, lsptest.Honest(), map[string]string{"a.txt": text})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear" in a.txt`)
	document := map[string]string{"uri": c.URI("a.txt")}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		line := 1 + i*3%600
		c.must(c.Insert("a.txt", line, 3, "x"))
		at := map[string]int{"line": line - 1, "character": 2}
		where := map[string]any{"start": at, "end": at}
		start := time.Now()
		raw, err := c.Call(c.ctx, "textDocument/"+method, map[string]any{
			"textDocument": document, "position": at, "range": where, "context": map[string]any{"diagnostics": []json.RawMessage{}},
		})
		took = append(took, time.Since(start))
		if err != nil || len(raw) < 10 && method != "inlayHint" {
			b.Fatalf("%s: %s, %v", method, raw, err)
		}
		b.StopTimer()
		time.Sleep(pause)
		b.StartTimer()
	}
	reportP99(b, took)
}
