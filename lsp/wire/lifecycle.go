package wire

import (
	"errors"

	"go.lsp.dev/jsonrpc2"
)

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
