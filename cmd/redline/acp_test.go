package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"redline/acp/acptest"
	"redline/agent/state"
)

// panel starts redline acp as a separate process, with a client connected to it and a session.
func (p *place) panel() (*acptest.Client, acp.SessionId, *exec.Cmd) {
	p.t.Helper()
	stream, cmd := p.server("acp")
	c := acptest.Connect(p.t, stream, nil)
	p.t.Cleanup(func() {
		c.Conn.Close()
		_ = stream.in.Close()
		_ = cmd.Wait() // the test does not check how it ends
	})
	c.Initialize(acp.ClientCapabilities{})
	return c, c.Open(p.dir), cmd
}

// A plan waits when its process is killed while the user is asked; another process decides on it, and the
// record says where an approval came from.
func TestAPlanOfAPanelThatIsKilled(t *testing.T) {
	p := newPlace(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	c, session, server := p.panel()
	asked := make(chan struct{})
	c.OnPermission = func(ctx context.Context, _ acp.RequestPermissionRequest) (any, error) {
		close(asked)
		<-ctx.Done()
		return acptest.Cancelled(), nil
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.Try(acp.AgentMethodSessionPrompt, acp.PromptRequest{SessionId: session, Prompt: []acp.ContentBlock{acp.TextBlock(`replace "one" with "two" in *.txt`)}})
		ended <- err
	}()
	<-asked
	killed(t, server)
	if err := <-ended; err == nil {
		t.Error("the prompt of a server that was killed has an answer")
	}
	p.wantText("a.txt", "one\n")

	c, session, _ = p.panel()
	c.Prompt(session, "/status")
	if said := c.Said(); !strings.Contains(said, "plan 1, revision 1, waits for your approval") {
		t.Errorf("after a restart it says %q", said)
	}
	if status, said := p.redline("plans", "approve", "1"); status != exitOK {
		t.Errorf("exit status %d: %s", status, said)
	}
	p.wantText("a.txt", "two\n")

	c.Prompt(session, `replace "two" with "three" in b.txt`)
	p.wantText("b.txt", "three\n")
	c.Prompt(session, "/undo")
	p.wantText("b.txt", "two\n")
	var out strings.Builder
	cmd := p.command("audit", "log", "--dir", p.dir)
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"shown through test client (ACP)\n", "approved through test client (ACP) h1 by user\n", "executed through test client (ACP) (approve) → completed, b.txt applied by user\n", "undone through test client (ACP) h1 by user\n"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("the audit log does not say %q:\n%s", words, &out)
		}
	}
	if status, said := p.redline("audit", "verify"); status != exitOK {
		t.Errorf("the audit log: exit status %d: %s", status, said)
	}
}

// A plan that is begun in a panel is decided in an editor that speaks LSP, and the other way round, while
// both are connected.
func TestAPanelBesideAnEditor(t *testing.T) {
	p := newPlace(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	e, _ := p.editor()
	c, session, _ := p.panel()
	c.OnPermission = func(ctx context.Context, _ acp.RequestPermissionRequest) (any, error) {
		for _, command := range []string{"redline.show", "redline.approve"} {
			if _, err := e.Execute(p.ctx, command, map[string]any{"plan": 1}); err != nil {
				t.Errorf("%s: %v", command, err)
			}
		}
		<-ctx.Done() // withdrawn
		return acptest.Chosen("approve-rest"), nil
	}
	c.Prompt(session, `replace "one" with "two" in a.txt`)
	if said := c.Said(); !strings.Contains(said, "Plan 1 was decided on elsewhere") {
		t.Errorf("it says %q", said)
	}

	c.OnPermission = nil
	if _, err := e.Execute(p.ctx, "redline.chat", `/plan replace "one" with "three" in b.txt`); err != nil {
		t.Fatal(err)
	}
	var now state.State
	for len(now.Plans) < 2 || now.Plans[1].State != "awaiting_approval" {
		raw, err := e.Execute(p.ctx, "redline.state", nil)
		if err == nil {
			now = state.State{}
			err = json.Unmarshal(raw, &now)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var loaded acp.LoadSessionResponse
	c.Ask(acp.AgentMethodSessionLoad, acp.LoadSessionRequest{Cwd: p.dir, McpServers: []acp.McpServer{}, SessionId: acp.SessionId(now.Plans[1].Conversation)}, &loaded)
	c.Forget()
	c.Prompt(acp.SessionId(now.Plans[1].Conversation), "show me the plan again")
	if asked := c.Asked(); len(asked) != 1 {
		t.Fatalf("%d questions; it says %q", len(asked), c.Said())
	}
	if data, err := os.ReadFile(filepath.Join(p.dir, "b.txt")); err != nil || string(data) != "three\n" {
		t.Errorf("b.txt is %q, %v", data, err)
	}
}
