package tasks

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Setting a signal twice before anyone waits wakes once.
func TestSignalWakesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s := NewSignal()
		s.Set()
		s.Set()
		if !s.Wait(ctx) {
			t.Error("a signal that was set did not end the wait")
		}
		time.AfterFunc(time.Second, s.Set)
		began := time.Now()
		if !s.Wait(ctx) || time.Since(began) != time.Second {
			t.Errorf("the second wait ended after %v", time.Since(began))
		}
		if s.Wait(ctx) {
			t.Error("a wait ended without a signal")
		}
		Pause(ctx, time.Hour) // returns because ctx is done
	})
}
