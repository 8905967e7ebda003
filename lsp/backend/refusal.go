package backend

import (
	"encoding/json"

	"go.lsp.dev/jsonrpc2"

	"redline/agent/refusal"
	"redline/lsp/wire"
)

// Error returns the error that answers a request, with the code and the data of a refusal.
// The code is InvalidParams if the refusal is of kind Invalid, else RequestFailed. An error that
// is not a refusal is returned unchanged.
func Error(err error) error {
	refused, ok := refusal.Of(err)
	if !ok {
		return err
	}
	code := wire.RequestFailed
	if refused.Kind == refusal.Invalid {
		code = jsonrpc2.InvalidParams
	}
	return wire.Error(code, refused.Reason, refusalData(refused))
}

// refusalData returns the data member of a refusal: its kind, and the hunks concerned, if any.
func refusalData(r *refusal.Error) json.RawMessage {
	raw, err := json.Marshal(struct {
		Kind  refusal.Kind `json:"kind"`
		Hunks []string     `json:"hunks,omitempty"`
	}{r.Kind, r.Hunks})
	if err != nil {
		return nil
	}
	return raw
}

// InvalidParams returns the error that answers a request whose params cannot be read.
func InvalidParams(reason string) error {
	return wire.Error(jsonrpc2.InvalidParams, reason, refusalData(&refusal.Error{Kind: refusal.Invalid}))
}
