package wire

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

// BenchmarkKeystroke measures what the wire costs for one didChange of a character.
func BenchmarkKeystroke(b *testing.B) {
	message := frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///home/me/project/main.go","version":12},"contentChanges":[{"range":{"start":{"line":120,"character":14},"end":{"line":120,"character":14}},"rangeLength":0,"text":"x"}]}}`)
	benchmark(b, message)
}

// BenchmarkFullText measures the same for a client that sends a whole document of 1 MB each time.
func BenchmarkFullText(b *testing.B) {
	text := strings.Repeat(`\tfmt.Println(\"a line of text\")\n`, 1<<20/32)
	message := frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///home/me/project/main.go","version":12},"contentChanges":[{"text":"` + text + `"}]}}`)
	benchmark(b, message)
}

// benchmark makes a connection read and decode message b.N times.
func benchmark(b *testing.B, message string) {
	b.SetBytes(int64(len(message)))
	r := NewRouter()
	n, done := 0, make(chan struct{})
	HandleRequest(r, "initialize", func(context.Context, *NoParams) (Run, error) { return nil, nil })
	HandleNotification(r, "textDocument/didChange", func(_ context.Context, p *DidChangeParams) error {
		if _, err := DecodeContentChanges(p.ContentChanges); err != nil {
			b.Error(err)
		}
		if n++; n == b.N {
			close(done)
		}
		return nil
	})
	in, w := io.Pipe()
	c := NewConn(b.Context(), duplex{in, io.Discard, in}, r, Options{})
	c.Start()
	_, _ = io.WriteString(w, frame(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		_, _ = io.WriteString(w, message)
	}
	<-done
	b.StopTimer()
	c.Close()
	<-c.Done()
}

// BenchmarkRequest measures one request with its answer.
func BenchmarkRequest(b *testing.B) {
	p := initialized(b, Options{}, nil)
	b.ReportAllocs()
	for i := range b.N {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		p.next()
	}
}

// BenchmarkParseMessage measures parsing one small message.
func BenchmarkParseMessage(b *testing.B) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"file:///a"}}}`)
	for b.Loop() {
		if m, _ := parseMessage(body); m.(*jsonrpc2.Call) == nil {
			b.Fatal("not a call")
		}
	}
}
