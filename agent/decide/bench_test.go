package decide_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/view"
)

// bigPlan stores a plan that changes one line of each of this many files, and writes the files.
func bigPlan(b *testing.B, s *store.Store, dir, folder string, files int) {
	b.Helper()
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
		b.Fatal(err)
	}
	r := plan.Revision{Author: plan.AuthorModel, Steps: []plan.Step{{ID: "s1", Description: "do it"}}}
	texts := map[plan.Blob]string{}
	for i := range files {
		base := fmt.Sprintf("%s %d\none\n", folder, i) + strings.Repeat("a line that stays as it is\n", 400)
		proposed := strings.Replace(base, "one", "1", 1)
		texts[plan.BlobOf(base)], texts[plan.BlobOf(proposed)] = base, proposed
		path, id := fmt.Sprintf("%s/file%d.txt", folder, i), fmt.Sprintf("o%d", i+1)
		if err := os.WriteFile(filepath.Join(dir, path), []byte(base), 0o644); err != nil {
			b.Fatal(err)
		}
		r.Operations = append(r.Operations, plan.Operation{ID: id, Step: "s1", Tool: "edit_file", Args: []byte(`{}`), Path: path})
		r.Changes = append(r.Changes, plan.Change{
			Path: path, Action: plan.Update, Base: plan.BlobOf(base), Proposed: plan.BlobOf(proposed), BaseExists: true, Mode: 0o644,
			Hunks: plan.Hunks(plan.Update, base, proposed, nil), Operations: []string{id},
		})
	}
	p := &plan.Plan{Conversation: "c1", Goal: "tidy up", State: plan.AwaitingApproval}
	p.Add(r, func(b plan.Blob) string { return texts[b] })
	if err := s.CreatePlan(b.Context(), dir, p, texts); err != nil {
		b.Fatal(err)
	}
}

// Two plans of 100 files each are approved and undone at the same time.
func BenchmarkTwoApprovalsAtOnce(b *testing.B) {
	dir, state := b.TempDir(), b.TempDir()
	s := store.New(state)
	for _, folder := range []string{"left", "right"} {
		bigPlan(b, s, dir, folder, 100)
	}
	s.Close()
	a := agenttest.Benchmarked(b, dir, state)
	if err := a.Recover(b.Context()); err != nil {
		b.Fatal(err)
	}
	both := func(decide func(n int) error) {
		var wait sync.WaitGroup
		for n := 1; n <= 2; n++ {
			wait.Add(1)
			go func() {
				defer wait.Done()
				if err := decide(n); err != nil {
					b.Error(err)
				}
			}()
		}
		wait.Wait()
	}
	for b.Loop() {
		both(func(n int) error {
			_, err := a.Approve(b.Context(), view.Request{Plan: n})
			return err
		})
		both(func(n int) error {
			_, err := a.Undo(b.Context(), view.Request{Plan: n})
			return err
		})
	}
}
