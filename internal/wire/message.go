package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
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
		return jsonrpc2.NewResponse(id, nil, jsonrpc2.NewError(jsonrpc2.UnknownError, "the other side sent an error that cannot be read")), nil
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

// codec encodes params and results with package protocol, which knows LSP's union types; raw JSON
// passes unchanged, and a nil raw value is null.
type codec struct{}

var _ jsonrpc2.Codec = codec{}

// Marshal implements [jsonrpc2.Codec].
func (codec) Marshal(v any) ([]byte, error) {
	switch raw := v.(type) {
	case jsonrpc2.RawMessage:
		return orNull(raw), nil
	case json.RawMessage:
		return orNull(raw), nil
	}
	return protocol.Marshal(v)
}

// Unmarshal implements [jsonrpc2.Codec].
func (codec) Unmarshal(data []byte, v any) error {
	switch raw := v.(type) {
	case *jsonrpc2.RawMessage:
		*raw = bytes.Clone(data)
		return nil
	case *json.RawMessage:
		*raw = bytes.Clone(data)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}

// EncodeList writes a list of the protocol's values as JSON: [] if it is empty, never null.
func EncodeList[T any](list []T) (json.RawMessage, error) { return protocol.Marshal(list) }

// lenientDepth bounds how deep DecodeLenient looks for the member that cannot be read.
const lenientDepth = 8

// DecodeLenient decodes raw into a P and leaves out members of the wrong shape, however deep: an
// editor that sends [] for one capability still gets a session. It returns the paths of the members
// it left out ("capabilities.workspace.codeLens"), and an error only when raw is not an object.
func DecodeLenient[P any](raw json.RawMessage) (params *P, dropped []string, err error) {
	try := func(raw json.RawMessage) bool {
		return codec{}.Unmarshal(raw, new(P)) == nil
	}
	if !try(raw) {
		raw, dropped = prune(raw, "", lenientDepth, try)
	}
	params = new(P)
	return params, dropped, codec{}.Unmarshal(raw, params)
}

// prune returns the object raw without the members that try refuses. It returns raw if that is not
// an object.
func prune(raw json.RawMessage, path string, depth int, try func(json.RawMessage) bool) (kept json.RawMessage, dropped []string) {
	var members map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(raw, &members) != nil || members == nil {
		return raw, nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		tryMember := func(value json.RawMessage) bool { return try(object(name, value)) }
		value := members[name]
		if tryMember(value) {
			continue
		}
		pruned, inner := prune(value, path+name+".", depth-1, tryMember)
		if tryMember(pruned) {
			members[name] = pruned
			dropped = append(dropped, inner...)
		} else {
			delete(members, name)
			dropped = append(dropped, path+name)
		}
	}
	kept, err := json.Marshal(members)
	if err != nil {
		return raw, dropped
	}
	return kept, dropped
}

// object returns {name: value}.
func object(name string, value json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return value
	}
	return raw
}

// Error codes of LSP 3.18 ("ErrorCodes", "LSPErrorCodes") beside those of package jsonrpc2.
const (
	RequestCancelled jsonrpc2.Code = -32800
	RequestFailed    jsonrpc2.Code = -32803
)

var (
	// ErrClosed is returned for a message to a peer that is gone.
	ErrClosed = errors.New("the connection is closed")
	// ErrBacklog is returned for a message that was not sent because the peer has stopped reading.
	ErrBacklog = errors.New("the other side has stopped reading: a message was not sent")
	// ErrInline is returned by [Conn.Call] from code that runs on the read loop, where waiting for
	// an answer would wait for itself: call from the function that a request handler returns, or
	// from [Conn.Go].
	ErrInline = errors.New("a request was made on the read loop, which would never read the answer")
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

// DidChangeParams are the params of textDocument/didChange. Package protocol's own type would read a
// range that is out of bounds as a change of the whole document, and normalise the URI. The changes
// stay raw for [DecodeContentChanges], so that the owner of the document learns that a change was
// lost when they cannot be read.
type DidChangeParams struct {
	TextDocument struct {
		// URI is spelled as the client spells it.
		URI     string `json:"uri"`
		Version int32  `json:"version"`
	} `json:"textDocument"`
	ContentChanges json.RawMessage `json:"contentChanges"`
}

// ContentChange is one change of a document: of Range, or of the whole text when HasRange is false.
type ContentChange struct {
	HasRange bool
	Range    Range
	Text     string
}

// Range is a range as it came over the wire: lines and characters from 0 to 2³¹-1, in the negotiated
// encoding. The holder of the text checks that it is ordered and inside the text.
type Range struct{ Start, End Position }

// Position is one end of a Range.
type Position struct{ Line, Character int64 }

// DecodeContentChanges reads the contentChanges of a didChange (LSP 3.18,
// "TextDocumentContentChangeEvent"). It fails on a missing text and on a range that is null,
// incomplete, fractional or out of bounds; it never returns another change than the client meant.
// The strings own their bytes.
func DecodeContentChanges(raw json.RawMessage) ([]ContentChange, error) {
	var events []struct {
		Range json.RawMessage `json:"range"` // "null" when null, nil when absent
		Text  *string         `json:"text"`
	}
	if err := json.Unmarshal(raw, &events); err != nil {
		return nil, fmt.Errorf("the content changes cannot be read: %w", err)
	}
	if events == nil {
		return nil, errors.New("the content changes are missing")
	}
	changes := make([]ContentChange, len(events))
	for i, e := range events {
		if e.Text == nil {
			return nil, fmt.Errorf("content change %d has no text", i)
		}
		changes[i].Text = *e.Text
		if e.Range == nil {
			continue
		}
		r, err := decodeRange(e.Range)
		if err != nil {
			return nil, fmt.Errorf("content change %d has no usable range: %w", i, err)
		}
		changes[i].HasRange, changes[i].Range = true, r
	}
	return changes, nil
}

func decodeRange(raw json.RawMessage) (Range, error) {
	var r struct {
		Start, End struct{ Line, Character json.RawMessage }
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Range{}, err
	}
	var out Range
	for _, number := range []struct {
		raw  json.RawMessage
		into *int64
	}{
		{r.Start.Line, &out.Start.Line}, {r.Start.Character, &out.Start.Character},
		{r.End.Line, &out.End.Line}, {r.End.Character, &out.End.Character},
	} {
		n, err := strconv.ParseUint(string(number.raw), 10, 31)
		if err != nil {
			return Range{}, errors.New("a line or character is not a number from 0 to 2147483647")
		}
		*number.into = int64(n)
	}
	return out, nil
}
