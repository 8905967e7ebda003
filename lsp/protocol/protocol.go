// Package protocol has the types of the Language Server Protocol (LSP 3.18) that Redline reads and
// writes, under the names of its specification, and turns them into JSON and back. Of what
// clients send, a type has the members that Redline reads; of what Redline sends, those that it
// writes. The tests compare each of them with go.lsp.dev/protocol, which has the whole protocol: a
// server that linked all of it would carry the code of every method and every capability.
package protocol

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Peers are trusted to be sloppy: the last of two members counts, and bytes that are not UTF-8
// become U+FFFD.
var options = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	json.Deterministic(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(readToken), json.UnmarshalFromFunc(readText))),
)

// Marshal returns v as JSON. An empty list is [], never null.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, options) }

// Unmarshal reads JSON into what v points to. It ignores members that v does not have.
func Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v, options) }

// LSPAny is any JSON value.
type LSPAny = jsontext.Value

// Optional is a member that may be missing. Its zero value is missing.
type Optional[T any] struct {
	value T
	set   bool
}

// NewOptional returns a member that is there.
func NewOptional[T any](v T) Optional[T] { return Optional[T]{value: v, set: true} }

// IsZero reports whether the member is missing, for omitzero.
func (o Optional[T]) IsZero() bool { return !o.set }

// Get returns the value, and whether it is there.
func (o Optional[T]) Get() (T, bool) { return o.value, o.set }

// MarshalJSONTo implements [json.MarshalerTo].
func (o Optional[T]) MarshalJSONTo(e *jsontext.Encoder) error {
	if !o.set {
		return e.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(e, &o.value)
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom]. It reads null as missing.
func (o *Optional[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*o = Optional[T]{}
	if d.PeekKind() == 'n' {
		_, err := d.ReadToken()
		return err
	}
	o.set = true
	return json.UnmarshalDecode(d, &o.value)
}
