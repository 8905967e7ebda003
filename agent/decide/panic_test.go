package decide_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"redline/agent/view"
)

// A panic while a decision is checked leaves the plan unlocked, wherever it happens.
func TestAPlanIsUnlockedAfterAPanic(t *testing.T) {
	reached := 0
	for n := 1; n <= 12; n++ {
		t.Run(fmt.Sprint("at look ", n, " at the disk"), func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "one\n"})
			p := s.Plan("count", edit("a.txt", "one\n", "1\n"))
			var looks atomic.Int64 // the edits are made by another goroutine
			s.OnDisk = func() {
				if looks.Add(1) == int64(n) {
					panic("at the disk")
				}
			}
			panicked := false
			func() {
				defer func() { panicked = recover() != nil }()
				_, _ = s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
			}()
			looks.Store(100) // no further panic
			if !panicked {
				return // it was contained, or so often nothing looks at the disk
			}
			reached++
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, _ = s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
			}()
			select {
			case <-done:
			case <-time.After(3 * time.Minute):
				t.Error("the plan stays locked")
			}
		})
	}
	if reached == 0 {
		t.Error("no panic reached the caller: the test shows nothing")
	}
}
