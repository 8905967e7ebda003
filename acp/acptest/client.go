// Package acptest is a client of the Agent Client Protocol for tests.
package acptest

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"redline/internal/acpwire"
)

// Patience is how long a client waits for anything.
const Patience = 2 * time.Minute

// Client is a client with one connection.
type Client struct {
	*acpwire.Conn
	t testing.TB

	// OnPermission answers a session/request_permission. Nil: the first option is chosen.
	OnPermission func(context.Context, acp.RequestPermissionRequest) (any, error)

	mu      sync.Mutex
	updates []acp.SessionNotification
	asked   []acp.RequestPermissionRequest
	news    chan struct{} // closed at the next update or question
}

// Connect connects a client to a server by a stream, which the caller closes. It answers more requests
// than permissions.
func Connect(t testing.TB, stream io.ReadWriter, more map[string]acpwire.Request) *Client {
	c := &Client{t: t, news: make(chan struct{})}
	requests := map[string]acpwire.Request{acp.ClientMethodSessionRequestPermission: c.permission}
	for method, h := range more {
		requests[method] = h
	}
	c.Conn = acpwire.New(stream, acpwire.Options{
		Requests:      requests,
		Notifications: map[string]func(json.RawMessage){acp.ClientMethodSessionUpdate: c.update},
	})
	c.Conn.Start()
	return c
}

// Start begins a server in this process, and connects a client to it.
func Start(t testing.TB, serve func(context.Context, io.ReadWriteCloser) error, more map[string]acpwire.Request) *Client {
	t.Helper()
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(context.Background(), far) }()
	c := Connect(t, near, more)
	t.Cleanup(func() {
		c.Conn.Close()
		near.Close()
		far.Close()
		select {
		case <-ended:
		case <-time.After(Patience):
			t.Error("the server has not ended")
		}
	})
	return c
}

func (c *Client) update(params json.RawMessage) {
	u, err := acpwire.Decode[acp.SessionNotification](params)
	if err != nil {
		c.t.Errorf("an update cannot be read: %v\n%s", err, params)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.updates = append(c.updates, u)
	c.changed()
}

func (c *Client) permission(ctx context.Context, params json.RawMessage) (any, error) {
	r, err := acpwire.Decode[acp.RequestPermissionRequest](params)
	if err != nil {
		c.t.Errorf("a question cannot be read: %v\n%s", err, params)
		return nil, err
	}
	c.mu.Lock()
	c.asked = append(c.asked, r)
	c.changed()
	c.mu.Unlock()
	if c.OnPermission != nil {
		return c.OnPermission(ctx, r)
	}
	return Chosen(string(r.Options[0].OptionId)), nil
}

func (c *Client) changed() {
	close(c.news)
	c.news = make(chan struct{})
}

// Chosen is the answer that chooses an option.
func Chosen(option string) acp.RequestPermissionResponse {
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(acp.PermissionOptionId(option))}
}

// Cancelled is the answer of a client whose user has answered nothing.
func Cancelled() acp.RequestPermissionResponse {
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}
}

// Ask sends a request, which must succeed, and reads its answer into to.
func (c *Client) Ask(method string, params, to any) {
	c.t.Helper()
	raw, err := c.Try(method, params)
	if err == nil && to != nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// Try sends a request.
func (c *Client) Try(method string, params any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	return c.Call(ctx, method, params)
}

// Initialize begins the connection.
func (c *Client) Initialize(can acp.ClientCapabilities) (r acp.InitializeResponse) {
	c.t.Helper()
	c.Ask(acp.AgentMethodInitialize, acp.InitializeRequest{
		ProtocolVersion: 1, ClientCapabilities: can, ClientInfo: &acp.Implementation{Name: "test client", Version: "1"},
	}, &r)
	return r
}

// Open opens a new session in a folder.
func (c *Client) Open(dir string) acp.SessionId {
	c.t.Helper()
	var r acp.NewSessionResponse
	c.Ask(acp.AgentMethodSessionNew, acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{}}, &r)
	return r.SessionId
}

// Prompt sends a prompt and waits for its end.
func (c *Client) Prompt(id acp.SessionId, text string) acp.StopReason {
	c.t.Helper()
	var r acp.PromptResponse
	c.Ask(acp.AgentMethodSessionPrompt, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}}, &r)
	return r.StopReason
}

// Await waits until ok reports true for what the client has got so far.
func (c *Client) Await(what string, ok func(updates []acp.SessionNotification, asked []acp.RequestPermissionRequest) bool) {
	c.t.Helper()
	late := time.After(Patience)
	for {
		c.mu.Lock()
		news, done := c.news, ok(c.updates, c.asked)
		c.mu.Unlock()
		if done {
			return
		}
		select {
		case <-news:
		case <-late:
			c.t.Fatalf("%s does not come; the client has heard:\n%s", what, c.Said())
		}
	}
}

// Asked returns the permission requests so far.
func (c *Client) Asked() []acp.RequestPermissionRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]acp.RequestPermissionRequest{}, c.asked...)
}

// Updates returns the updates so far.
func (c *Client) Updates() []acp.SessionNotification {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]acp.SessionNotification{}, c.updates...)
}

// Forget forgets the updates and the requests so far.
func (c *Client) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.updates, c.asked = nil, nil
}

// Said returns the text of the agent's messages so far.
func (c *Client) Said() string {
	var b strings.Builder
	for _, u := range c.Updates() {
		if m := u.Update.AgentMessageChunk; m != nil && m.Content.Text != nil {
			b.WriteString(m.Content.Text.Text)
		}
	}
	return b.String()
}

// Status returns the last status of a tool call, with the text of its content.
func (c *Client) Status(id acp.ToolCallId) (status acp.ToolCallStatus, text string) {
	note := func(content []acp.ToolCallContent) {
		for _, part := range content {
			if part.Content != nil && part.Content.Content.Text != nil {
				text = part.Content.Content.Text.Text
			}
		}
	}
	for _, u := range c.Updates() {
		switch {
		case u.Update.ToolCall != nil && u.Update.ToolCall.ToolCallId == id:
			status = u.Update.ToolCall.Status
			note(u.Update.ToolCall.Content)
		case u.Update.ToolCallUpdate != nil && u.Update.ToolCallUpdate.ToolCallId == id:
			if s := u.Update.ToolCallUpdate.Status; s != nil {
				status = *s
			}
			note(u.Update.ToolCallUpdate.Content)
		}
	}
	return status, text
}
