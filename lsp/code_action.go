package lsp

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"redline/lsp/codeaction"
	"redline/lsp/location"
	"redline/lsp/wire"
)

// codeActionParams are CodeActionParams with the URI as the client spells it,
// and diagnostics of other servers unread.
type codeActionParams struct {
	TextDocument location.TextDocument `json:"textDocument"`
	Range        protocol.Range        `json:"range"`
	Context      struct {
		Diagnostics []jsontext.Value `json:"diagnostics"`
		Only        []string         `json:"only"`
	} `json:"context"`
}

// codeAction lists what the user can do here (LSP 3.18, "Code Action
// Request"). It is asked for at every move of the cursor, so it only looks at
// the snapshot; whether an action still holds is found out when it is run. Only
// just after the start it waits until there is one: a user who has started the
// server again looks for the plan.
// Every action carries a command: some clients (Kate) resolve nothing, and some
// (Helix) freeze while they do.
func (s *session) codeAction(_ context.Context, p *codeActionParams) (wire.Run, error) {
	recovered := s.backend.Recovering()
	if recovered == nil {
		return s.actions(p), nil
	}
	return func(ctx context.Context) (any, error) {
		select {
		case <-recovered:
		case <-time.After(s.timeouts.Starting):
		case <-ctx.Done():
		}
		return s.actions(p)(ctx)
	}, nil
}

// actions lists what the user can do now.
func (s *session) actions(p *codeActionParams) wire.Run {
	r := codeaction.Request{Location: s.places.Find(p.TextDocument.URI, p.Range), Diagnostics: p.Context.Diagnostics, Only: p.Context.Only}
	return func(context.Context) (any, error) { return codeaction.List(s.client.actions, s.workspace, r) }
}
