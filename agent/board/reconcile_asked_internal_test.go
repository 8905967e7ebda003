package board

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/view"
	"redline/workspace"
)

// An execution whose outcome could not be stored is dropped as soon as its decision ends, perhaps
// while the files that the editor has not answered for are being read.
func TestAnExecutionThatIsDroppedWhileItsFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func() {}
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: t.TempDir(), Access: func() { read() }})
	st := store.New(t.TempDir())
	defer st.Close()
	b := boardOn(ws, st)

	ctx := t.Context()
	p, texts := newPlan(t)
	h, err := b.Create(ctx, NewRevision{Plan: p, Texts: texts})
	if err != nil {
		t.Fatal(err)
	}

	tx := b.Lock(h)
	v, _, err := tx.Look(plan.Execute, view.Request{})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := view.ScopeOf(v, view.Request{Plan: 1}, plan.HunkPending)
	if err != nil {
		t.Fatal(err)
	}
	next := h.Plan().Clone()
	if err := next.Apply(plan.Execute); err != nil {
		t.Fatal(err)
	}
	approval := view.RecordDecision(h.Plan(), h.Revision(), view.Request{Plan: 1}, plan.VerdictApprove, scope.Parts, time.Now())
	x, err := tx.Begin(ctx, Intent{Verdict: plan.VerdictApprove, Parts: scope.Parts}, next, approval, plan.Execute)
	if err != nil {
		t.Fatal(err)
	}
	tx.Unlock()

	table := b.lock()
	x.waiting = true
	table.unlock()
	dropped := false
	read = func() {
		table := b.lock()
		defer table.unlock()
		dropped, table.of(h).execution = true, nil
	}
	if _, err := b.Reconciler.reconcile(ctx, h, evidence{asked: true}); err != nil {
		t.Error(err)
	}
	if !dropped {
		t.Error("no file was read")
	}
}
