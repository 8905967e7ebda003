package lsp

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"redline/lsp/location"
	"redline/lsp/window"
	"redline/lsp/wire"
	"redline/workspace"
)

// kindRefactor is the kind of the actions that are not about a single hunk or
// problem.
const kindRefactor protocol.CodeActionKind = "refactor.redline"

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
	at := s.places.Find(p.TextDocument.URI, p.Range)
	var fix *protocol.Diagnostic
	if s.client.wholesale {
		fix = quickFix(p, at)
	}
	if fix != nil {
		at = s.places.Find(p.TextDocument.URI, fix.Range)
	}
	return func(context.Context) (any, error) {
		m := &menu{only: p.Context.Only, review: s.client.review, someBuffers: s.client.someBuffers, workspace: s.workspace}
		if fix != nil {
			m.addPreferred(at, fix)
			return m.encode()
		}
		m.addHunks(at)
		m.addPlans(at)
		m.addRequests(at, p.Context.Diagnostics)
		m.addTurns(at)
		return m.encode()
	}
}

// menu collects code actions of the kinds that were asked for.
type menu struct {
	only    []string // all when empty
	review  bool     // the client has a review of its own
	actions []protocol.CodeAction

	someBuffers bool // as in client
	workspace   *workspace.Workspace
}

// encode writes the actions as a JSON list, also when there are none. An optional
// member that is not set is left out and never null: Neovim 0.12 takes null for a
// value.
func (m *menu) encode() (json.RawMessage, error) { return encodeList(m.actions) }

// encodeList writes a list of the protocol's values as JSON, also an empty one.
func encodeList[T any](list []T) (json.RawMessage, error) {
	out := []byte{'['}
	for i := range list {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = protocol.AppendMarshal(out, &list[i]); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

// wants reports whether actions of the kind were asked for. Kinds are
// hierarchical (LSP 3.18, "CodeActionKind").
func (m *menu) wants(kind protocol.CodeActionKind) bool {
	if len(m.only) == 0 {
		return true
	}
	for _, only := range m.only {
		if only == "" || string(kind) == only || strings.HasPrefix(string(kind), only+".") {
			return true
		}
	}
	return false
}

// add adds an action that runs a command with one argument. It returns the action,
// nil if its kind was not asked for.
func (m *menu) add(kind protocol.CodeActionKind, title, command string, argument any) *protocol.CodeAction {
	if !m.wants(kind) {
		return nil
	}
	raw, err := json.Marshal(argument)
	if err != nil {
		return nil
	}
	title = "Redline: " + window.OneLine(title)
	m.actions = append(m.actions, protocol.CodeAction{
		Title: title, Kind: &kind,
		Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{raw}},
	})
	return &m.actions[len(m.actions)-1]
}
