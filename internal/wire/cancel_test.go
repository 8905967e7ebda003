package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

// waiting registers "wait", which reports that it runs and then waits to be cancelled, and "deaf",
// which runs until release is closed.
func waiting(started chan string, release chan struct{}) func(*Router, *Conn) {
	return func(r *Router, _ *Conn) {
		HandleRequest(r, "wait", func(context.Context, *NoParams) (Run, error) {
			return func(ctx context.Context) (any, error) {
				started <- "wait"
				<-ctx.Done()
				return nil, ctx.Err()
			}, nil
		})
		HandleRequest(r, "wait/wrapped", func(context.Context, *NoParams) (Run, error) {
			return func(ctx context.Context) (any, error) {
				started <- "wait/wrapped"
				<-ctx.Done()
				return nil, errors.New("the search was interrupted")
			}, nil
		})
		HandleRequest(r, "wait/coded", func(context.Context, *NoParams) (Run, error) {
			return func(ctx context.Context) (any, error) {
				started <- "wait/coded"
				<-ctx.Done()
				return nil, Error(RequestFailed, "half done", nil)
			}, nil
		})
		HandleRequest(r, "deaf", func(context.Context, *NoParams) (Run, error) {
			return func(context.Context) (any, error) {
				started <- "deaf"
				<-release
				return "finished", nil
			}, nil
		})
	}
}

func TestCancellation(t *testing.T) {
	tests := []struct {
		name, id, method string
		code             int
	}{
		{"number", "7", "wait", -32800},
		{"negative", "-7", "wait", -32800},
		{"zero", "0", "wait", -32800},
		{"string", `"7"`, "wait", -32800},
		{"empty string", `""`, "wait", -32800},
		{"another error after cancellation", "8", "wait/wrapped", -32800},
		{"a code of its own", "9", "wait/coded", -32803},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			started := make(chan string, 1)
			p := initialized(t, Options{}, waiting(started, nil))
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, tt.id, tt.method))
			waitFor(t, "the request", started)
			for _, other := range []string{"12345", `"12345"`, "1.5", "null", `{}`} {
				p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + other + `}}`)
			}
			p.send(`{"jsonrpc":"2.0","id":1000,"method":"ping"}`)
			if m := p.next(); string(m.ID) != "1000" {
				t.Fatalf("cancelling another id was answered with %+v", m)
			}
			p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + tt.id + `}}`)
			wantCode(t, p.answer(tt.id), tt.code)
			p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + tt.id + `}}`) // finished
			p.alive()
		})
	}
}

// TestNumberAndStringAreDifferentIDs cancels 7 while "7" also runs.
func TestNumberAndStringAreDifferentIDs(t *testing.T) {
	started := make(chan string, 2)
	p := initialized(t, Options{}, waiting(started, nil))
	p.send(`{"jsonrpc":"2.0","id":7,"method":"wait"}`)
	p.send(`{"jsonrpc":"2.0","id":"7","method":"wait"}`)
	waitFor(t, "the first request", started)
	waitFor(t, "the second request", started)
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}`)
	if m := p.next(); string(m.ID) != "7" {
		t.Fatalf("got %s", m.ID)
	}
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"7"}}`)
	if m := p.next(); string(m.ID) != `"7"` {
		t.Fatalf("got %s", m.ID)
	}
}

// TestDuplicateID: the second of two requests with one id is refused, and the id cancels the first.
func TestDuplicateID(t *testing.T) {
	started := make(chan string, 2)
	p := initialized(t, Options{}, waiting(started, nil))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
	waitFor(t, "the request", started)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	wantCode(t, p.answer("1"), int(jsonrpc2.InvalidRequest))
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	wantCode(t, p.answer("1"), int(RequestCancelled))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if m := p.answer("1"); string(m.Result) != `"pong"` {
		t.Fatalf("the id cannot be used again: %+v", m)
	}
}

// TestResultDespiteCancellation: a request that finishes anyway is answered with its result.
func TestResultDespiteCancellation(t *testing.T) {
	started, release := make(chan string, 1), make(chan struct{})
	p := initialized(t, Options{}, waiting(started, release))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"deaf"}`)
	waitFor(t, "the request", started)
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	p.alive()
	close(release)
	if m := p.answer("1"); string(m.Result) != `"finished"` {
		t.Fatalf("got %+v", m)
	}
}

// TestEndOfInput: everything that runs is cancelled, and Done is closed, whichever way it ends.
func TestEndOfInput(t *testing.T) {
	for _, tt := range []struct {
		name    string
		end     func(p *peer)
		wantErr error
	}{
		{"end of input", func(p *peer) { _ = p.raw.Close() }, nil},
		{"half a header", func(p *peer) { p.bytes("Content-Len"); _ = p.raw.Close() }, io.ErrUnexpectedEOF},
		{"half a body", func(p *peer) { p.bytes("Content-Length: 100\r\n\r\n{\"jsonrpc\""); _ = p.raw.Close() }, io.ErrUnexpectedEOF},
		{"half a long body", func(p *peer) { p.bytes("Content-Length: 999999999\r\n\r\n{\"jsonrpc\""); _ = p.raw.Close() }, io.ErrUnexpectedEOF},
		{"close", func(p *peer) { p.conn.Close() }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			started := make(chan string, 2)
			gone := make(chan error, 1)
			p := initialized(t, Options{}, func(r *Router, c *Conn) {
				waiting(started, nil)(r, c)
				HandleRequest(r, "turn", func(context.Context, *NoParams) (Run, error) {
					c.Go("turn", func(ctx context.Context) {
						<-ctx.Done()
						gone <- c.Call(ctx, "window/showDocument", nil, nil)
					})
					return nil, nil
				})
			})
			p.send(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
			p.send(`{"jsonrpc":"2.0","id":2,"method":"turn"}`)
			waitFor(t, "the request", started)
			p.answer("2")
			tt.end(p)
			if err := waitFor(t, "the end of the turn", gone); !errors.Is(err, ErrClosed) {
				t.Errorf("a call after the end: %v", err)
			}
			waitFor(t, "Done", p.conn.Done())
			if err := p.conn.Err(); !errors.Is(err, tt.wantErr) || tt.wantErr == nil && err != nil {
				t.Errorf("Err is %v, want %v", err, tt.wantErr)
			}
			if p.logs.FilterMessageSnippet("did not stop").Len() != 0 {
				t.Error("the end waited in vain for a request that had stopped")
			}
			if err := p.conn.Notify(t.Context(), "window/logMessage", nil); !errors.Is(err, ErrClosed) {
				t.Errorf("a notification after the end: %v", err)
			}
		})
	}
}

// halfClosed is a transport whose input is finished while its output is open, like a shell pipe.
type halfClosed struct {
	io.Reader
	io.Writer
}

func (halfClosed) Close() error { return nil }

// TestAnswersAfterEndOfInput: requests that a script pipes in are answered before the server ends.
func TestAnswersAfterEndOfInput(t *testing.T) {
	in := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`) + frame(`{"jsonrpc":"2.0","id":2,"method":"slow"}`)
	var out strings.Builder
	r := NewRouter()
	HandleRequest(r, "initialize", func(context.Context, *NoParams) (Run, error) {
		return func(context.Context) (any, error) { return "hello", nil }, nil
	})
	HandleRequest(r, "slow", func(context.Context, *NoParams) (Run, error) {
		return func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, nil
	})
	c := NewConn(t.Context(), halfClosed{strings.NewReader(in), &out}, r, Options{})
	c.Start()
	waitFor(t, "Done", c.Done())
	for _, want := range []string{`"id":1,"result":"hello"`, `"id":2,"error":{"code":-32800`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in %s", want, out.String())
		}
	}
}

// TestDoneDespiteDeafHandler: a handler that ignores its context only delays the end.
func TestDoneDespiteDeafHandler(t *testing.T) {
	started, release := make(chan string, 1), make(chan struct{})
	p := initialized(t, Options{}, waiting(started, release))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"deaf"}`)
	waitFor(t, "the request", started)
	_ = p.raw.Close()
	waitFor(t, "Done", p.conn.Done())
	close(release)
}

// TestContextEndsConnection: the context given to NewConn ends the connection like Close.
func TestContextEndsConnection(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	c := NewConn(ctx, struct {
		io.Reader
		io.WriteCloser
	}{r, w}, NewRouter(), Options{})
	c.Start()
	cancel()
	waitFor(t, "Done", c.Done())
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}
