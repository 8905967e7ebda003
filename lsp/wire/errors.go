package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// Error codes of LSP 3.18 ("ErrorCodes", "LSPErrorCodes") beside those of package jsonrpc2.
const (
	RequestCancelled jsonrpc2.Code = -32800
	RequestFailed    jsonrpc2.Code = -32803
)

var (
	// ErrClosed is returned for a message to a peer that is gone.
	ErrClosed = errors.New("the connection to the editor is closed")
	// ErrBacklog is returned for a message that was not sent because the peer has stopped reading.
	ErrBacklog = errors.New("the editor has stopped reading: a message was not sent")
	// ErrInline is returned by [Conn.Call] from code that runs on the read loop, where waiting for
	// an answer would wait for itself: call from the function that a request handler returns, or
	// from [Conn.Go].
	ErrInline = errors.New("a request to the editor was made on the read loop, which would never read the answer")
)

// Error returns an error to answer a request with: code, a message of one sentence, and data, which
// is left out when it is nil or has no JSON form.
func Error(code jsonrpc2.Code, message string, data any) error {
	e := jsonrpc2.NewError(code, message)
	if data != nil {
		if raw, err := (codec{}).Marshal(data); err == nil {
			e.Data = raw
		}
	}
	return e
}

// toAnswer returns the error to answer the client with: err itself if it has a code (wrapped or
// not), RequestCancelled if the request was cancelled, else InternalError.
func toAnswer(ctx context.Context, err error) error {
	var coded *jsonrpc2.Error
	switch {
	case errors.As(err, &coded):
		return err
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return jsonrpc2.NewError(RequestCancelled, "the request was cancelled")
	default:
		return jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
	}
}

// refusal is an error answer to a message that never becomes a request. Its id is raw, since it may
// not be valid as the id of a request; nil means null.
type refusal struct {
	id      json.RawMessage
	code    jsonrpc2.Code
	message string
}

// encode returns the refusal as a JSON-RPC response.
func (r *refusal) encode() []byte {
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	e, err := json.Marshal(map[string]any{"code": r.code, "message": r.message})
	if err != nil {
		panic(err) // an int and a string always marshal
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, e)
}

// clip shortens a method name that came over the wire for use in a message.
func clip(method string) string {
	const limit = 80
	if len(method) > limit {
		return fmt.Sprintf("%.80q…", method)
	}
	return method
}
