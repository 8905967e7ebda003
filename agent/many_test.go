package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

const (
	manyServers = 4
	manyPlans   = 50 // of each
)

// Four servers make fifty plans each in one store, and all of them approve every plan at once. Each
// file is changed once, and every acknowledged decision is in the store.
func TestManyServersOnOneStore(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var mu sync.Mutex
	asked := map[string]int{}
	for i := range manyServers * manyPlans {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d.txt", i)), []byte("one\ntwo\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var servers []*agent.Agent
	for i := range manyServers {
		ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: state})
		kept := store.New(state)
		said := &agenttest.Script{}
		for k := range manyPlans {
			// A second approval would make the file grow again.
			said.Stages(agenttest.Edit(fmt.Sprintf("f%03d.txt", i*manyPlans+k), "one\n", "one\none\n"))
		}
		a := agent.New(agent.Options{Workspace: ws, Store: kept, Model: said})
		a.Session.Attach(&sessiontest.Editor{Disk: workspace.NewDisk(ws), OnApply: func(c edits.Change) (edits.Applied, bool) {
			mu.Lock()
			defer mu.Unlock()
			asked[c.Path]++
			return edits.Applied{}, false // the disk applies it
		}})
		t.Cleanup(func() { a.Close(); kept.Close() })
		servers = append(servers, a)
	}

	var work sync.WaitGroup
	for i, a := range servers {
		work.Go(func() {
			for k := range manyPlans {
				id, _, err := a.Turns.Send(conversation.Message{Text: fmt.Sprintf("plan %d of %d", k, i), New: true})
				if err != nil {
					t.Error(err)
					return
				}
				if s, err := a.Conversations.Wait(ctx, id); err != nil || s.State != "done" || a.Conversations.PlanOf(id) == 0 {
					t.Errorf("a turn came to %+v, %v", s, err)
					return
				}
			}
		})
	}
	work.Wait()
	if t.Failed() {
		return
	}

	approved := make([]int, manyServers*manyPlans+1) // number of acknowledgements
	for i, a := range servers {
		work.Go(func() {
			for k := range manyServers * manyPlans {
				n := k + 1
				if i%2 == 1 { // two servers start at the other end
					n = manyServers*manyPlans - k
				}
				r, err := a.Approve(ctx, view.Request{Plan: n})
				var refused *plan.Refusal
				switch {
				case err == nil && r.State == "completed":
					mu.Lock()
					approved[n]++
					mu.Unlock()
				case errors.As(err, &refused) && slices.Contains([]plan.RefusalKind{plan.Busy, plan.WrongState}, refused.Kind):
				default:
					t.Errorf("plan %d: %+v, %v", n, r, err)
				}
			}
		})
	}
	work.Wait()

	kept := store.New(state)
	defer kept.Close()
	for n := 1; n <= manyServers*manyPlans; n++ {
		p, err := kept.Plan(ctx, dir, n)
		if err != nil {
			t.Fatal(err)
		}
		path := p.Latest().Changes[0].Path
		data, err := os.ReadFile(filepath.Join(dir, path))
		if want := "one\none\ntwo\n"; err != nil || string(data) != want || asked[path] != 1 || approved[n] != 1 {
			t.Errorf("plan %d: %s is %q, was asked for %d times, and approved %d times (%v)", n, path, data, asked[path], approved[n], err)
		}
		decisions, err := kept.Decisions(ctx, dir, n)
		if err != nil || len(decisions) != 1 || decisions[0].Verdict != plan.VerdictApprove {
			t.Errorf("plan %d has the decisions %+v, %v", n, decisions, err)
		}
		if p.State != plan.Completed || p.Version != 3 { // created, started, finished
			t.Errorf("plan %d is %s, version %d", n, p.State, p.Version)
		}
	}
	if left, err := kept.Unfinished(ctx, dir); err != nil || len(left) != 0 {
		t.Errorf("unfinished executions: %+v, %v", left, err)
	}
	temps, err := filepath.Glob(filepath.Join(dir, "f*"))
	if err != nil || len(temps) != manyServers*manyPlans {
		t.Errorf("the folder has %s, %v", strings.Join(temps, " "), err)
	}
}
