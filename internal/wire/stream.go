package wire

import (
	"bytes"
	"context"
	"strconv"
	"sync"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"redline/internal/outbox"
)

// stream is the [jsonrpc2.Stream] of a Conn. Read returns only well-formed messages and answers the
// rest itself; Write never blocks. stream also counts the requests without an answer, so that the
// last answers still go out after the end of input.
type stream struct {
	frames *framer
	out    *outbox.Box
	log    *zap.Logger
	ctx    context.Context // done when the connection ends
	end    func(error)     // called with the error that ended the input
	closed chan struct{}   // closed when nothing can be answered any more

	mu   sync.Mutex
	open int           // requests read but not answered
	idle chan struct{} // closed when the input has ended and open is 0; nil before the end
}

var _ jsonrpc2.Stream = (*stream)(nil)

// Read implements [jsonrpc2.Stream]. A message owns its bytes: the next one overwrites nothing that
// was decoded from it.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		s.out.Room(s.ctx.Done())
		body, err := s.frames.next()
		if err == nil {
			err = context.Cause(s.ctx)
		}
		if err != nil {
			s.end(err)
			<-s.closed // what runs may still answer until then
			return nil, 0, err
		}
		msg, refused := parseMessage(body)
		if refused != nil {
			s.refuse(refused, len(body))
			continue
		}
		if msg == nil {
			continue
		}
		if _, ok := msg.(*jsonrpc2.Call); ok {
			s.mu.Lock()
			s.open++
			s.mu.Unlock()
		}
		return msg, int64(len(body)), nil
	}
}

// Write implements [jsonrpc2.Stream]: it queues msg. It replaces invalid UTF-8, which may be in what
// the client sent and gets back, such as a token.
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body := jsonrpc2.AppendMessage(nil, msg)
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	err := s.put(body)
	if isResponse(body) {
		s.mu.Lock()
		s.open--
		s.settle()
		s.mu.Unlock()
	}
	return int64(len(body)), err
}

// put queues one message. It returns ErrClosed once nothing can be written any more.
func (s *stream) put(body []byte) error {
	frame := make([]byte, 0, len(body)+32)
	frame = append(frame, "Content-Length: "...)
	frame = strconv.AppendInt(frame, int64(len(body)), 10)
	frame = append(frame, "\r\n\r\n"...)
	frame = append(frame, body...)
	if !s.out.Put(frame) {
		return ErrClosed
	}
	return nil
}

// Close implements [jsonrpc2.Stream]. It does nothing: the Conn closes the transport, after writing
// what is queued.
func (*stream) Close() error { return nil }

// answered returns a channel that is closed once every request that was read has its answer in the
// queue. It is called once, after the input has ended.
func (s *stream) answered() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := make(chan struct{})
	s.idle = idle
	s.settle()
	return idle
}

// settle closes idle once all requests are answered; the caller holds s.mu.
func (s *stream) settle() {
	if s.idle != nil && s.open == 0 {
		close(s.idle)
		s.idle = nil
	}
}

// unreadable answers bad input that the framer skipped.
func (s *stream) unreadable(reason string, prefix []byte) {
	r := &refusal{code: jsonrpc2.ParseError, message: "The input is not LSP: " + reason + "."}
	if prefix != nil {
		r.code, r.id = jsonrpc2.InvalidRequest, peekID(prefix)
	}
	s.refuse(r, len(prefix))
}

func (s *stream) refuse(r *refusal, size int) {
	s.log.Warn("refused a message", zap.String("reason", r.message), zap.Int("bytes", size))
	_ = s.put(r.encode()) // a closed queue: nobody reads it
}

// isResponse reports whether body, as package jsonrpc2 encodes it, is a response: other messages
// begin with their method.
func isResponse(body []byte) bool {
	const head = `{"jsonrpc":"2.0","id":`
	return len(body) >= len(head) && string(body[:len(head)]) == head
}
