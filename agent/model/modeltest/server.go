package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// BaseURL is the base URL of a [Server] that is used in process.
const BaseURL = "http://model.test/v1"

// Request is a received request. It holds no key.
type Request struct {
	Path     string
	Header   http.Header // without keys
	Model    string
	Messages []Message
	Tools    []string // names of the tools offered
	Body     []byte

	custom []string // the tools whose argument is a text, not JSON
}

// Message is a message of a request.
type Message struct {
	Role    string
	Content string
	Calls   []CallMade
	CallID  string // of a tool's message: the call that it answers
}

// CallMade is a call that an assistant's message holds.
type CallMade struct{ ID, Name, Arguments string }

// Server answers requests with the replies of its script, in the order in which
// the requests come. It is safe for concurrent use.
type Server struct {
	stop  func()              // nil unless started
	reply func(Request) Reply // instead of a script, nil for the script

	mu       sync.Mutex // guards everything below
	script   script
	requests []Request
	gates    map[string]chan struct{} // closed when released
	arrived  chan struct{}            // closed, and replaced, at every request
}

// New returns a server with a script.
func New(replies ...Reply) *Server {
	return &Server{script: script{replies: replies, used: map[int]bool{}}, gates: make(map[string]chan struct{}), arrived: make(chan struct{})}
}

// NewOf returns a server that answers each request by what it says, however often and in which
// order they come. Only one at a time is in reply, which must not use the server.
func NewOf(reply func(Request) Reply) *Server {
	s := New()
	s.reply = reply
	return s
}

// Add appends replies to the script.
func (s *Server) Add(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script.replies = append(s.script.replies, replies...)
}

// Release lets every reply continue that waits for the name, now or later.
func (s *Server) Release(name string) {
	gate := s.gate(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-gate:
	default:
		close(gate)
	}
}

func (s *Server) gate(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[name] == nil {
		s.gates[name] = make(chan struct{})
	}
	return s.gates[name]
}

// Requests returns the requests received so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Unused returns how many replies of the script were not used.
func (s *Server) Unused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.script.replies) - len(s.script.used)
}

// Await returns when n requests have been received, or ctx's error.
func (s *Server) Await(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		have, arrived := len(s.requests), s.arrived
		s.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d requests came: %w", have, n, ctx.Err())
		}
	}
}

// answer is a reply as it is sent.
type answer struct {
	Reply
	pieces []piece
}

// take records a request and returns the answer to it.
func (s *Server) take(req *http.Request) (answer, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return answer{}, err
		}
	}
	in := dialectOf(req.URL.Path)
	got := Request{Path: req.URL.Path, Header: req.Header.Clone(), Body: body}
	for _, key := range keyHeaders {
		got.Header.Del(key)
	}
	unreadable := in.read(body, &got)
	reply, prefix := s.next(got, unreadable)
	return answer{reply, reply.pieces(in.stream(got), prefix)}, nil
}

// keyHeaders are the headers that hold a key.
var keyHeaders = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"}

// next records a request and returns the reply to it, with a prefix for the ids of its calls.
func (s *Server) next(got Request, unreadable error) (Reply, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	prefix, next := fmt.Sprintf("call_%d", n+1), s.script.next(got.Messages)
	s.requests = append(s.requests, got)
	close(s.arrived)
	s.arrived = make(chan struct{})
	switch {
	case unreadable != nil:
		return complain("the request is no chat completion: " + unreadable.Error()), prefix
	case s.reply != nil:
		return s.reply(got), prefix
	case next < 0:
		return complain(fmt.Sprintf("the script has %d replies, and this is request %d", len(s.script.replies), n+1)), prefix
	}
	s.script.used[next] = true
	return s.script.replies[next], prefix
}

// script has the replies of a server.
type script struct {
	replies []Reply
	used    map[int]bool // of the replies, by index
}

// next returns the index of the first unused reply that answers a request, -1 for none.
func (s *script) next(messages []Message) int {
	for i, r := range s.replies {
		has := func(m Message) bool { return strings.Contains(m.Content, r.For) }
		if !s.used[i] && (r.For == "" || slices.ContainsFunc(messages, has)) {
			return i
		}
	}
	return -1
}

// complain returns an answer that no client retries, so that a test that sends more requests
// than its script has replies fails at once.
func complain(message string) Reply {
	body, _ := json.Marshal(map[string]any{"error": map[string]string{"message": "modeltest: " + message, "type": "script"}})
	return Fail(http.StatusUnprocessableEntity, string(body))
}

// start returns the status and header of a reply.
func (r Reply) start() (status int, header http.Header) {
	header = r.Header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	status = r.Status
	if status == 0 {
		status = http.StatusOK
	}
	if header.Get("Content-Type") == "" {
		if status/100 == 2 {
			header.Set("Content-Type", "text/event-stream")
		} else {
			header.Set("Content-Type", "application/json")
		}
	}
	return status, header
}

// RoundTrip answers in process.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	reply, err := s.take(req)
	if err != nil {
		return nil, err
	}
	status, header := reply.start()
	return &http.Response{
		StatusCode:    status,
		Status:        fmt.Sprintf("%d %s", status, http.StatusText(status)),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          &body{server: s, ctx: req.Context(), left: reply.pieces},
		ContentLength: -1,
		Request:       req,
	}, nil
}

// body is a response in process. Each Read returns one piece at most.
type body struct {
	server *Server
	ctx    context.Context
	left   []piece
	now    bytes.Reader
}

func (b *body) Read(p []byte) (int, error) {
	for b.now.Len() == 0 {
		if err := b.ctx.Err(); err != nil {
			return 0, err
		}
		if len(b.left) == 0 {
			return 0, io.EOF
		}
		next := b.left[0]
		switch next.kind {
		case cutPart:
			return 0, io.ErrUnexpectedEOF
		case waitPart:
			if err := b.server.wait(b.ctx, next.text); err != nil {
				return 0, err
			}
		case endlessPart:
			if err := pause(b.ctx); err != nil {
				return 0, err
			}
			b.now.Reset([]byte(next.text))
			continue // and again
		default:
			b.now.Reset([]byte(next.text))
		}
		b.left = b.left[1:]
	}
	return b.now.Read(p)
}

func (*body) Close() error { return nil }

// pause is how long an endless reply waits between two pieces.
func pause(ctx context.Context) error {
	select {
	case <-time.After(5 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Server) wait(ctx context.Context, name string) error {
	select {
	case <-s.gate(name):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Start serves on a free port of the loopback interface and returns the base
// URL. [Server.Close] ends it.
func (s *Server) Start() (baseURL string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	var open sync.WaitGroup // connections
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute, ConnState: func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Done()
		}
	}}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // until it is closed
	}()
	s.stop = func() {
		_ = server.Close() // the connection is of no use any more either way
		<-served
		_ = server.Close() // a connection may have come between the two
		open.Wait()
	}
	return "http://" + listener.Addr().String() + "/v1", nil
}

// Close ends the server and every running reply, and returns when they have ended.
func (s *Server) Close() {
	if s.stop != nil {
		s.stop()
	}
}

// ServeHTTP answers over HTTP.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	reply, err := s.take(req)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	status, header := reply.start()
	maps.Copy(w.Header(), header)
	w.WriteHeader(status)
	flush := http.NewResponseController(w)
	for _, p := range reply.pieces {
		switch p.kind {
		case cutPart:
			_ = flush.Flush()
			panic(http.ErrAbortHandler)
		case endlessPart:
			for pause(req.Context()) == nil {
				if _, err := io.WriteString(w, p.text); err != nil || flush.Flush() != nil {
					break
				}
			}
			panic(http.ErrAbortHandler)
		case waitPart:
			_ = flush.Flush()
			if s.wait(req.Context(), p.text) != nil {
				panic(http.ErrAbortHandler)
			}
		default:
			if _, err := io.WriteString(w, p.text); err != nil {
				return
			}
		}
		if flush.Flush() != nil {
			return
		}
	}
}
