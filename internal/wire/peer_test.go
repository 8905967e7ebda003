package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// patience bounds how long a test waits for something that must happen.
const patience = 3 * time.Minute

// message is what the peer received, with its members not decoded.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// peer is the other end of a Conn: it writes bytes and reads messages.
type peer struct {
	t    testing.TB
	raw  io.ReadWriteCloser
	got  chan message
	logs *observer.ObservedLogs
	conn *Conn
}

// connect starts a Conn with the methods of setup, and initialize.
func connect(t testing.TB, o Options, setup func(*Router, *Conn)) *peer {
	t.Helper()
	near, far := net.Pipe()
	core, logs := observer.New(zap.DebugLevel)
	o.Log = zap.New(core)
	r := NewRouter()
	HandleRequest(r, "initialize", func(context.Context, *json.RawMessage) (Run, error) { return nil, nil })
	HandleRequest(r, "shutdown", func(context.Context, *NoParams) (Run, error) { return nil, nil })
	HandleRequest(r, "ping", func(context.Context, *NoParams) (Run, error) {
		return func(context.Context) (any, error) { return "pong", nil }, nil
	})
	conn := NewConn(t.Context(), near, r, o)
	if setup != nil {
		setup(r, conn)
	}
	conn.Start()
	p := &peer{t: t, raw: far, got: make(chan message, 1<<16), logs: logs, conn: conn}
	go p.read()
	t.Cleanup(func() {
		_ = far.Close()
		<-conn.Done()
	})
	return p
}

// initialized calls connect and does the handshake.
func initialized(t testing.TB, o Options, setup func(*Router, *Conn)) *peer {
	t.Helper()
	p := connect(t, o, setup)
	p.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{}}`)
	if m := p.next(); m.Error != nil {
		t.Fatalf("initialize: %+v", m.Error)
	}
	return p
}

func (p *peer) read() {
	defer close(p.got)
	r := textproto.NewReader(bufio.NewReader(p.raw))
	for {
		header, err := r.ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r.R, body); err != nil {
			return
		}
		if !utf8.Valid(body) {
			p.t.Errorf("the server sent what is not UTF-8: %q", body)
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			p.t.Errorf("the server sent %q: %v", body, err)
			return
		}
		p.got <- m
	}
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func (p *peer) send(body string) { p.bytes(frame(body)) }

func (p *peer) bytes(raw string) {
	p.t.Helper()
	if _, err := io.WriteString(p.raw, raw); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		p.t.Fatal(err)
	}
}

// next returns the next message from the server.
func (p *peer) next() message {
	p.t.Helper()
	select {
	case m, ok := <-p.got:
		if !ok {
			p.t.Fatal("the server closed the connection")
		}
		return m
	case <-time.After(patience):
		p.t.Fatal("the server sent nothing")
	}
	panic("unreachable")
}

// answer returns the answer to the request with this id (as spelled in JSON), skipping everything
// else.
func (p *peer) answer(id string) message {
	p.t.Helper()
	for {
		if m := p.next(); m.Method == "" && string(m.ID) == id {
			return m
		}
	}
}

// wantCode fails the test unless m is an error with this code.
func wantCode(t testing.TB, m message, code int) {
	t.Helper()
	if m.Error == nil || m.Error.Code != code {
		t.Fatalf("got %+v (result %s), want an error with code %d", m.Error, m.Result, code)
	}
	if m.Error.Message == "" {
		t.Error("the error has no message")
	}
}

// alive fails the test unless the connection still answers.
func (p *peer) alive() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"alive?","method":"ping"}`)
	if m := p.answer(`"alive?"`); string(m.Result) != `"pong"` {
		p.t.Fatalf("ping was answered %s, %+v", m.Result, m.Error)
	}
}

// waitFor receives from ch or fails.
func waitFor[T any](t testing.TB, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not happen", what)
	}
	panic("unreachable")
}
