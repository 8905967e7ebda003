package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/plan"
	"redline/agent/store"
	"redline/workspace"
)

// stored fills the store of a workspace with n plans, each with one change in a small file of its
// own. open reports which of them are undecided.
func stored(b *testing.B, dir, state string, n int, open func(int) bool) {
	b.Helper()
	s := store.New(state)
	defer s.Close()
	for i := range n {
		base, proposed := fmt.Sprintf("file %d\none\ntwo\n", i), fmt.Sprintf("file %d\n1\ntwo\n", i)
		texts := map[plan.Blob]string{plan.BlobOf(base): base, plan.BlobOf(proposed): proposed}
		path := fmt.Sprintf("dir/file%d.txt", i)
		args, err := json.Marshal(map[string]any{"path": path, "old_string": "one", "new_string": "1"})
		if err != nil {
			b.Fatal(err)
		}
		p := &plan.Plan{Conversation: "c1", Goal: "tidy up", State: plan.AwaitingApproval}
		p.Add(plan.Revision{
			Author: plan.AuthorModel, Steps: []plan.Step{{ID: "s1", Description: "do it"}},
			Operations: []plan.Operation{{ID: "o1", Step: "s1", Tool: "edit_file", Args: args, Path: path}},
			Changes: []plan.Change{{
				Path: path, Action: plan.Update, Base: plan.BlobOf(base), Proposed: plan.BlobOf(proposed), BaseExists: true, Mode: 0o644,
				Hunks: plan.Hunks(plan.Update, base, proposed, nil), Operations: []string{"o1"},
			}},
		}, func(b plan.Blob) string { return texts[b] })
		live := base
		if !open(i) {
			live = proposed
			p.Progress.MarkHunk("h1", plan.HunkApplied, "")
			p.State = plan.Completed
		}
		if i < 200 {
			if err := os.MkdirAll(filepath.Join(dir, "dir"), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, path), []byte(live), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.CreatePlan(b.Context(), dir, p, texts); err != nil {
			b.Fatal(err)
		}
	}
}

// settle makes the agent find its plans, and waits until the files of the newest ones are old
// enough that a look takes them as unchanged.
func settle(b *testing.B, a *agent.Agent, dir string, plans int) {
	if err := a.Recover(b.Context()); err != nil {
		b.Fatal(err)
	}
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{})
	for path := fmt.Sprintf("dir/file%d.txt", plans-1); ws.Stamp(path).Differs(ws.Stamp(path)); {
		time.Sleep(50 * time.Millisecond)
	}
	if _, err := a.State(b.Context(), false); err != nil {
		b.Fatal(err)
	}
}

// redline.state with 100 open plans, each of a small file that no editor shows.
func BenchmarkState100(b *testing.B) {
	dir, state := b.TempDir(), b.TempDir()
	stored(b, dir, state, 100, func(int) bool { return true })
	a := agenttest.Benchmarked(b, dir, state)
	settle(b, a, dir, 100)
	for b.Loop() {
		if s, err := a.State(b.Context(), false); err != nil || len(s.Plans) != 100 {
			b.Fatal(len(s.Plans), err)
		}
	}
}

// The same with 20 completed plans, newer than the open ones.
func BenchmarkState100AndClosed(b *testing.B) {
	dir, state := b.TempDir(), b.TempDir()
	stored(b, dir, state, 120, func(i int) bool { return i < 100 })
	a := agenttest.Benchmarked(b, dir, state)
	settle(b, a, dir, 120)
	for b.Loop() {
		if s, err := a.State(b.Context(), false); err != nil || len(s.Plans) != 120 {
			b.Fatal(len(s.Plans), err)
		}
	}
}

// The start of a session: finding the plans of earlier ones.
func benchmarkRecover(b *testing.B, plans int) {
	dir, state := b.TempDir(), b.TempDir()
	stored(b, dir, state, plans, func(i int) bool { return i == 0 })
	for b.Loop() {
		a := agenttest.Benchmarked(b, dir, state)
		if err := a.Recover(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecover1(b *testing.B)     { benchmarkRecover(b, 1) }
func BenchmarkRecover10000(b *testing.B) { benchmarkRecover(b, 10_000) }
