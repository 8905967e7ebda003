package lsp

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// Where the audit log cannot be kept and must be, the server runs, and approves nothing.
func TestNothingIsApprovedWithoutAnAuditLog(t *testing.T) {
	dir, blocked := t.TempDir(), filepath.Join(t.TempDir(), "blocked")
	write(t, filepath.Join(dir, "a.txt"), "apple\n")
	write(t, blocked, "a file where a folder is needed\n")
	c := connectTo(t, lsptest.Honest(), dir, Options{NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		kept := store.New(filepath.Join(blocked, "state")) // it does not fall back to memory
		t.Cleanup(func() { kept.Close() })
		return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
	}})
	c.must(c.Open("a.txt"))
	if _, err := c.Execute(c.ctx, "redline.chat", `replace "apple" with "pear"`); err != nil {
		if r, ok := errors.AsType[*lsptest.Refusal](err); !ok || !strings.Contains(r.Message, "REDLINE_STATE_DIR") {
			t.Fatal(err)
		}
	} else {
		c.await(lsptest.MessageContains("REDLINE_STATE_DIR"))
	}
	if _, err := c.approve(); err == nil {
		t.Error("it was approved")
	}
	c.wantFile("a.txt", "apple\n")
}
