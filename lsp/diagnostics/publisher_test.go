package diagnostics

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/agent/view"
	"redline/internal/wire"
	"redline/lsp/position"
)

// newPublisher returns a publisher without plans.
func newPublisher(conn *wire.Conn) *Publisher {
	return New(conn, position.Mapper{}, func() *view.Snapshot { return &view.Snapshot{} }, func(*view.Plan) {}, zap.NewNop())
}

// What the client did not take, because it had stopped reading, is sent again when it reads
// again, even if nothing has changed since.
func TestDiagnosticsAreSentAgainAfterABacklog(t *testing.T) {
	near, far := net.Pipe()
	conn := wire.NewConn(t.Context(), near, wire.NewRouter(), wire.Options{MaxBacklog: 1})
	conn.Start()
	t.Cleanup(func() { conn.Close(); far.Close(); <-conn.Done() })
	if err := conn.Notify(t.Context(), "first", nil); err != nil {
		t.Fatal(err)
	}
	d := newPublisher(conn)
	d.Note("file:///a.txt", []protocol.Diagnostic{{Code: protocol.String("1.h1")}}, func() bool { return true })
	d.publish(t.Context())
	if len(d.published) > 0 {
		t.Fatal("it counts as published")
	}

	messages := make(chan string)
	go func() {
		defer close(messages)
		for r := bufio.NewReader(far); ; {
			body, err := readFrame(r)
			if err != nil {
				return
			}
			messages <- body
		}
	}()
	await := func(what string) {
		t.Helper()
		select {
		case got := <-messages:
			if !strings.Contains(got, what) {
				t.Errorf("got %s, want %s", got, what)
			}
		case <-time.After(time.Minute):
			t.Fatalf("there is no %s", what)
		}
	}
	await("first")
	conn.Go("diagnostics", d.Run)
	await("1.h1")
}

// readFrame reads one message of the base protocol.
func readFrame(r *bufio.Reader) (string, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	size := 0
	for _, digit := range strings.TrimSpace(strings.TrimPrefix(head, "Content-Length:")) {
		size = size*10 + int(digit-'0')
	}
	body := make([]byte, size+len("\r\n"))
	_, err = io.ReadFull(r, body)
	return string(body), err
}

// A document that is closed while a note is added has no notes afterwards, in whichever
// order the two happen.
func TestNotesEndWithTheirDocument(t *testing.T) {
	d, uri := newPublisher(nil), "file:///a.txt"
	list := []protocol.Diagnostic{{Source: protocol.NewOptional(Source)}}
	closed := make(chan struct{})
	d.Note(uri, list, func() bool {
		go func() { d.Unnote(uri); close(closed) }()
		return true
	})
	<-closed
	d.Note(uri, list, func() bool { return false })
	if documents := d.Now().Documents(); len(documents) > 0 {
		t.Errorf("there is still %v", documents)
	}
}
