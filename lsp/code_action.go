package lsp

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"redline/lsp/codeaction"
	"redline/lsp/position"
	"redline/lsp/wire"
)

// codeActionParams are CodeActionParams with the URI as the client spells it,
// and diagnostics of other servers unread.
type codeActionParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Range        protocol.Range        `json:"range"`
	Context      struct {
		Diagnostics []jsontext.Value `json:"diagnostics"`
		Only        []string         `json:"only"`
	} `json:"context"`
}

// codeAction lists what the user can do here (LSP 3.18, "Code Action Request"). Clients
// ask whenever the cursor moves, so it only reads the snapshot; an action that is no
// longer valid is refused when it runs. While Redline reads the plans of earlier sessions
// it waits for a moment, since a user who has restarted the server looks for a plan.
// Every action contains its command: some clients (Kate) do not resolve actions, and some
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
	r := codeaction.Request{
		Location: s.locations.Find(p.TextDocument.URI, p.Range), Diagnostics: p.Context.Diagnostics, Only: p.Context.Only,
		Trials: s.backend.TrialStanding, Checks: s.backend.TrialChecksKnown,
	}
	return func(context.Context) (any, error) { return codeaction.List(s.client.actions, s.workspace, r) }
}
