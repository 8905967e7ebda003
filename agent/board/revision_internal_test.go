package board

import (
	"context"
	"runtime"
	"testing"

	"redline/agent/store"
	"redline/workspace"
)

// A plan that is stored is held, though its turn is cancelled in this moment: who is told that it
// failed would store it once more.
func TestAPlanIsHeldOnceItIsStored(t *testing.T) {
	dir := t.TempDir()
	st := store.New(t.TempDir())
	defer st.Close()
	b := boardOn(workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: t.TempDir()}), st)
	p, texts := newPlan(t)

	tx := b.lockNumber(1) // Create waits for it after it has stored the plan
	ctx, cancel := context.WithCancel(t.Context())
	created := make(chan error, 1)
	go func() {
		_, err := b.Create(ctx, NewRevision{Plan: p, Texts: texts})
		created <- err
	}()
	for {
		if _, err := st.Plan(t.Context(), b.session.Key(), 1); err == nil {
			break
		}
		runtime.Gosched()
	}
	cancel()
	tx.Unlock()
	if err := <-created; err != nil {
		t.Error(err)
	}
	if b.Held(1) == nil {
		t.Error("the plan is not held")
	}
}
