package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// beside starts a connection that is a client's, and returns it with the other end of its transport.
func beside(t *testing.T, set func(*Router)) (*Conn, net.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	r := NewRouter()
	set(r)
	c := NewConn(t.Context(), ours, r, Options{Client: true})
	c.Start()
	t.Cleanup(func() {
		theirs.Close()
		<-c.Done()
	})
	return c, theirs
}

// A language server may ask its client for something, and tell it something, before its answer to
// initialize (LSP 3.18, "initialize"), and after its answer to shutdown.
func TestAClientHandlesEverything(t *testing.T) {
	told := make(chan string, 3)
	_, theirs := beside(t, func(r *Router) {
		HandleNotification(r, "window/logMessage", func(_ context.Context, p *struct {
			Message string `json:"message"`
		}) error {
			told <- p.Message
			return nil
		})
		HandleRequest(r, "shutdown", func(context.Context, *NoParams) (Run, error) {
			return func(context.Context) (any, error) { return "done", nil }, nil
		})
	})
	answers := newFramer(theirs, 1<<20, func(reason string, _ []byte) { t.Error(reason) })
	for _, text := range []string{"first", "second"} {
		go io.WriteString(theirs, frame(`{"jsonrpc":"2.0","method":"window/logMessage","params":{"message":"`+text+`"}}`)+
			frame(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`))
		body, err := answers.next()
		if err != nil || !strings.Contains(string(body), `"result":"done"`) {
			t.Fatalf("the answer is %s, %v", body, err)
		}
		if got := <-told; got != text {
			t.Errorf("it was told %q, not %q", got, text)
		}
	}
}

// A client names the language server in its errors, not an editor.
func TestAClientNamesTheServer(t *testing.T) {
	c, theirs := beside(t, func(*Router) {})
	go io.Copy(io.Discard, theirs)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err := c.Call(ctx, "textDocument/definition", json.RawMessage(`{}`), nil)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "the language server did not answer textDocument/definition") {
		t.Errorf("the error is %v", err)
	}
}

// A method that the client does not know is answered so that the server can continue.
func TestAClientRefusesWhatItDoesNotKnow(t *testing.T) {
	_, theirs := beside(t, func(*Router) {})
	go io.WriteString(theirs, frame(`{"jsonrpc":"2.0","id":"a","method":"workspace/codeLens/refresh"}`))
	body, err := newFramer(theirs, 1<<20, func(reason string, _ []byte) { t.Error(reason) }).next()
	var answer struct{ Error *jsonrpc2.Error }
	if err != nil || json.Unmarshal(body, &answer) != nil || answer.Error == nil || answer.Error.Code != jsonrpc2.MethodNotFound {
		t.Errorf("the answer is %s, %v", body, err)
	}
}
