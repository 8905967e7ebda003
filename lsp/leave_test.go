package lsp

import (
	"path/filepath"
	"testing"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// An editor that quits without saving discards the changes in its buffers: the plan is
// pending again. Saved changes stay applied.
func TestWhatIsNotSavedGoesWithTheEditor(t *testing.T) {
	dir, status := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), twoFruits)
	write(t, filepath.Join(dir, "b.txt"), twoFruits)
	c := connectTo(t, lsptest.HelixLike(), dir, Options{
		NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
			kept := store.New(status)
			t.Cleanup(func() { kept.Close() })
			return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
		},
	})
	c.must(c.Open("a.txt"))
	c.must(c.Open("b.txt"))
	c.plan(`replace "apple" with "pear"`)
	if _, err := c.Execute(c.ctx, command.Approve, map[string]any{"plan": 1}); err != nil {
		t.Fatal(err)
	}
	c.must(c.Save("b.txt"))
	c.Kill()
	c.done <- <-c.done

	its := store.New(status)
	defer its.Close()
	other := agent.New(agent.Options{
		Workspace: workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{}),
		Store:     its, Model: model.New(model.Config{}),
	})
	defer other.Close()
	p, err := other.Board.PlanState(c.ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Files[0].Status, p.Files[1].Status; a != "pending" || b != "applied" || p.State != "awaiting_approval" {
		t.Errorf("a.txt is %s and b.txt is %s in a plan that is %s; want pending, applied, awaiting_approval", a, b, p.State)
	}
}
