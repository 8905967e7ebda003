package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
)

// parseMessage turns one valid JSON text into a message whose params and result alias it. It
// refuses what is not a message. Both results are nil for a response that nobody can be waiting for.
//
// It refuses batches: LSP has none (LSP 3.18, "Base Protocol"), and answering parts of a batch in
// order with other messages is not worth a second way through the dispatcher.
func parseMessage(body []byte) (jsonrpc2.Message, *refusal) {
	view, err := jsonrpc2.ScanMessageView(body)
	if err != nil {
		return parseOdd(body)
	}
	id, ok := view.ID.ID()
	if text, _ := id.StringValue(); !ok || !utf8.ValidString(text) {
		return parseOdd(body)
	}
	switch view.Kind {
	case jsonrpc2.MessageViewCall, jsonrpc2.MessageViewNotification:
		method, ok := view.MethodString()
		if !ok || view.Kind == jsonrpc2.MessageViewNotification && view.IDRaw != nil {
			return parseOdd(body)
		}
		if view.Kind == jsonrpc2.MessageViewCall {
			return jsonrpc2.NewCall(id, method, view.Params), nil
		}
		return jsonrpc2.NewNotification(method, view.Params), nil
	case jsonrpc2.MessageViewResponseResult:
		return jsonrpc2.NewResponse(id, view.Result, nil), nil
	default:
		wire, ok := view.Error.Owned()
		if !ok {
			return parseOdd(body)
		}
		return jsonrpc2.NewResponse(id, nil, wire), nil
	}
}

// parseOdd handles what the strict scan rejected. A response still answers its call if it has the
// form of JSON-RPC 1.0 (both "result" and "error", one of them null) or an error object of the wrong
// shape. Anything else is refused, with its id if it has a usable one.
func parseOdd(body []byte) (jsonrpc2.Message, *refusal) {
	var odd struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if body = bytes.TrimSpace(body); body[0] == '[' {
		return nil, &refusal{code: jsonrpc2.InvalidRequest, message: "Batches are not part of LSP: send each message by itself."}
	}
	if err := json.Unmarshal(body, &odd); err != nil {
		return nil, &refusal{code: jsonrpc2.InvalidRequest, message: "A message must be a JSON object."}
	}
	if odd.Method == nil && (odd.Result != nil || odd.Error != nil) {
		id, ok := parseID(odd.ID)
		if !ok {
			return nil, nil
		}
		if odd.Error == nil || bytes.Equal(odd.Error, []byte("null")) {
			return jsonrpc2.NewResponse(id, jsonrpc2.RawMessage(odd.Result), nil), nil
		}
		return jsonrpc2.NewResponse(id, nil, jsonrpc2.NewError(jsonrpc2.UnknownError, "the editor sent an error that cannot be read")), nil
	}
	return nil, &refusal{
		id:      echoable(odd.ID),
		code:    jsonrpc2.InvalidRequest,
		message: `A message needs "jsonrpc":"2.0", a "method" and, for a request, an "id" that is a string or an integer.`,
	}
}

// parseID returns a request id; false if raw is neither a string nor an integer.
func parseID(raw json.RawMessage) (jsonrpc2.ID, bool) {
	var number int64
	var text string
	switch {
	case len(raw) == 0 || raw[0] == 'n':
		return jsonrpc2.ID{}, false
	case json.Unmarshal(raw, &number) == nil:
		return jsonrpc2.NewNumberID(number), true
	case json.Unmarshal(raw, &text) == nil:
		return jsonrpc2.NewStringID(text), true
	}
	return jsonrpc2.ID{}, false
}

// echoable returns id if an answer can carry it: a short UTF-8 string, or a number of any size; else
// nil.
func echoable(id json.RawMessage) json.RawMessage {
	if len(id) == 0 || len(id) > 128 || !utf8.Valid(id) || !strings.ContainsRune(`"-0123456789`, rune(id[0])) {
		return nil
	}
	return id
}

// peekID returns the id from the first bytes of a request whose body was not read, if "id" comes
// before the params; else nil.
func peekID(prefix []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(prefix))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if key == "params" || dec.Decode(&value) != nil {
			return nil
		}
		if key == "id" {
			return echoable(value)
		}
	}
}
