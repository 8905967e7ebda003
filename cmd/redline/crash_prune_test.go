package main

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/store"
)

// The command line is killed at random moments of removing old plans. Each plan is then
// either complete or completely removed, the newest stays, the audit log is intact, and the
// next command removes the rest.
func TestCrashWhilePruning(t *testing.T) {
	wanted, seed := crashShare(t, 8)
	w := newLineWorld(t, seed)
	newest := 0
	for killed := 0; killed < wanted; {
		newest = w.addOld(40)
		for {
			cmd := w.command("plans", "prune", "--days", "30", "--all", "--dir", w.dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			timer := time.AfterFunc(w.moment("prune"), func() { _ = cmd.Process.Kill() })
			err := cmd.Wait()
			timer.Stop()
			var exit *exec.ExitError
			if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != -1) {
				t.Fatalf("pruning: %v", err)
			}
			left := w.wholePlans(newest)
			if err == nil {
				w.usual["prune"] = time.Since(began)
				if left != 1 {
					t.Fatalf("%d plans are left, want the newest", left)
				}
				break
			}
			killed++
			w.slower("prune")
			w.kills[fmt.Sprintf("of %d", left/10*10)]++
		}
		if status, said := w.redline("audit", "verify"); status != exitOK {
			t.Fatalf("the audit log: exit status %d: %s", status, said)
		}
	}
	t.Logf("kills, by how many plans were left: %v", w.kills)
}

// addOld stores plans that were decided long ago. It returns the number of the last.
func (w *lineWorld) addOld(n int) (number int) {
	w.t.Helper()
	kept := store.New(w.state)
	defer kept.Close()
	for range n {
		w.round++
		at := time.Now().AddDate(-1, 0, 0).UTC()
		base, proposed := fmt.Sprintf("old %d\n", w.round), fmt.Sprintf("new %d\n", w.round)
		texts := map[plan.Blob]string{plan.BlobOf(base): base, plan.BlobOf(proposed): proposed}
		p := &plan.Plan{Conversation: fmt.Sprintf("c%d", w.round), Goal: fmt.Sprintf("plan %d", w.round), State: plan.Cancelled, Created: at, Updated: at}
		p.Add(plan.Revision{
			Author: plan.AuthorModel, Created: at, Description: "Say it anew",
			Steps:      []plan.Step{{ID: "s1", Description: "do it"}},
			Operations: []plan.Operation{{ID: "o1", Step: "s1", Tool: "edit_file", Args: []byte(`{"path":"a.txt"}`), Path: "a.txt"}},
			Changes: []plan.Change{{
				Path: "a.txt", Action: plan.Update, Base: plan.BlobOf(base), Proposed: plan.BlobOf(proposed), BaseExists: true, Mode: 0o644,
				Hunks: plan.Hunks(plan.Update, base, proposed, nil), Operations: []string{"o1"},
			}},
		}, func(b plan.Blob) string { return texts[b] })
		if err := kept.CreatePlan(w.ctx, w.dir, p, texts); err != nil {
			w.t.Fatal(err)
		}
		number = p.Number
	}
	return number
}

// wholePlans counts the plans that exist, each of which must be complete.
func (w *lineWorld) wholePlans(newest int) int {
	w.t.Helper()
	kept := store.New(w.state)
	defer kept.Close()
	plans, err := kept.Plans(w.ctx, w.dir, store.Filter{})
	if err != nil {
		w.t.Fatal(err)
	}
	found := false
	for _, p := range plans {
		found = found || p.Number == newest
		if p.Latest() == nil {
			w.t.Fatalf("plan %d has no revision any more", p.Number)
		}
		for _, c := range p.Latest().Changes {
			for _, blob := range []plan.Blob{c.Base, c.Proposed} {
				if _, err := kept.Text(w.ctx, blob); err != nil {
					w.t.Fatalf("plan %d: %v", p.Number, err)
				}
			}
		}
	}
	if !found {
		w.t.Fatalf("plan %d, the newest, is gone", newest)
	}
	return len(plans)
}
