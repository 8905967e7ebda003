package lsp

import (
	"fmt"
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

// Measures an approval of ten operations on ten files, half of them open, from the request
// to the answer: every text is verified, and the decision, the intent and the outcome are
// on disk. The time includes the editor's own work. Each plan is undone before the next
// approval.
func BenchmarkApproveTenOperations(b *testing.B) { benchmarkApproveFiles(b, 10) }

// Measures the same for forty files: each is reported as applied once its text has the change.
func BenchmarkApproveFortyFiles(b *testing.B) { benchmarkApproveFiles(b, 40) }

func benchmarkApproveFiles(b *testing.B, files int) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for i := range files {
		write(b, filepath.Join(dir, fmt.Sprintf("f%d.txt", i)), twoLines)
	}
	st := store.New(b.TempDir())
	b.Cleanup(func() { st.Close() })
	c := connectTo(b, lsptest.Honest(), dir, Options{
		NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
			return agent.New(agent.Options{Workspace: w, Store: st, Model: model.New(model.Config{})}), nil
		},
	})
	for i := range files / 2 {
		c.must(c.Open(fmt.Sprintf("f%d.txt", i)))
	}
	c.plan(`replace "apple" with "pear"`)
	for b.Loop() {
		r, err := c.approve()
		if err != nil || r.State != "completed" || len(r.Files) != files {
			b.Fatalf("the plan is %s in %d files: %v", r.State, len(r.Files), err)
		}
		b.StopTimer()
		if _, err := c.Execute(c.ctx, command.Undo, map[string]any{"plan": 1}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

const twoLines = "an apple a day\nkeeps the doctor away\n"
