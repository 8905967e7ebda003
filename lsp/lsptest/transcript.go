package lsptest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// lineLimit is how many bytes of one message the transcript keeps.
const lineLimit = 2000

// stream is the editor's [jsonrpc2.Stream]: LSP framing, with a transcript of both directions, and
// with functions to call after the answer to a request of the server.
type stream struct {
	rwc io.ReadWriteCloser
	in  *textproto.Reader

	mu    sync.Mutex
	lines []string
	after map[jsonrpc2.ID]func()

	write sync.Mutex
}

func newStream(rwc io.ReadWriteCloser) *stream {
	return &stream{rwc: rwc, in: textproto.NewReader(bufio.NewReader(rwc)), after: map[jsonrpc2.ID]func(){}}
}

// Read implements [jsonrpc2.Stream].
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	header, err := s.in.ReadMIMEHeader()
	if err != nil {
		return nil, 0, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return nil, 0, fmt.Errorf("the server sent a bad header: %w", err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(s.in.R, body); err != nil {
		return nil, 0, err
	}
	s.record("<-", body)
	msg, err := jsonrpc2.DecodeMessage(body)
	return msg, int64(n), err
}

// Write implements [jsonrpc2.Stream].
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body := jsonrpc2.AppendMessage(nil, msg)
	s.record("->", body)
	s.write.Lock()
	_, err := fmt.Fprintf(s.rwc, "Content-Length: %d\r\n\r\n%s", len(body), body)
	s.write.Unlock()
	if f := s.takeAfter(body); f != nil {
		f()
	}
	return int64(len(body)), err
}

// Close implements [jsonrpc2.Stream].
func (s *stream) Close() error { return s.rwc.Close() }

// afterAnswer calls f once the answer to request id is written.
func (s *stream) afterAnswer(id jsonrpc2.ID, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after[id] = f
}

func (s *stream) takeAfter(body []byte) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, f := range s.after {
		head := bytes.TrimSuffix(jsonrpc2.AppendResponse(nil, id, nil, nil), []byte(`"result":null}`))
		if bytes.HasPrefix(body, head) {
			delete(s.after, id)
			return f
		}
	}
	return nil
}

func (s *stream) record(direction string, body []byte) {
	line := string(body)
	if len(line) > lineLimit {
		line = fmt.Sprintf("%s… (%d bytes)", line[:lineLimit], len(body))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, direction+" "+line)
}

func (s *stream) transcript() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n") + "\n"
}
