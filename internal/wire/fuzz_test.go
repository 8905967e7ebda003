package wire

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// FuzzServe feeds bytes to a connection in the state before initialize or after it. Whatever they
// are, the next well-formed request is answered: with a result, or with the lifecycle's error.
func FuzzServe(f *testing.F) {
	files, err := filepath.Glob("testdata/malformed/*.bin")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		input, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(input) < 4096 { // the fuzzer is slow with long ones
			f.Add(input, true)
		}
	}
	f.Add([]byte(frame(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`)), true)
	f.Add([]byte(frame(`{"jsonrpc":"2.0","method":"exit"}`)), false)
	f.Add([]byte("Content-Length: 2000\r\n\r\n"), false)
	f.Fuzz(func(t *testing.T, input []byte, handshake bool) {
		start := connect
		if handshake {
			start = initialized
		}
		p := start(t, Options{MaxFrame: 1000}, func(r *Router, _ *Conn) {
			typed(r, nil)
			HandleRequest(r, "wait", func(context.Context, *NoParams) (Run, error) {
				return func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, nil
			})
		})
		p.bytes(string(input))
		p.send(`{"jsonrpc":"2.0","id":"after the input","method":"ping"}`)
		p.answer(`"after the input"`)
	})
}
