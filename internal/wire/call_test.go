package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
)

func TestCall(t *testing.T) {
	tests := []struct {
		name, reply string // what follows the id in the client's message
		want        string
		code        jsonrpc2.Code
	}{
		{"result", `"result":{"applied":null}`, `{"applied":null}`, 0},
		{"null result", `"result":null`, `null`, 0},
		{"no result at all", `"error":null`, ``, 0},
		{"result and null error", `"result":[1],"error":null`, `[1]`, 0},
		{"error", `"error":{"code":-32601,"message":"what?"}`, ``, -32601},
		{"error and null result", `"result":null,"error":{"code":-32601,"message":"what?"}`, ``, jsonrpc2.UnknownError},
		{"error of a wrong shape", `"error":"no"`, ``, jsonrpc2.UnknownError},
		{"error with a code of a wrong shape", `"error":{"code":"x","message":"no"}`, ``, jsonrpc2.UnknownError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := initialized(t, Options{}, nil)
			var result json.RawMessage
			done := make(chan error, 1)
			go func() { done <- p.conn.Call(t.Context(), "workspace/applyEdit", map[string]int{"a": 1}, &result) }()
			m := p.next()
			if m.Method != "workspace/applyEdit" || string(m.Params) != `{"a":1}` {
				t.Fatalf("the client got %+v", m)
			}
			for _, other := range []string{"99", `"1"`, "null", "-1", "1.5", "123456789012345678901234567890", "{}"} {
				p.send(`{"jsonrpc":"2.0","id":` + other + `,"result":"for nobody"}`)
				p.send(`{"jsonrpc":"2.0","id":` + other + `,"error":{"code":1,"message":"for nobody"}}`)
			}
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, tt.reply))
			err := waitFor(t, "the answer", done)
			var coded *jsonrpc2.Error
			switch {
			case tt.code == 0 && err != nil:
				t.Fatal(err)
			case tt.code != 0 && (!errors.As(err, &coded) || coded.Code != tt.code):
				t.Fatalf("got %v, want code %d", err, tt.code)
			case string(result) != tt.want:
				t.Errorf("result is %s, want %s", result, tt.want)
			}
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, tt.reply)) // a second time
			p.alive()
		})
	}
}

// TestCallGivesUp: a call times out, the client gets $/cancelRequest, and a late answer does no harm.
func TestCallGivesUp(t *testing.T) {
	for _, tt := range []struct {
		name string
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 20*time.Millisecond)
		}, context.DeadlineExceeded},
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := initialized(t, Options{}, nil)
			ctx, cancel := tt.ctx(t.Context())
			defer cancel()
			if err := p.conn.Call(ctx, "window/showDocument", nil, nil); !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			call, told := p.next(), p.next()
			if told.Method != "$/cancelRequest" || string(told.Params) != fmt.Sprintf(`{"id":%s}`, call.ID) {
				t.Errorf("the client was told %+v", told)
			}
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"success":true}}`, call.ID))
			p.alive()
		})
	}
}

// TestCallOnReadLoop: a call that would wait for itself fails at once; Go is the way around that.
func TestCallOnReadLoop(t *testing.T) {
	inline := make(chan error, 2)
	beside := make(chan error, 2)
	p := initialized(t, Options{}, func(r *Router, c *Conn) {
		HandleNotification(r, "note", func(ctx context.Context, _ *NoParams) error {
			inline <- c.Call(ctx, "workspace/configuration", nil, nil)
			c.Go("note", func(ctx context.Context) { beside <- c.Call(ctx, "workspace/configuration", nil, nil) })
			return nil
		})
		HandleRequest(r, "request", func(ctx context.Context, _ *NoParams) (Run, error) {
			inline <- c.Call(ctx, "workspace/configuration", nil, nil)
			return func(ctx context.Context) (any, error) {
				beside <- c.Call(ctx, "workspace/configuration", nil, nil)
				return nil, nil
			}, nil
		})
	})
	for _, message := range []string{`{"jsonrpc":"2.0","method":"note"}`, `{"jsonrpc":"2.0","id":"r","method":"request"}`} {
		p.send(message)
		if err := waitFor(t, "the call on the read loop", inline); !errors.Is(err, ErrInline) {
			t.Fatalf("got %v", err)
		}
		m := p.next()
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":null}`, m.ID))
		if err := waitFor(t, "the call beside it", beside); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGoContainsPanics keeps a bug in background work from ending the process.
func TestGoContainsPanics(t *testing.T) {
	p := initialized(t, Options{}, nil)
	ran := make(chan struct{})
	p.conn.Go("work", func(context.Context) { defer close(ran); panic("bug") })
	waitFor(t, "the work", ran)
	p.alive()
}

// TestStuckClient: a client that does not read costs bounded memory and blocks nobody, and gets
// everything that was accepted once it reads again.
func TestStuckClient(t *testing.T) {
	near, far := net.Pipe()
	r := NewRouter()
	HandleRequest(r, "initialize", func(context.Context, *NoParams) (Run, error) { return nil, nil })
	c := NewConn(t.Context(), near, r, Options{MaxBacklog: 1 << 20})
	c.Start()
	sent := 0
	body := make([]byte, 64<<10)
	for i := range body {
		body[i] = 'x'
	}
	for {
		err := c.Notify(t.Context(), "redline/event", string(body))
		if errors.Is(err, ErrBacklog) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if sent++; sent > 100 {
			t.Fatal("6 MB wait for a client that does not read")
		}
	}
	if err := c.Call(t.Context(), "window/showDocument", nil, nil); !errors.Is(err, ErrBacklog) {
		t.Errorf("a call got %v", err)
	}
	p := &peer{t: t, raw: far, got: make(chan message, 1<<10), conn: c}
	go p.read()
	for range sent {
		p.next()
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	p.answer("1")
	_ = far.Close()
	waitFor(t, "Done", c.Done())
}

// TestBrokenOutput: a client that closes its reading side ends the connection.
func TestBrokenOutput(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	_ = outR.CloseWithError(errors.New("broken pipe"))
	c := NewConn(t.Context(), duplex{inR, outW, inR}, NewRouter(), Options{})
	c.Start()
	defer inW.Close()
	_ = c.Notify(t.Context(), "window/logMessage", "x")
	waitFor(t, "Done", c.Done())
	if c.Err() == nil {
		t.Error("no error says that the client is gone")
	}
}

// duplex joins two pipes.
type duplex struct {
	io.Reader
	io.Writer
	closer io.Closer
}

func (d duplex) Close() error { return d.closer.Close() }
