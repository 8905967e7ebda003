package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	acpsdk "github.com/coder/acp-go-sdk"

	"redline/acp"
	"redline/acp/acptest"
	"redline/agent/agenttest"
	"redline/agent/store"
	"redline/agent/view"
	"redline/internal/acpwire"
)

// A client that does not read is given up. Until then its turns cost bounded memory and stop no editor
// beside it, and a plan that it was asked about can be decided on there.
func TestAClientThatDoesNotRead(t *testing.T) {
	p := open(t)
	p.model.Will(
		agenttest.Reply{Calls: calls(agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."))}, agenttest.Reply{Text: "It is done."},
		agenttest.Reply{Text: strings.Repeat("It adds. ", 100_000)},
	)
	kept := store.New(p.state)
	t.Cleanup(func() { kept.Close() })
	p.change = func(o *acp.Options) { o.Backlog, o.Stall = 64<<10, 50*time.Millisecond }
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	ended := make(chan error, 1)
	go func() { ended <- acp.Serve(context.Background(), far, p.options(kept)) }()
	send := func(id int, method string, params any) {
		t.Helper()
		if err := json.NewEncoder(near).Encode(m{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
			t.Fatal(err)
		}
	}
	messages := json.NewDecoder(near)
	type message struct {
		ID     int
		Method string
		Result struct{ SessionID string }
	}
	until := func(is func(message) bool) (got message) {
		t.Helper()
		for got = (message{}); !is(got); {
			got = message{}
			if err := messages.Decode(&got); err != nil {
				t.Fatal(err)
			}
		}
		return got
	}
	send(1, "initialize", m{"protocolVersion": 1}) // the next request does not wait for its answer
	var sessions []string
	for id := 2; id < 4; id++ {
		send(id, "session/new", m{"cwd": p.dir, "mcpServers": []any{}})
		sessions = append(sessions, until(func(got message) bool { return got.ID == id && got.Method == "" }).Result.SessionID)
	}
	send(4, "session/prompt", m{"sessionId": sessions[0], "prompt": []any{text("change the notes")}})
	until(func(got message) bool { return got.Method == "session/request_permission" })
	send(5, "session/prompt", m{"sessionId": sessions[1], "prompt": []any{text("/ask what does it do?")}}) // and now it reads nothing

	other := p.beside()
	if _, err := other.Approve(other.Context(), view.Request{Plan: 1, Way: view.ByChoice}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(p.read("notes.md"), "Total is Add.") {
		t.Errorf("notes.md is\n%s", p.read("notes.md"))
	}
	select {
	case err := <-ended:
		if !errors.Is(err, acp.ErrBroken) || !errors.Is(err, acpwire.ErrStalled) {
			t.Errorf("the connection ends with %v", err)
		}
	case <-time.After(acptest.Patience):
		t.Fatal("the connection does not end")
	}
}

// A client that reads slowly gets all that counts: the answer and the question.
func TestASlowClient(t *testing.T) {
	p := open(t)
	p.change = func(o *acp.Options) { o.Backlog = 1 << 10 }
	p.connect(nil)
	p.Initialize(acpsdk.ClientCapabilities{})
	p.session = p.Open(p.dir)
	var all []agenttest.Reply
	for i := range 10 {
		all = append(all, agenttest.Reply{Text: strings.Repeat("I look. ", 500), Calls: calls(agenttest.Call("search", map[string]any{"pattern": fmt.Sprint(i)}))})
	}
	all = append(all, agenttest.Reply{Calls: calls(agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."))}, agenttest.Reply{Text: "It is done."})
	p.model.Will(all...)
	p.Prompt(p.session, "change the notes")
	p.says("Plan 1 is completed.")
	if n := strings.Count(p.Said(), "I look. "); n < 5000 {
		t.Errorf("it says %d of 5000 sentences", n)
	}
}
