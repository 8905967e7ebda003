package wire

import (
	"bytes"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

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
