// Package acpwire is a connection by the Agent Client Protocol, for either side of it: JSON-RPC 2.0,
// a message a line. It knows the protocol's types ([Decode]), not what the methods do.
//
// The SDK's own connection ends at a line of 10 MiB and takes a value of a kind that it does not know
// for an empty one. This one outlives what it reads: whatever is not a message is refused or reported,
// and the next line is read. Messages go out in the order in which they were sent. Notifications are
// handled in the order of arrival, before any answer or request that came after them is passed on.
package acpwire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"

	"redline/internal/outbox"
	"redline/internal/phrase"
)

const (
	defaultMaxLine    = 64 << 20
	defaultMaxBacklog = 16 << 20
	defaultMaxRunning = 64
	defaultStall      = 30 * time.Second

	flushGrace = time.Second     // for a peer to read the rest
	lastWords  = 2 * time.Second // for what a peer has sent that reads no more
)

var (
	// ErrEnded is returned for a message to a peer that has ended or closed its side.
	ErrEnded = errors.New("the connection has ended")
	// ErrStalled is returned when the peer has not read what it was sent for a while.
	ErrStalled = errors.New("it has stopped reading")
	// ErrTooLong is reported for a line that is longer than [Options].MaxLine.
	ErrTooLong = errors.New("a line is too long")
	// ErrNoMessage is reported for a line that is not a message of JSON-RPC 2.0.
	ErrNoMessage = errors.New("a line is not a message of the protocol")
	// ErrTooComplex is reported for a message, and returned for an answer, with too many values or too
	// many levels.
	ErrTooComplex = errors.New("a message has too many values")
)

// Request answers a request. It runs on a goroutine of its own; ctx is done when the other side has
// cancelled the request, or the connection has ended. Its error becomes the answer: an
// [*acp.RequestError] as it is, another as an internal error.
type Request func(ctx context.Context, params json.RawMessage) (any, error)

// Answered is a result after which a request has more to do: Then runs once the answer is queued, so
// that what it sends comes after it.
type Answered struct {
	Result any
	Then   func()
}

// Prepared is a request whose beginning runs on the goroutine that reads, in the order of arrival, and
// must not block; it returns the rest, which runs as a [Request] does. A notification that comes after
// the request finds what the beginning has done.
type Prepared func(params json.RawMessage) Request

// Options configure a connection.
type Options struct {
	// Requests, Prepared and Notifications are the methods that the other side may call. Others are answered
	// with an error, or ignored. Notifications run on the goroutine that reads, and must not block.
	Requests      map[string]Request
	Prepared      map[string]Prepared
	Notifications map[string]func(params json.RawMessage)

	// Odd is told of each line that is no message: [ErrTooLong], [ErrNoMessage] with the line's
	// beginning, or [ErrTooComplex]. It runs on the goroutine that reads. Nil: nobody is told.
	Odd func(err error, line []byte)

	MaxLine    int           // bytes of the longest line that is read; a longer one is skipped (64 MiB when 0)
	MaxBacklog int           // bytes that may wait for a peer that does not read (16 MiB when 0)
	MaxRunning int           // requests of the other side that may run at a time (64 when 0)
	Stall      time.Duration // how long the backlog may be full before the connection ends (30 s when 0)
}

// Conn is one connection. All methods may be called from any goroutine.
type Conn struct {
	o     Options
	out   *outbox.Box
	lines *lines

	ctx context.Context // done when the connection has ended, with the reason
	end context.CancelCauseFunc

	dispatching sync.Mutex // held while a message is handled

	mu      sync.Mutex
	last    int64                         // the last id that was used
	waiting map[int64]chan<- answer       // calls without an answer
	running map[string]context.CancelFunc // requests of the other side, by id
}

type answer struct {
	result json.RawMessage
	err    error
}

// New returns a connection that has read nothing yet.
func New(stream io.ReadWriter, o Options) *Conn {
	o.MaxLine, o.MaxBacklog = cmp.Or(o.MaxLine, defaultMaxLine), cmp.Or(o.MaxBacklog, defaultMaxBacklog)
	o.MaxRunning, o.Stall = cmp.Or(o.MaxRunning, defaultMaxRunning), cmp.Or(o.Stall, defaultStall)
	c := &Conn{
		o: o, out: outbox.New(stream, o.MaxBacklog), lines: newLines(stream, o.MaxLine),
		waiting: map[int64]chan<- answer{}, running: map[string]context.CancelFunc{},
	}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	return c
}

// Start starts reading and writing, on goroutines that end once the stream fails: the owner of the
// stream closes it after [Conn.Close].
func (c *Conn) Start() {
	go func() {
		if c.out.Run() != nil { // it may have said its last words, and they have yet to be read
			time.AfterFunc(lastWords, func() { c.end(ErrEnded) })
		}
	}()
	go func() { c.end(c.read()) }()
}

// Context returns a context that is done when the connection has ended; its cause says why:
// [ErrEnded], [ErrStalled] or an error of the stream.
func (c *Conn) Context() context.Context { return c.ctx }

// Close ends the connection, and gives what is queued a moment to be written, unless the peer has stopped
// reading. When it returns, no
// notification is being handled, and none will be. Handlers of notifications must not call it.
func (c *Conn) Close() {
	c.end(ErrEnded)
	c.dispatching.Lock()
	defer c.dispatching.Unlock()
	grace := flushGrace
	if errors.Is(context.Cause(c.ctx), ErrStalled) {
		grace = 0
	}
	c.out.Close(grace)
}

// Call sends a request and waits for its answer: raw, since only the caller knows its type (see
// [Decode]). An error answer is an [*acp.RequestError]. When ctx is done, a late answer is ignored.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return c.call(ctx, method, params, func(jsontext.Value) {})
}

// call sends a request and waits for its answer. withdraw is called if ctx is done first.
func (c *Conn) call(ctx context.Context, method string, params any, withdraw func(id jsontext.Value)) (json.RawMessage, error) {
	body, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	got := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = got
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	name := jsontext.Value(strconv.FormatInt(id, 10))
	if err := c.send(message{ID: name, Method: method, Params: body}); err != nil {
		return nil, err
	}
	select {
	case a := <-got:
		return a.result, a.err
	case <-ctx.Done():
		withdraw(name)
		return nil, ctx.Err()
	case <-c.ctx.Done():
	}
	select {
	case a := <-got: // the last thing that the peer said
		return a.result, a.err
	default:
		return nil, context.Cause(c.ctx)
	}
}

// Ask is [Conn.Call] for a request that a user answers: when ctx is done first, the peer hears that the
// question is withdrawn.
func (c *Conn) Ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return c.call(ctx, method, params, func(id jsontext.Value) {
		if c.ctx.Err() == nil {
			_ = c.Notify(cancelRequest, map[string]json.RawMessage{"requestId": json.RawMessage(id)})
		}
	})
}

// Room waits until the backlog is no longer full or ctx is done. Its error says why there will be no
// room. A peer that reads nothing for [Options].Stall is given up: the connection ends.
func (c *Conn) Room(ctx context.Context) error {
	if !c.out.Full() {
		return nil // also once ctx is done
	}
	until, cancel := context.WithTimeout(ctx, c.o.Stall)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	c.out.Room(until.Done())
	switch {
	case c.ctx.Err() != nil:
		return context.Cause(c.ctx)
	case !c.out.Full():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	c.end(ErrStalled)
	return ErrStalled
}

// Notify sends a notification. It never waits for the peer.
func (c *Conn) Notify(method string, params any) error {
	body, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.send(message{Method: method, Params: body})
}

// send queues a message, unless too much waits already.
func (c *Conn) send(m message) error {
	switch {
	case c.ctx.Err() != nil:
		return context.Cause(c.ctx)
	case c.out.Full():
		return ErrStalled
	case !c.out.Put(m.line()):
		return ErrEnded
	}
	return nil
}

// read reads until the stream ends, and returns why the connection has ended.
func (c *Conn) read() error {
	for {
		if err := c.Room(c.ctx); err != nil {
			return err
		}
		line, err := c.lines.next()
		if errors.Is(err, ErrTooLong) {
			c.odd(err, line, &refused{acp.RequestError{Code: invalidRequest, Message: fmt.Sprintf("A line may have %d MiB at most.", c.o.MaxLine>>20)}, idIn(line)})
			continue
		}
		if len(line) > 0 {
			c.dispatch(line)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return ErrEnded
			}
			return err
		}
	}
}

// odd refuses a line that is no message, and reports it.
func (c *Conn) odd(err error, line []byte, r *refused) {
	c.dispatching.Lock()
	defer c.dispatching.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	if r != nil {
		c.out.Put(message{ID: r.id, Error: &r.RequestError}.line())
	}
	if c.o.Odd != nil {
		c.o.Odd(err, line)
	}
}

// dispatch handles one line.
func (c *Conn) dispatch(line []byte) {
	m, r := parse(line)
	if m == nil {
		c.odd(ErrNoMessage, line, r)
		return
	}
	complex := measure(line)
	switch {
	case m.Method == "":
		c.answered(m, complex)
		return
	case complex != nil:
		if m.ID != nil {
			r = &refused{acp.RequestError{Code: invalidRequest, Message: phrase.Sentence(complex.Error())}, m.ID}
		}
		c.odd(complex, line, r)
		return
	}
	c.dispatching.Lock()
	defer c.dispatching.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	switch {
	case m.ID != nil:
		c.request(m)
	case m.Method == cancelRequest:
		c.cancel(m.Params)
	default:
		if h := c.o.Notifications[m.Method]; h != nil {
			h(json.RawMessage(m.Params))
		}
	}
}

// answered hands an answer over to the call that waits for it. Others are ignored.
func (c *Conn) answered(m *message, complex error) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	c.mu.Lock()
	got, waits := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if err != nil || !waits {
		return
	}
	a := answer{result: json.RawMessage(m.Result), err: complex}
	if m.Error != nil && complex == nil {
		a.err = m.Error
	}
	got <- a
}

// request starts a request of the other side.
func (c *Conn) request(m *message) {
	h, prepared := c.o.Requests[m.Method], c.o.Prepared[m.Method]
	ctx, cancel := context.WithCancel(c.ctx)
	key := string(m.ID)
	c.mu.Lock()
	_, twice := c.running[key]
	full := len(c.running) >= c.o.MaxRunning
	known := h != nil || prepared != nil
	if known && !twice && !full {
		c.running[key] = cancel
	}
	c.mu.Unlock()
	var refusal *acp.RequestError
	switch {
	case !known:
		refusal = &acp.RequestError{Code: methodNotFound, Message: fmt.Sprintf("There is no method %s.", strconv.Quote(phrase.ClipBytes(m.Method, maxQuoted)))}
	case twice:
		refusal = &acp.RequestError{Code: invalidRequest, Message: "A request with this id is still running."}
	case full:
		refusal = &acp.RequestError{Code: internalError, Message: "Too many requests are running."}
	}
	if refusal != nil {
		cancel()
		c.out.Put(message{ID: m.ID, Error: refusal}.line())
		return
	}
	if prepared != nil {
		h = prepared(json.RawMessage(m.Params))
	}
	go func() {
		result, err := h(ctx, json.RawMessage(m.Params))
		reply := message{ID: m.ID}
		then := func() {}
		if more, ok := result.(Answered); ok {
			result, then = more.Result, more.Then
		}
		if err == nil {
			reply.Result, err = json.Marshal(result)
		}
		if err != nil && !errors.As(err, &reply.Error) {
			reply.Error = &acp.RequestError{Code: internalError, Message: phrase.SentenceOf(err)}
		}
		c.mu.Lock()
		delete(c.running, key)
		c.mu.Unlock()
		cancel()
		c.out.Put(reply.line())
		if err == nil {
			then()
		}
	}()
}

// cancel cancels the request of the other side that params name, if it runs.
func (c *Conn) cancel(params jsontext.Value) {
	var p struct {
		RequestID jsontext.Value `json:"requestId"`
	}
	if unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	cancel := c.running[string(p.RequestID)]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
