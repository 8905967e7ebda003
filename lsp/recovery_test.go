package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/internal/wire"
	"redline/lsp/backend"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// If the plans of earlier sessions could not be read, the next command tries again.
func TestRecoveryIsTriedAgain(t *testing.T) {
	dir, status := t.TempDir(), filepath.Join(t.TempDir(), "state")
	write(t, filepath.Join(dir, "a.txt"), twoFruits)
	newAgent := func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		kept := store.New(status)
		t.Cleanup(func() { kept.Close() })
		return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
	}
	first := connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: newAgent})
	first.plan(`replace "apple" with "pear"`)
	first.Kill()
	first.done <- <-first.done
	first.must(os.Rename(status, status+".away"))
	write(t, status, "no folder")

	second := connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: newAgent})
	second.await(lsptest.MessageContains("The plans of earlier sessions could not be read"))
	if _, err := second.Execute(second.ctx, command.State, map[string]any{}); err == nil {
		t.Error("there is a state that cannot be read")
	}
	second.must(os.Remove(status))
	second.must(os.Rename(status+".away", status))
	if _, err := second.Execute(second.ctx, command.State, map[string]any{}); err != nil {
		t.Fatal(err)
	}
	second.await(lsptest.DiagnosticCount("a.txt", 2))
	if messages := second.Messages(); len(messages) != 1 {
		t.Errorf("the failure was told %d times: %+v", len(messages), messages)
	}
}

// A damaged database is left unchanged, one message reports it, and everything works for
// this session.
func TestADamagedDatabaseLeavesTheServerWorking(t *testing.T) {
	dir, status := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), twoFruits)
	damaged := strings.Repeat("this is no database ", 100)
	write(t, filepath.Join(status, store.FileName), damaged)
	c := connectTo(t, lsptest.Honest(), dir, Options{NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		kept := store.New(status)
		t.Cleanup(func() { kept.Close() })
		a := agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})})
		kept.InMemory(a.Tell)
		return a, nil
	}}, lsptest.WithEvents())
	c.await(lsptest.MessageContains("is damaged"))
	c.await(lsptest.MessageContains("was left as it is: restore it from a copy, or move it"))
	c.must(c.Open("a.txt"))
	if _, err := c.Hover(c.ctx, "a.txt", lsptest.Position{}); err != nil {
		t.Error(err)
	}
	if _, err := c.CodeActions(c.ctx, "a.txt", lsptest.Range{}); err != nil {
		t.Error(err)
	}
	if _, err := c.Execute(c.ctx, command.Chat, map[string]any{"message": "what is this?", "mode": "ask"}); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.EventKind("turn.finished"))
	for _, raw := range c.Events() {
		if strings.Contains(string(raw), `"turn.finished"`) && !strings.Contains(string(raw), `"state":"done"`) {
			t.Errorf("the question was not answered: %s", raw)
		}
	}
	c.plan(`replace "apple" with "pear"`)
	if _, err := c.approve(); err != nil {
		t.Errorf("the plan cannot be approved: %v", err)
	}
	c.wantFile("a.txt", strings.ReplaceAll(twoFruits, "apple", "pear"))
	told := 0
	for _, m := range c.Messages() {
		if strings.Contains(m.Text, "is damaged") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("that the database is damaged is told %d times", told)
	}
	if data, err := os.ReadFile(filepath.Join(status, store.FileName)); err != nil || string(data) != damaged {
		t.Errorf("the database was changed (%v)", err)
	}
}

// A request for code actions waits a short time while the plans of earlier sessions are
// read, and includes theirs; if that takes longer, it is answered without them.
func TestActionsWaitForThePlans(t *testing.T) {
	begin := func(t *testing.T) (f *fixture, run wire.Run, recovered chan struct{}) {
		f = newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
		f.open("a.txt", twoFruits)
		recovered = make(chan struct{})
		slow := backend.New(backend.Options{
			Conn: f.conn, Window: f.window, Workspace: f.workspace, Log: f.log, Leave: time.Minute, Watch: time.Hour, Retain: time.Hour,
			Changed: func() { <-recovered }, // as if the store were slow
		})
		slow.Connect(f.backend.Agent(), nil)
		f.backend = slow
		if err := f.initialized(f.ctx, nil); err != nil {
			t.Fatal(err)
		}
		p := &codeActionParams{Range: protocol.Range{End: protocol.Position{Line: 1}}}
		p.TextDocument.URI = f.uri("a.txt")
		run, err := f.codeAction(f.ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		return f, run, recovered
	}
	t.Run("until they are there", func(t *testing.T) {
		f, run, recovered := begin(t)
		f.timeouts.Starting = time.Hour
		turn, _, err := f.backend.Agent().Turns.Send(conversation.Message{Text: `replace "apple" with "pear"`})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.backend.Agent().Conversations.Wait(f.ctx, turn); err != nil {
			t.Fatal(err)
		}
		close(recovered)
		raw, err := run(f.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got := titles(t, raw.(json.RawMessage)); len(got) == 0 || got[0] != "approve this change (plan 1, h1)" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("not for long", func(t *testing.T) {
		f, run, recovered := begin(t)
		f.timeouts.Starting = time.Millisecond
		raw, err := run(f.ctx)
		close(recovered)
		if err != nil {
			t.Fatal(err)
		}
		if got := titles(t, raw.(json.RawMessage)); len(got) == 0 {
			t.Error("there is nothing to do at all")
		}
	})
}
