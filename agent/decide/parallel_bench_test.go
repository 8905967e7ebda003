package decide_test

import (
	"fmt"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/store"
	"redline/agent/view"
	"redline/workspace"
)

// Measures two independent commands of a second each, from the approval to their end.
func BenchmarkTwoCommands(b *testing.B) {
	for parallel := 1; parallel <= 2; parallel++ {
		b.Run(fmt.Sprintf("parallel=%d", parallel), func(b *testing.B) {
			dir, s := b.TempDir(), store.New(b.TempDir())
			ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{})
			a := agent.New(agent.Options{Workspace: ws, Store: s, Model: &agenttest.Script{}, Commands: decide.ExecutorOptions{Parallel: parallel}})
			a.Session.Attach(&sessiontest.Editor{Disk: workspace.NewDisk(ws)})
			b.Cleanup(func() { a.Close(); s.Close() })
			for n := 1; b.Loop(); n++ {
				r := plan.Revision{Author: plan.AuthorModel, Steps: []plan.Step{{ID: "s1", Description: "wait", Parallel: true}}}
				for _, id := range []string{"o1", "o2"} {
					r.Operations = append(r.Operations, plan.Operation{ID: id, Step: "s1", Tool: "run_command", Args: []byte(`{"command":"sleep 1"}`), Command: "sleep 1"})
				}
				p := &plan.Plan{Conversation: "c1", Goal: "wait", State: plan.AwaitingApproval}
				p.Add(r, func(plan.Blob) string { return "" })
				if err := s.CreatePlan(b.Context(), dir, p, nil); err != nil {
					b.Fatal(err)
				}
				approved, err := a.Approve(b.Context(), view.Request{Plan: p.Number, AllowCommands: true})
				if err == nil {
					_, err = a.Conversations.Wait(b.Context(), approved.Turn)
				}
				if err != nil {
					b.Fatal(err)
				}
				if now, err := a.Board.PlanState(b.Context(), p.Number); err != nil || now.State != "completed" {
					b.Fatalf("the plan is %s: %v", now.State, err)
				}
			}
		})
	}
}
