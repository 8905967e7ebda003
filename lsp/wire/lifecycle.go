package wire

import (
	"errors"

	"go.lsp.dev/jsonrpc2"
)

// lifecycle is where a server stands between initialize and exit (LSP 3.18, "Server lifecycle").
// Only the read loop uses it.
type lifecycle int

const (
	uninitialized lifecycle = iota
	serving
	shutDown
)

// errUntimely marks a notification that is dropped because of the lifecycle.
var errUntimely = errors.New("not expected now")

// admit returns the error that a message is answered with, or dropped for, in this state.
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

// after returns the state once prepare of a request has succeeded.
func (l lifecycle) after(method string) lifecycle {
	switch method {
	case "initialize":
		return serving
	case "shutdown":
		return shutDown
	}
	return l
}
