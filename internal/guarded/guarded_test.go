package guarded_test

import (
	"sync"
	"testing"

	"redline/internal/guarded"
)

func TestAValueIsChangedByOneAtATime(t *testing.T) {
	var lock guarded.Lock
	sum := guarded.New(1)
	var all sync.WaitGroup
	const n = 100
	for range n {
		all.Go(func() {
			h := lock.Lock()
			defer h.Unlock()
			*sum.Open(h)++
		})
	}
	all.Wait()
	h := lock.Lock()
	defer h.Unlock()
	if got := *sum.Open(h); got != n+1 {
		t.Errorf("the sum is %d, want %d", got, n+1)
	}
}

func TestAValueStaysClosedWithoutTheLock(t *testing.T) {
	var v guarded.Value[int]
	defer func() {
		if recover() == nil {
			t.Error("the value was opened")
		}
	}()
	v.Open(guarded.Held{})
}
