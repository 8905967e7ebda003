package board

import (
	"context"
	"runtime"
	"testing"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/workspace"
)

// A stored plan is held even if its turn is cancelled at that moment: a caller who sees a failure
// would store it again.
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

// A user's revision leaves it to the turn whether more is added to the plan: the turn may end
// while the revision is stored.
func TestAUsersRevisionDoesNotSayWhatATurnDoes(t *testing.T) {
	st := store.New(t.TempDir())
	defer st.Close()
	b := boardOn(workspace.New([]workspace.Folder{{Name: "ws", Dir: t.TempDir()}}, workspace.Options{StateDir: t.TempDir()}), st)
	p, texts := newPlan(t)
	h, err := b.Create(t.Context(), NewRevision{Plan: p, Texts: texts, Staging: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, adds := range []bool{true, false} {
		b.SetStaging(h, adds)
		tx := b.Lock(h)
		next, again := h.Plan().Clone(), *h.Revision()
		again.Author = plan.AuthorUser
		if err := AppendRevision(t.Context(), b, next, again, texts); err != nil {
			t.Fatal(err)
		}
		if h, err = tx.Revise(t.Context(), NewRevision{Plan: next, Texts: texts}); err != nil {
			t.Fatal(err)
		}
		if tx.Staging() != adds {
			t.Errorf("the turn adds more: %t, want %t", tx.Staging(), adds)
		}
		tx.Unlock()
	}
}
