package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"redline/agent/chat"
	"redline/lsp/backend"
	"redline/lsp/codeaction"
	"redline/lsp/pages"
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

type executeCommandParams struct {
	Command   string           `json:"command"`
	Arguments []jsontext.Value `json:"arguments"`
}

// executeCommand runs a command (LSP 3.18, "Execute a command").
func (s *session) executeCommand(_ context.Context, p *executeCommandParams) (wire.Run, error) {
	return s.commands.Execute(p.Command, p.Arguments)
}

// completion completes the message in the chat file (LSP 3.18, "Completion Request"). In other
// documents it answers null at once, never an empty list, which some editors would show
// instead of another server's list.
func (s *session) completion(_ context.Context, p *positionParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{Start: p.Position, End: p.Position})
	if at.Own != pages.ChatFile || at.Buffer == nil || s.backend.Agent() == nil {
		return nothing, nil
	}
	return func(ctx context.Context) (any, error) {
		lines := at.Buffer.Lines
		c, ok := chat.CompletingAt(lines.Text(), at.Span(lines, at.Selection).Start)
		if !ok {
			return nil, nil
		}
		items := s.completer.Complete(ctx, c, at.Range(lines, c.Span), at.Snapshot)
		return &protocol.CompletionList{IsIncomplete: c.What == chat.MentionedName, Items: items}, nil
	}, nil
}

// nothing answers a request with null.
func nothing(context.Context) (any, error) { return nil, nil }

// textDocumentContentParams are TextDocumentContentParams with the URI as the client spells it,
// which a refresh must repeat.
type textDocumentContentParams struct {
	URI string `json:"uri"`
}

// textDocumentContent returns the text of a virtual document (LSP 3.18, "Text Document Content
// Request"). One refresh follows when it is out of date: a client that still shows it asks
// again.
func (s *session) textDocumentContent(_ context.Context, p *textDocumentContentParams) (wire.Run, error) {
	name, ok := pages.ParseVirtual(p.URI)
	if !ok {
		return nil, backend.InvalidParams(fmt.Sprintf("There is no document %.200q: use redline:/plan/N/proposed/PATH, redline:/plan/N/base/PATH or redline:/plan/N/rM/PATH.", p.URI))
	}
	return func(ctx context.Context) (any, error) {
		if _, err := s.backend.Ready(ctx); err != nil {
			return nil, backend.Error(err)
		}
		made, text, err := s.virtual.Text(ctx, name)
		if err != nil {
			return nil, backend.Error(err)
		}
		s.refresher.Gave(p.URI, made)
		raw, err := json.Marshal(text)
		return json.RawMessage(raw), err
	}, nil
}
