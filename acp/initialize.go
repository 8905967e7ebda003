package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"redline/edits"
	"redline/internal/acpwire"
	"redline/internal/phrase"
)

// client is what the client has said about itself.
type client struct {
	begun  bool   // it has sent initialize
	name   string // for records and messages
	reads  bool   // it answers fs/read_text_file
	writes bool   // it answers fs/write_text_file
}

// throughACP ends the name of a client in records: a client of ACP cannot pass for another program.
const throughACP = " through ACP"

func (c client) recorded() string { return c.name + throughACP }

// ClientOf returns the name of the client of ACP that a record names; ok is false for another program.
func ClientOf(recorded string) (client string, ok bool) {
	return strings.CutSuffix(recorded, throughACP)
}

// unnamed is the name of a client that does not name itself.
const unnamed = "an editor"

// initialize answers with what Redline can do. Whatever version a client names, the answer is the one
// version that Redline speaks; a client that does not speak it disconnects.
func (s *server) initialize(params json.RawMessage) (any, error) {
	p, err := read[acp.InitializeRequest](params, "protocolVersion")
	if err != nil {
		return nil, err
	}
	c := client{begun: true, name: unnamed}
	if said, err := read[acp.InitializeRequest](params, "clientInfo"); err == nil && said.ClientInfo != nil {
		c.name = cmp.Or(phrase.Clip(edits.VisibleLine(phrase.OneLine(said.ClientInfo.Name)), 60), unnamed)
	}
	if said, err := read[acp.InitializeRequest](params, "clientCapabilities"); err == nil {
		c.reads, c.writes = said.ClientCapabilities.Fs.ReadTextFile, said.ClientCapabilities.Fs.WriteTextFile
	}
	_ = p.ProtocolVersion // 1, or one that does not exist yet
	s.mu.Lock()
	if s.client.begun {
		c = s.client // the first one counts: sessions may be open
	}
	s.client = c
	s.mu.Unlock()
	title := "Redline"
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "redline", Title: &title, Version: cmp.Or(s.o.Version, "dev")},
		AuthMethods:     []acp.AuthMethod{},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: acp.PromptCapabilities{EmbeddedContext: true},
			SessionCapabilities: acp.SessionCapabilities{
				List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{}, Close: &acp.SessionCloseCapabilities{},
			},
		},
	}, nil
}

// begun answers initialize on the goroutine that reads: a client may send the next request before it has the
// answer.
func (s *server) begun(params json.RawMessage) acpwire.Request {
	result, err := s.initialize(params)
	return func(context.Context, json.RawMessage) (any, error) { return result, err }
}

// ready returns the client, once it has sent initialize.
func (s *server) ready() (client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.client.begun {
		return client{}, &acp.RequestError{Code: invalidRequest, Message: "Send initialize first."}
	}
	return s.client, nil
}

// authenticate refuses: Redline has no methods to sign in.
func (s *server) authenticate(context.Context, json.RawMessage) (any, error) {
	return nil, invalid("Redline has no way to sign in: the model is chosen with redline setup.")
}

// logout does nothing: nobody is signed in.
func (s *server) logout(context.Context, json.RawMessage) (any, error) {
	return acp.LogoutResponse{}, nil
}
