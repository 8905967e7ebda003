package store_test

import (
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/store"
)

// An execution is alive while the store that began it, and its process, are; another store
// can tell.
func TestAnExecutionIsAliveUntilItsStoreIsNot(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	mine, other := store.New(dir), store.New(dir)
	defer other.Close()
	p := &plan.Plan{Goal: "g", State: plan.Executing, Created: time.Now(), Updated: time.Now()}
	p.Add(plan.Revision{Author: plan.AuthorModel, Created: time.Now()}, func(plan.Blob) string { return "" })
	if err := mine.CreatePlan(ctx, "/w", p, nil); err != nil {
		t.Fatal(err)
	}
	begin := func() int64 {
		id, err := mine.Begin(ctx, "/w", p, &plan.Decision{Plan: 1, Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictApprove, At: time.Now()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !other.Alive(id) || !mine.Alive(id) {
			t.Error("an execution that was just begun is not alive")
		}
		return id
	}
	first := begin()
	if err := mine.Finish(ctx, "/w", p, first, true); err != nil || !other.Alive(first) {
		t.Errorf("an execution that waits for the text is not alive (%v)", err)
	}
	if err := mine.Finish(ctx, "/w", p, first, false); err != nil || other.Alive(first) {
		t.Errorf("a finished execution is alive (%v)", err)
	}
	second := begin()
	mine.Close()
	if other.Alive(second) {
		t.Error("the execution of a store that is gone is alive")
	}
}
