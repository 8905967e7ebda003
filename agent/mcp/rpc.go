package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// message is a JSON-RPC message: a call, a notification, or an answer.
type message struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  jsontext.Value `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *rpcError      `json:"error,omitzero"`
}

// rpcError is an error that the server answers with.
type rpcError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

const methodNotFound = -32601

// fromServer reads what a server writes: the case of names counts, bytes that are not UTF-8 do not.
var fromServer = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// transport carries messages to a server.
type transport interface {
	// send sends a message. If the server answers on the same connection, send hands over what it
	// says and returns after it; else that is handed over whenever it comes.
	send(ctx context.Context, m *message, receive func([]byte) error) error
	// agreed tells the transport which version of the protocol the server has chosen.
	agreed(version string)
	close()
}

var (
	errGone      = errors.New("the connection has ended")
	errNoReply   = errors.New("it did not answer")
	errNoMessage = errors.New("it sent no JSON-RPC")
	errNested    = errors.New("it sent a list of messages within a list")
)

// client calls the methods of one server. Its methods may be called from any goroutine.
type client struct {
	to   transport
	ctx  context.Context // until close, or until the connection ends
	stop context.CancelCauseFunc

	mu      sync.Mutex
	last    int64
	waiting map[string]chan *message // the calls without an answer, by their ids
}

func newClient(to transport) *client {
	c := &client{to: to, waiting: map[string]chan *message{}}
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	return c
}

// over is closed when the connection has ended.
func (c *client) over() <-chan struct{} { return c.ctx.Done() }

// close ends the connection. Calls fail from then on.
func (c *client) close() {
	c.stop(errGone)
	c.to.close()
}

// call calls a method and reads its result. The error is an [*rpcError] if the server says so.
func (c *client) call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params, json.Deterministic(true))
	if err != nil {
		return err
	}
	answer := make(chan *message, 1)
	c.mu.Lock()
	c.last++
	id := strconv.FormatInt(c.last, 10)
	c.waiting[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	sent, done := c.bounded(ctx)
	defer done()
	err = c.to.send(sent, &message{ID: jsontext.Value(id), Method: method, Params: raw}, c.receive)
	if err == nil {
		select {
		case m := <-answer:
			return m.read(result)
		case <-sent.Done():
			err = context.Cause(sent)
		}
	}
	select {
	case m := <-answer: // it came just before
		return m.read(result)
	default:
		return c.failed(ctx, id, err)
	}
}

func (m *message) read(result any) error {
	if m.Error != nil {
		return m.Error
	}
	if err := json.Unmarshal(m.Result, result, fromServer); err != nil {
		return fmt.Errorf("it answered with something else: %w", err)
	}
	return nil
}

// bounded returns a context that ends with ctx or with the connection.
func (c *client) bounded(ctx context.Context) (context.Context, func()) {
	both, stop := context.WithCancelCause(ctx)
	after := context.AfterFunc(c.ctx, func() { stop(context.Cause(c.ctx)) })
	return both, func() { after(); stop(nil) }
}

// failed returns the reason why a call has no answer. It tells a server whose answer nobody waits
// for any more.
func (c *client) failed(ctx context.Context, id string, err error) error {
	if ctx.Err() == nil || c.ctx.Err() != nil {
		return err
	}
	last, cancel := context.WithTimeout(c.ctx, grace)
	defer cancel()
	_ = c.notify(last, "notifications/cancelled", map[string]any{"requestId": jsontext.Value(id)})
	return ctx.Err()
}

// notify sends a notification.
func (c *client) notify(ctx context.Context, method string, params any) error {
	raw, err := json.Marshal(params, json.Deterministic(true))
	if err != nil {
		return err
	}
	sent, done := c.bounded(ctx)
	defer done()
	return c.to.send(sent, &message{Method: method, Params: raw}, c.receive)
}

// receive takes what the server has sent: a message, or a list of them. A list within a list is
// refused: reading it again at each level would take a time that grows with its square.
func (c *client) receive(raw []byte) error {
	if raw = bytes.TrimSpace(raw); !bytes.HasPrefix(raw, []byte("[")) {
		return c.receiveOne(raw)
	}
	var list []jsontext.Value
	if err := json.Unmarshal(raw, &list, fromServer); err != nil {
		return errNoMessage
	}
	if slices.ContainsFunc(list, func(v jsontext.Value) bool { return v.Kind() == '[' }) {
		return errNested
	}
	for _, one := range list {
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		if err := c.receiveOne(one); err != nil {
			return err
		}
	}
	return nil
}

// receiveOne takes one message.
func (c *client) receiveOne(raw []byte) error {
	var m message
	if err := json.Unmarshal(raw, &m, fromServer); err != nil || m.Version != "2.0" {
		return errNoMessage
	}
	switch {
	case m.Method != "" && m.ID != nil:
		return c.answer(&m)
	case m.Method == "":
		c.mu.Lock()
		defer c.mu.Unlock()
		if answer := c.waiting[string(m.ID)]; answer != nil {
			delete(c.waiting, string(m.ID))
			answer <- &m
		}
	}
	return nil
}

// answer answers a call of the server. Redline offers nothing but ping.
func (c *client) answer(m *message) error {
	reply := &message{ID: m.ID.Clone(), Result: jsontext.Value("{}")}
	if m.Method != "ping" {
		reply.Result, reply.Error = nil, &rpcError{Code: methodNotFound, Message: "Redline does not have " + oneLine(m.Method, maxName)}
	}
	ctx, cancel := context.WithTimeout(c.ctx, 10*time.Second)
	defer cancel()
	return c.to.send(ctx, reply, c.receive)
}

// encode returns a message as one line.
func (m *message) encode() ([]byte, error) {
	m.Version = "2.0"
	return json.Marshal(m)
}
