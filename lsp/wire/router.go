package wire

import (
	"context"
	"encoding/json"
	"errors"

	"go.lsp.dev/jsonrpc2"

	"redline/internal/phrase"
)

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
)

// errUntimely marks a notification that is dropped because of the lifecycle.
var errUntimely = errors.New("not expected now")

// admit returns nil if a message may be handled in this state, else the error to answer it with or
// to drop it for.
func (l lifecycle) admit(method string, call bool) error {
	switch {
	case !call && method == "exit":
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
	switch method {
	case "initialize":
		return serving
	case "shutdown":
		return shutDown
	}
	return l
}
