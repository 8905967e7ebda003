package wire

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

var update = flag.Bool("update", false, "rewrite testdata/malformed.txt")

// typed registers a request and a notification with params, for the corpus to get wrong, and a ping
// that is answered on the read loop, so that answers come in order.
func typed(r *Router, _ *Conn) {
	HandleRequest(r, "ping", func(context.Context, *NoParams) (Run, error) { return nil, nil })
	HandleRequest(r, "typed", func(context.Context, *protocol.HoverParams) (Run, error) { return nil, nil })
	HandleNotification(r, "note", func(context.Context, *protocol.DidSaveTextDocumentParams) error { return nil })
}

// TestMalformed feeds each file of the corpus to a connection that is initialized. Afterwards a
// normal request must be answered. The answers to the file itself are in testdata/malformed.txt,
// where "1 ok" in every line shows that the request behind the bad input was not lost either.
func TestMalformed(t *testing.T) {
	files, err := filepath.Glob("testdata/malformed/*.bin")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	var got strings.Builder
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".bin")
		t.Run(name, func(t *testing.T) {
			input, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s: %s\n", name, strings.Join(answers(t, input), ", "))
		})
	}
	const golden = "testdata/malformed.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Error(d)
	}
	for line := range strings.Lines(string(want)) {
		if !strings.Contains(line, " 1 ok") {
			t.Errorf("the request behind the bad input was not answered: %s", line)
		}
	}
}

// answers feeds input to a connection and returns what came back, each as "id code" or "id ok", sorted.
func answers(t testing.TB, input []byte) []string {
	p := initialized(t, Options{}, typed)
	p.bytes(string(input))
	p.send(`{"jsonrpc":"2.0","id":"alive?","method":"ping"}`)
	var got []string
	for {
		m := p.next()
		if string(m.ID) == `"alive?"` {
			break
		}
		got = append(got, outcome(m))
	}
	slices.Sort(got)
	return got
}

func outcome(m message) string {
	id := string(m.ID)
	if len(id) > 40 {
		id = id[:40] + "…"
	}
	if m.Error == nil {
		return id + " ok"
	}
	return fmt.Sprintf("%s %d", id, m.Error.Code)
}

// TestSentIsUTF8: invalid UTF-8 from a client is never sent back, neither in an id nor in anything
// else. (The peer of the tests checks each message.)
func TestSentIsUTF8(t *testing.T) {
	p := initialized(t, Options{}, func(r *Router, c *Conn) {
		HandleNotification(r, "note", func(ctx context.Context, params *jsonrpc2.RawMessage) error {
			return c.Notify(ctx, "noted", *params)
		})
	})
	p.send("{\"jsonrpc\":\"2.0\",\"id\":\"a\xff\",\"method\":\"ping\"}")
	wantCode(t, p.answer("null"), int(jsonrpc2.InvalidRequest))
	p.send("{\"jsonrpc\":\"2.0\",\"method\":\"note\",\"params\":{\"token\":\"a\xff\"}}")
	for m := p.next(); m.Method != "noted"; m = p.next() {
	}
	p.alive()
}

// TestHugeFrame sends a frame of 100 MB: it is refused by its id, without being held in memory.
func TestHugeFrame(t *testing.T) {
	const size = 100 << 20
	p := initialized(t, Options{}, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	head := `{"jsonrpc":"2.0","id":2,"method":"ping","params":"`
	p.bytes(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, head))
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for left := size - len(head) - 2; left > 0; left -= len(chunk) {
		if _, err := p.raw.Write(chunk[:min(left, len(chunk))]); err != nil { // as a string it would be copied
			t.Fatal(err)
		}
	}
	p.bytes(`"}`)
	wantCode(t, p.answer("2"), -32600)
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 32<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
	p.alive()
}

// TestDeclaredLength: memory grows as bytes arrive, not as the header announces.
func TestDeclaredLength(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := newFramer(strings.NewReader("Content-Length: 60000000\r\n\r\n{"), defaultMaxFrame, func(string, []byte) {})
	if _, err := f.next(); err == nil {
		t.Fatal("half a message was accepted")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("%d bytes were allocated for one", n)
	}
}

// TestOversized checks how frames over the limit are refused.
func TestOversized(t *testing.T) {
	fill := strings.Repeat("x", 5000)
	for _, tt := range []struct{ name, body, want string }{
		{"request", `{"jsonrpc":"2.0","id":2,"method":"ping","params":"` + fill + `"}`, "2 -32600"},
		{"string id", `{"jsonrpc":"2.0","id":"a","method":"ping","params":"` + fill + `"}`, `"a" -32600`},
		{"id after the params", `{"jsonrpc":"2.0","method":"ping","params":"` + fill + `","id":2}`, "null -32600"},
		{"notification", `{"jsonrpc":"2.0","method":"note","params":"` + fill + `"}`, "null -32600"},
		{"not JSON", fill, "null -32600"},
		{"id an object", `{"id":{},"x":"` + fill + `"}`, "null -32600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := initialized(t, Options{MaxFrame: 1000}, nil)
			p.send(tt.body)
			if m := p.next(); outcome(m) != tt.want {
				t.Errorf("got %s, want %s", outcome(m), tt.want)
			}
			p.alive()
		})
	}
}
