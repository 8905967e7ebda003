package tasks

import (
	"testing"
	"testing/synctest"
	"time"
)

// Wait also waits for work that begins while it waits.
func TestWaitCountsWhatBeginsMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group
		over := false
		g.Go(func() {
			time.Sleep(time.Second)
			g.Go(func() {
				time.Sleep(time.Second)
				over = true
			})
		})
		if !g.Wait(time.Minute) || !over {
			t.Errorf("the wait ended before the work: over is %v", over)
		}
	})
}

// A wait has a timeout, and can be repeated.
func TestWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group
		if !g.Wait(0) {
			t.Error("something runs before anything has begun")
		}
		done := g.Begin()
		began := time.Now()
		if g.Wait(2*time.Second) || time.Since(began) != 2*time.Second {
			t.Errorf("the wait ended after %v", time.Since(began))
		}
		done()
		if !g.Wait(time.Second) {
			t.Error("what has ended is still waited for")
		}
	})
}

// Several goroutines may wait for the same work.
func TestSeveralWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group
		done := g.Begin()
		answers := make(chan bool, 3)
		for range cap(answers) {
			go func() { answers <- g.Wait(time.Hour) }()
		}
		synctest.Wait()
		done()
		for range cap(answers) {
			if !<-answers {
				t.Error("one of them was not told")
			}
		}
	})
}
