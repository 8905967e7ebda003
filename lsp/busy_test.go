package lsp

import (
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

// Someone starts to type in a file in another editor after the approval was checked and
// before the file is sent: it is not sent, and nothing of the approval stays.
func TestAFileThatBecomesUnsavedElsewhereIsNotSent(t *testing.T) {
	dir, status := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		write(t, filepath.Join(dir, name), twoFruits)
	}
	c := connectTo(t, lsptest.HelixLike(), dir, Options{
		NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
			kept := store.New(status)
			t.Cleanup(func() { kept.Close() })
			return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
		},
	})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	real, err := filepath.EvalSymlinks(dir)
	c.must(err)
	other := store.New(status).NewSession()
	t.Cleanup(other.Close)
	c.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) { // sent for a.txt, which comes first
		c.must(other.Publish("Kate", []string{filepath.Join(real, "b.txt")}))
		return lsptest.Answer{}, false
	})
	_, err = c.approve()
	if err == nil || !strings.Contains(err.Error(), "b.txt was not changed: it has unsaved changes in another editor by now (Kate, process ") ||
		!strings.Contains(err.Error(), "Nothing of this approval stays applied.") {
		t.Errorf("the user reads %v", err)
	}
	if c.Text("a.txt") != twoFruits || c.Text("b.txt") != twoFruits {
		t.Errorf("the files are %q and %q", c.Text("a.txt"), c.Text("b.txt"))
	}
}
