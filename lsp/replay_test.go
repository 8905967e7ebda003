package lsp

import (
	"path/filepath"
	"testing"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/state"
	"redline/agent/store"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// A recorded session leads to the same plan in another workspace with the same files,
// without a model.
func TestASessionIsReplayed(t *testing.T) {
	recording := t.TempDir()
	play := func(config model.Config) (hash string) {
		dir, status := t.TempDir(), t.TempDir()
		write(t, filepath.Join(dir, "a.txt"), twoFruits)
		var a *agent.Agent
		c := connectTo(t, lsptest.HelixLike(), dir, Options{
			NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
				kept := store.New(status)
				t.Cleanup(func() { kept.Close() })
				a = agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(config)})
				return a, nil
			},
		})
		c.must(c.Open("a.txt"))
		c.plan("make it pears")
		p, err := a.Board.PlanState(c.ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash
	}
	was := play(model.Config{BaseURL: modeltest.BaseURL, APIKey: "sk-0123456789", Name: "m", Record: recording, Transport: modeltest.New(
		modeltest.Stream(modeltest.Call("read_file", `{"path":"a.txt"}`)),
		modeltest.Stream(modeltest.Call("edit_file", `{"path":"a.txt","old_string":"one apple","new_string":"one pear"}`)),
		modeltest.Stream(modeltest.Text("Done.")),
	)})
	if again := play(model.Config{Replay: recording}); again != was {
		t.Errorf("the plan is %s, and was %s when it was recorded", again, was)
	}
}
