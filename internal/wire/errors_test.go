package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// methods registers one handler for each way to fail.
func methods(r *Router, _ *Conn) {
	HandleNotification(r, "note/error", func(context.Context, *NoParams) error { return errors.New("note failed") })
	HandleNotification(r, "note/panic", func(context.Context, *NoParams) error { panic("secret-content") })
	HandleNotification(r, "note/typed", func(context.Context, *protocol.DidSaveTextDocumentParams) error { return nil })
	HandleRequest(r, "prepare/error", func(context.Context, *NoParams) (Run, error) { return nil, errors.New("cannot prepare") })
	HandleRequest(r, "prepare/panic", func(context.Context, *NoParams) (Run, error) {
		var none []int
		return nil, errors.New(string(rune(none[len(none)]))) // out of range: a fault of the runtime's own
	})
	HandleRequest(r, "run/plain", func(context.Context, *NoParams) (Run, error) {
		return func(context.Context) (any, error) { return nil, errors.New("cannot run") }, nil
	})
	HandleRequest(r, "run/coded", func(context.Context, *NoParams) (Run, error) {
		return func(context.Context) (any, error) {
			return nil, Error(RequestFailed, "Plan 7 has changed.", map[string]string{"kind": "hash_mismatch"})
		}, nil
	})
	HandleRequest(r, "run/wrapped", func(context.Context, *NoParams) (Run, error) {
		return func(context.Context) (any, error) {
			return nil, fmt.Errorf("approve: %w", Error(RequestFailed, "busy", map[string]string{"kind": "busy"}))
		}, nil
	})
	HandleRequest(r, "run/panic", func(context.Context, *NoParams) (Run, error) {
		return func(context.Context) (any, error) { panic("secret-content") }, nil
	})
	HandleRequest(r, "run/unencodable", func(context.Context, *NoParams) (Run, error) {
		return func(context.Context) (any, error) { return func() {}, nil }, nil
	})
	HandleRequest(r, "typed", func(context.Context, *protocol.HoverParams) (Run, error) {
		return func(context.Context) (any, error) { return "ok", nil }, nil
	})
	HandleRequest(r, "raw", func(_ context.Context, p *json.RawMessage) (Run, error) {
		params := *p
		return func(context.Context) (any, error) { return params, nil }, nil
	})
}

// TestAnswers checks the answer to each request, and that the connection continues.
func TestAnswers(t *testing.T) {
	long := strings.Repeat("m", 5000)
	tests := []struct {
		name, rest string
		code       int    // 0: a result
		want       string // result, or part of the message
	}{
		{"unknown method", `"method":"foo/bar"`, -32601, "foo/bar"},
		{"unknown method with params", `"method":"foo/bar","params":[1]`, -32601, "foo/bar"},
		{"optional method", `"method":"$/foo"`, -32601, "$/foo"},
		{"long method", `"method":"` + long + `"`, -32601, "…"},
		{"params of a wrong shape", `"method":"typed","params":{"position":"here"}`, -32602, "typed"},
		{"params of a wrong kind", `"method":"typed","params":[1,2]`, -32602, "typed"},
		{"params missing", `"method":"typed"`, -32602, "missing"},
		{"params null", `"method":"typed","params":null`, -32602, "missing"},
		{"prepare fails", `"method":"prepare/error"`, -32603, "cannot prepare"},
		{"prepare panics", `"method":"prepare/panic"`, -32603, "bug"},
		{"run fails", `"method":"run/plain"`, -32603, "cannot run"},
		{"run refuses", `"method":"run/coded"`, -32803, "Plan 7 has changed."},
		{"run refuses, wrapped", `"method":"run/wrapped"`, -32803, "approve: busy"},
		{"run panics", `"method":"run/panic"`, -32603, "bug"},
		{"result without JSON form", `"method":"run/unencodable"`, -32603, ""},
		{"raw", `"method":"raw","params":{"a":[1, 2.50]}`, 0, `{"a":[1, 2.50]}`},
		{"raw without params", `"method":"raw"`, 0, `null`},
		{"no params where some are given", `"method":"ping","params":["anything"]`, 0, `"pong"`},
		{"initialize again", `"method":"initialize","params":{}`, -32600, "initialized already"},
	}
	p := initialized(t, Options{}, methods)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, tt.rest))
			m := p.answer(fmt.Sprint(i))
			if tt.code == 0 {
				if m.Error != nil || string(m.Result) != tt.want {
					t.Fatalf("got %s, %+v; want %s", m.Result, m.Error, tt.want)
				}
				return
			}
			wantCode(t, m, tt.code)
			if !strings.Contains(m.Error.Message, tt.want) {
				t.Errorf("message %q does not say %q", m.Error.Message, tt.want)
			}
			if len(m.Error.Message) > 400 {
				t.Errorf("message has %d bytes", len(m.Error.Message))
			}
		})
	}
	p.send(`{"jsonrpc":"2.0","id":"kind","method":"run/coded"}`)
	if m := p.answer(`"kind"`); string(m.Error.Data) != `{"kind":"hash_mismatch"}` {
		t.Errorf("data is %s", m.Error.Data)
	}
	for _, entry := range p.logs.All() {
		if text := fmt.Sprint(entry.Message, entry.ContextMap()); strings.Contains(text, "secret-content") {
			t.Errorf("the log holds a message's content: %s", text)
		}
	}
	if n := p.logs.FilterMessage("a handler panicked").Len(); n != 2 {
		t.Errorf("%d panics were logged, want 2", n)
	}
}

// TestNotificationsNeverClose sends notifications that fail in every way.
func TestNotificationsNeverClose(t *testing.T) {
	p := initialized(t, Options{}, methods)
	for _, rest := range []string{
		`"method":"foo/bar"`,
		`"method":"$/foo"`,
		`"method":"$/cancelRequest"`,
		`"method":"$/cancelRequest","params":[]`,
		`"method":"$/cancelRequest","params":{"id":{}}`,
		`"method":"$/cancelRequest","params":{"id":1.5}`,
		`"method":"$/setTrace"`,
		`"method":"note/error"`,
		`"method":"note/panic"`,
		`"method":"note/typed"`,
		`"method":"note/typed","params":"sk-not-for-the-log"`,
		`"method":"note/typed","params":{"textDocument":7}`,
		`"method":"note/typed","params":{"textDocument":{"uri":"http://[::bad"}}`,
	} {
		p.send(`{"jsonrpc":"2.0",` + rest + `}`)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if m := p.next(); string(m.ID) != "1" { // the first message at all: nothing above was answered
		t.Fatalf("a notification was answered: %+v", m)
	}
	if p.logs.FilterMessage("a notification failed").Len() != 1 {
		t.Error("the notification that failed was not logged")
	}
	for _, entry := range p.logs.FilterMessage("ignored a notification").All() {
		if method := entry.ContextMap()["method"]; method != "foo/bar" { // LSP: those with $/ are optional
			t.Errorf("the log names %v as ignored", method)
		}
	}
	for _, entry := range p.logs.All() {
		if text := fmt.Sprint(entry.Message, entry.ContextMap()); strings.Contains(text, "sk-not-for-the-log") {
			t.Errorf("the log holds a message's content: %s", text)
		}
	}
}

// TestLifecycle walks through initialize, shutdown and exit.
func TestLifecycle(t *testing.T) {
	exits := make(chan struct{}, 2)
	noted := 0
	p := connect(t, Options{}, func(r *Router, c *Conn) {
		HandleNotification(r, "exit", func(context.Context, *NoParams) error { exits <- struct{}{}; c.Close(); return nil })
		HandleNotification(r, "note", func(context.Context, *NoParams) error { noted++; return nil })
	})
	p.send(`{"jsonrpc":"2.0","method":"note"}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	wantCode(t, p.answer("1"), int(jsonrpc2.ServerNotInitialized))
	p.send(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	wantCode(t, p.answer("2"), int(jsonrpc2.ServerNotInitialized))
	p.send(`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}`)
	if m := p.answer("3"); m.Error != nil {
		t.Fatal(m.Error)
	}
	p.send(`{"jsonrpc":"2.0","method":"note"}`)
	p.alive()
	p.send(`{"jsonrpc":"2.0","id":4,"method":"shutdown"}`)
	if m := p.answer("4"); m.Error != nil {
		t.Fatal(m.Error)
	}
	p.send(`{"jsonrpc":"2.0","method":"note"}`)
	p.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	wantCode(t, p.answer("5"), int(jsonrpc2.InvalidRequest))
	p.send(`{"jsonrpc":"2.0","method":"exit"}`)
	waitFor(t, "exit", exits)
	waitFor(t, "the end", p.conn.Done())
	if noted != 1 {
		t.Errorf("%d notifications were handled, want the one between initialize and shutdown", noted)
	}
	if err := p.conn.Err(); err != nil {
		t.Error(err)
	}
}

// TestFailedInitializeCanBeRepeated leaves the server uninitialized.
func TestFailedInitializeCanBeRepeated(t *testing.T) {
	p := connect(t, Options{}, func(r *Router, _ *Conn) {
		HandleRequest(r, "initialize", func(_ context.Context, p *json.RawMessage) (Run, error) {
			if string(*p) != "{}" {
				return nil, Error(jsonrpc2.InvalidParams, "wrong", nil)
			}
			return nil, nil
		})
	})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	wantCode(t, p.answer("1"), -32602)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}`)
	if m := p.answer("2"); m.Error != nil {
		t.Fatal(m.Error)
	}
	p.alive()
}
