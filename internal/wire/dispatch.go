package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"redline/internal/phrase"
)

// inlineKey marks the contexts of code that runs on the read loop.
type inlineKey struct{}

// errPanic stands for a panic that contain has caught and logged.
var errPanic = errors.New("a bug stopped this request; the log says where")

// handle is the [jsonrpc2.Handler] of the connection. Package jsonrpc2 pools ctx, so nothing may be
// derived from it: handlers get contexts derived from c.ctx. For a notification it never returns an
// error, which would close the connection.
func (c *Conn) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	defer c.work.Begin()()
	c.log.Debug("received", zap.String("method", clip(req.Method())), zap.Int("bytes", len(req.Params())))
	if !req.IsCall() {
		c.notification(req.Method(), req.Params())
		return nil, nil
	}
	return c.request(ctx, req.ID(), strings.Clone(req.Method()), req.Params())
}

func (c *Conn) notification(method string, params jsonrpc2.RawMessage) {
	log := c.log.With(zap.String("method", clip(method)), zap.Int("bytes", len(params)))
	if method == "$/cancelRequest" {
		c.cancelRequest(params)
		return
	}
	h, ok := c.router.notifications[method]
	if !ok || c.life.admit(method, false) != nil {
		if !strings.HasPrefix(method, "$/") { // those are optional (LSP 3.18, "$ Notifications"), as $/setTrace is
			log.Debug("ignored a notification")
		}
		return
	}
	err := c.contain(method, func() error { return h(c.inline, params) })
	var coded *jsonrpc2.Error
	switch {
	case err == nil || errors.Is(err, errPanic):
	case errors.As(err, &coded) && coded.Code == jsonrpc2.InvalidParams:
		log.Warn("dropped a notification whose params cannot be used")
	default:
		log.Warn("a notification failed", zap.Error(err))
	}
}

func (c *Conn) request(ctx context.Context, id jsonrpc2.ID, method string, params jsonrpc2.RawMessage) (any, error) {
	if err := c.life.admit(method, true); err != nil {
		return nil, err
	}
	h, ok := c.router.requests[method]
	if !ok {
		return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, "There is no method "+clip(method)+".")
	}
	reqCtx, forget := c.track(id)
	if forget == nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "A request with this id is still running.")
	}
	defer forget()

	var run Run
	err := c.contain(method, func() (err error) {
		run, err = h(c.inline, params)
		return err
	})
	if err != nil {
		return nil, toAnswer(reqCtx, err)
	}
	c.life = c.life.after(method)
	if run == nil {
		return nil, nil
	}

	jsonrpc2.Async(ctx)
	var answer jsonrpc2.RawMessage
	err = c.contain(method, func() error {
		result, err := run(reqCtx)
		if err == nil {
			answer, err = codec{}.Marshal(result)
		}
		return err
	})
	if err != nil {
		return nil, toAnswer(reqCtx, err)
	}
	return answer, nil
}

// contain calls f and turns a panic into an error, so that one bug costs one message.
func (c *Conn) contain(method string, f func() error) (err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		reason := fmt.Sprintf("%T", r) // the value may hold the user's text
		if e, ok := r.(runtime.Error); ok {
			reason = e.Error()
		}
		c.log.Error("a handler panicked", zap.String("method", method), zap.String("panic", reason), zap.Stack("stack"))
		err = errPanic
	}()
	return f()
}

// track returns a context for the request id and a function that ends it, or nil for both if a
// request with that id is already running.
func (c *Conn) track(id jsonrpc2.ID) (context.Context, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.running[id]; ok {
		return nil, nil
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.running[id] = cancel
	return ctx, func() {
		c.mu.Lock()
		delete(c.running, id)
		c.mu.Unlock()
		cancel()
	}
}

// cancelRequest cancels the running request that params name, if any.
func (c *Conn) cancelRequest(params jsonrpc2.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if params != nil {
		_ = json.Unmarshal(params, &p) // no id then
	}
	id, ok := parseID(p.ID)
	if !ok {
		c.log.Debug("ignored a cancellation without an id")
		return
	}
	c.mu.Lock()
	cancel, ok := c.running[id]
	c.mu.Unlock()
	if ok {
		cancel()
	}
}

// NoParams is the parameter type of methods without params: whatever the client sends is ignored.
type NoParams struct{}

// Run is the part of a request that runs off the read loop. It should return soon after ctx is
// cancelled. Its result is the answer; nil answers null.
type Run func(ctx context.Context) (any, error)

// Router maps methods to functions. It is filled before the connection starts and must not change
// afterwards.
type Router struct {
	notifications map[string]func(context.Context, jsonrpc2.RawMessage) error
	requests      map[string]func(context.Context, jsonrpc2.RawMessage) (Run, error)
}

// NewRouter returns a Router without methods.
func NewRouter() *Router {
	return &Router{
		notifications: map[string]func(context.Context, jsonrpc2.RawMessage) error{},
		requests:      map[string]func(context.Context, jsonrpc2.RawMessage) (Run, error){},
	}
}

// HandleNotification registers h for a notification. h runs on the read loop, in wire order, and
// must not block; its context is the connection's. An error is only logged. With
// P = json.RawMessage the params come unread (nil when absent).
func HandleNotification[P any](r *Router, method string, h func(ctx context.Context, params *P) error) {
	r.notifications[method] = func(ctx context.Context, raw jsonrpc2.RawMessage) error {
		params, err := decode[P](method, raw)
		if err != nil {
			return err
		}
		return h(ctx, params)
	}
}

// HandleRequest registers a request. prepare runs on the read loop, in wire order, and must not
// block: it sees exactly the notifications that were sent before the request, and takes a snapshot
// of the state that the rest needs. The Run it returns runs off the read loop, under a context that
// $/cancelRequest and the end of the connection cancel. A nil Run answers null.
func HandleRequest[P any](r *Router, method string, prepare func(ctx context.Context, params *P) (Run, error)) {
	r.requests[method] = func(ctx context.Context, raw jsonrpc2.RawMessage) (Run, error) {
		params, err := decode[P](method, raw)
		if err != nil {
			return nil, err
		}
		return prepare(ctx, params)
	}
}

// decode returns raw as a P, or an InvalidParams error.
func decode[P any](method string, raw jsonrpc2.RawMessage) (*P, error) {
	params := new(P)
	switch p := any(params).(type) {
	case *NoParams:
		return params, nil
	case *json.RawMessage:
		*p = json.RawMessage(raw)
		return params, nil
	}
	if raw == nil {
		return nil, badParams(method, "they are missing")
	}
	if err := (codec{}).Unmarshal(raw, params); err != nil {
		return nil, badParams(method, err.Error())
	}
	return params, nil
}

// badParams returns an InvalidParams error that quotes reason to the client, cut to 200 bytes. It
// may contain a piece of the params, so it must not be logged.
func badParams(method, reason string) error {
	return Error(jsonrpc2.InvalidParams, "The params of "+method+" cannot be used: "+phrase.StartBytes(reason, 200)+".", nil)
}

// lifecycle is the server's state between initialize and exit (LSP 3.18, "Server lifecycle"). Only
// the read loop uses it.
type lifecycle int

const (
	uninitialized lifecycle = iota
	serving
	shutDown
	asClient // this side is the client: the state is not the server's
)

// errUntimely marks a notification that is dropped because of the lifecycle.
var errUntimely = errors.New("not expected now")

// admit returns nil if a message may be handled in this state, else the error to answer it with or
// to drop it for.
func (l lifecycle) admit(method string, call bool) error {
	switch {
	case l == asClient, !call && method == "exit":
		return nil
	case !call && l != serving:
		return errUntimely
	case !call:
		return nil
	case l == uninitialized && method != "initialize":
		return Error(jsonrpc2.ServerNotInitialized, "The first request must be initialize.", nil)
	case l == serving && method == "initialize":
		return Error(jsonrpc2.InvalidRequest, "The server is initialized already.", nil)
	case l == shutDown:
		return Error(jsonrpc2.InvalidRequest, "The server is shut down: only exit may follow.", nil)
	}
	return nil
}

// after returns the state after the first part of a request has succeeded.
func (l lifecycle) after(method string) lifecycle {
	switch {
	case l == asClient:
		return l
	case method == "initialize":
		return serving
	case method == "shutdown":
		return shutDown
	}
	return l
}
