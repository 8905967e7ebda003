package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// TestWireOrder sends 20,000 notifications with requests between them: each notification must be
// seen in order, each request must see exactly those before it, however late it finishes.
func TestWireOrder(t *testing.T) {
	const total, every = 20_000, 100
	var seen int32 // read loop only
	disorder := make(chan string, 1)
	release := make(chan struct{})
	p := initialized(t, Options{}, func(r *Router, _ *Conn) {
		HandleNotification(r, "textDocument/didChange", func(_ context.Context, p *DidChangeParams) error {
			if p.TextDocument.Version != seen+1 {
				select {
				case disorder <- fmt.Sprintf("version %d came after %d", p.TextDocument.Version, seen):
				default:
				}
			}
			seen = p.TextDocument.Version
			return nil
		})
		HandleRequest(r, "textDocument/hover", func(context.Context, *protocol.HoverParams) (Run, error) {
			snapshot := seen
			return func(context.Context) (any, error) {
				<-release
				return protocol.Integer(snapshot), nil
			}, nil
		})
	})
	go func() {
		var b strings.Builder
		for i := 1; i <= total; i++ {
			b.WriteString(frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a","version":%d},"contentChanges":[{"text":"x"}]}}`, i)))
			if i%every == 0 {
				b.WriteString(frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a"},"position":{"line":0,"character":0}}}`, i)))
			}
		}
		b.WriteString(frame(`{"jsonrpc":"2.0","id":"last","method":"ping"}`))
		_, _ = p.raw.Write([]byte(b.String()))
	}()
	p.answer(`"last"`) // the read loop has passed everything while the hovers still wait
	close(release)
	for range total / every {
		if m := p.next(); string(m.ID) != string(m.Result) {
			t.Errorf("hover %s saw version %s", m.ID, m.Result)
		}
	}
	select {
	case d := <-disorder:
		t.Error(d)
	default:
	}
}

// TestDecodedTextSurvives keeps what was decoded from one message while others are read.
func TestDecodedTextSurvives(t *testing.T) {
	var kept []string
	p := initialized(t, Options{}, func(r *Router, _ *Conn) {
		HandleNotification(r, "textDocument/didOpen", func(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
			kept = append(kept, p.TextDocument.Text)
			return nil
		})
		HandleNotification(r, "raw", func(_ context.Context, p *json.RawMessage) error {
			kept = append(kept, string(*p))
			return nil
		})
	})
	for i := range 50 {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"go","version":1,"text":"text %d"}}}`, i))
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"raw","params":["raw %d"]}`, i))
	}
	p.alive()
	for i := range 50 {
		if want := fmt.Sprintf("text %d", i); kept[2*i] != want {
			t.Fatalf("text %d is %q", i, kept[2*i])
		}
		if want := fmt.Sprintf(`["raw %d"]`, i); kept[2*i+1] != want {
			t.Fatalf("raw params %d are %q", i, kept[2*i+1])
		}
	}
}
