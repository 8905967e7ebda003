package board

import (
	"context"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/store"
	"redline/edits"
	"redline/workspace"
)

// boardOn returns a board of a session without an editor.
func boardOn(ws *workspace.Workspace, st *store.Store) *Board {
	s := session.New(ws, st, nil, time.Now)
	return New(s, NewPresence(s), NewBacklog(s), Hooks{ClearStaging: func(*Held) {}})
}

// newPlan returns an unstored plan with its texts, which replaces "old" by "new" in a.txt.
func newPlan(t *testing.T) (*plan.Plan, map[plan.Blob]string) {
	t.Helper()
	p := &plan.Plan{Conversation: "c1", State: plan.Drafting}
	texts := map[plan.Blob]string{plan.BlobOf("old\n"): "old\n", plan.BlobOf("new\n"): "new\n"}
	p.Add(plan.Revision{Author: plan.AuthorModel, Changes: []plan.Change{{
		Path: "a.txt", Action: plan.Update, Base: plan.BlobOf("old\n"), Proposed: plan.BlobOf("new\n"), BaseExists: true,
		Hunks: []plan.Hunk{{Old: edits.Span{End: 4}, New: edits.Span{End: 4}, Added: 1, Removed: 1}},
	}}}, func(of plan.Blob) string { return texts[of] })
	if err := p.Apply(plan.PlanCreated); err != nil {
		t.Fatal(err)
	}
	return p, texts
}

// SeekGone searches for the plan's missing files, and reports whether it found any.
func (b *Board) SeekGone(ctx context.Context, h *Held) bool {
	t := b.lock()
	g := t.gone(t.of(h))
	t.unlock()
	return b.Disk.seek(ctx, h, g)
}
