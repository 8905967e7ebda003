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
		log.Debug("ignored a notification")
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
