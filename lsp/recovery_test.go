package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/store"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// When the plans of earlier sessions could not be read, the next command looks
// for them again.
func TestRecoveryIsTriedAgain(t *testing.T) {
	dir, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	write(t, filepath.Join(dir, "a.txt"), twoFruits)
	newAgent := func(w *workspace.Workspace, _ agent.Editor) (*agent.Agent, error) {
		kept := store.New(state)
		t.Cleanup(func() { kept.Close() })
		return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
	}
	first := connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: newAgent})
	first.plan(`replace "apple" with "pear"`)
	first.Kill()
	first.done <- <-first.done
	first.must(os.Rename(state, state+".away"))
	write(t, state, "no folder")

	second := connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: newAgent})
	second.await(lsptest.MessageContains("The plans of earlier sessions could not be read"))
	if _, err := second.Execute(second.ctx, commandState, map[string]any{}); err == nil {
		t.Error("there is a state that cannot be read")
	}
	second.must(os.Remove(state))
	second.must(os.Rename(state+".away", state))
	if _, err := second.Execute(second.ctx, commandState, map[string]any{}); err != nil {
		t.Fatal(err)
	}
	second.await(lsptest.DiagnosticCount("a.txt", 2))
	if messages := second.Messages(); len(messages) != 1 {
		t.Errorf("the failure was told %d times: %+v", len(messages), messages)
	}
}

// A database that is damaged is left alone, and everything that needs no plan
// works.
func TestADamagedDatabaseLeavesTheServerWorking(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), twoFruits)
	damaged := strings.Repeat("this is no database ", 100)
	write(t, filepath.Join(state, store.FileName), damaged)
	c := connectTo(t, lsptest.Honest(), dir, Options{NewAgent: func(w *workspace.Workspace, _ agent.Editor) (*agent.Agent, error) {
		kept := store.New(state)
		t.Cleanup(func() { kept.Close() })
		return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
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
	if _, err := c.Execute(c.ctx, commandChat, map[string]any{"message": "what is this?", "mode": "ask"}); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.EventKind("turn.finished"))
	for _, raw := range c.Events() {
		if strings.Contains(string(raw), `"turn.finished"`) && !strings.Contains(string(raw), `"state":"done"`) {
			t.Errorf("the question was not answered: %s", raw)
		}
	}
	if data, err := os.ReadFile(filepath.Join(state, store.FileName)); err != nil || string(data) != damaged {
		t.Errorf("the database was changed (%v)", err)
	}
}
