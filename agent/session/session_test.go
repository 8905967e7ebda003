package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"redline/agent/session"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
	"redline/workspace"
)

// A fault in what runs in the background is logged and ends nothing.
func TestAFaultInTheBackgroundIsContained(t *testing.T) {
	core, logged := observer.New(zapcore.ErrorLevel)
	s := session.New(nil, nil, zap.New(core), nil)
	s.Spawn(func() { panic("boom") })
	if !s.Wait(time.Minute) {
		t.Fatal("the work did not end")
	}
	entries := logged.All()
	if len(entries) != 1 || entries[0].ContextMap()["value"] != "boom" {
		t.Fatalf("logged is %+v", entries)
	}
	if stack := fmt.Sprint(entries[0].ContextMap()["stack"]); !strings.Contains(stack, "session_test.go") {
		t.Errorf("the log does not say where:\n%s", stack)
	}
}

// A panic becomes an error that says nothing of its value, and other errors stay.
func TestContain(t *testing.T) {
	core, logged := observer.New(zapcore.ErrorLevel)
	s := session.New(nil, nil, zap.New(core), nil)
	err := session.Contain(func() error { panic("boom") })
	if err == nil || strings.Contains(err.Error(), "boom") || !s.LogPanic("it failed", fmt.Errorf("a turn: %w", err)) || logged.Len() != 1 {
		t.Errorf("got %v, logged %+v", err, logged.All())
	}
	other := errors.New("no fault")
	if got := session.Contain(func() error { return other }); got != other || s.LogPanic("it failed", got) {
		t.Errorf("got %v", got)
	}
}

// Observers get an event before the editor does, and not those for the editor alone.
func TestNotify(t *testing.T) {
	s := sessiontest.New(t, "")
	var seen []string
	s.Observe(func(e state.Event) {
		seen = append(seen, fmt.Sprint(e.Text, len(s.Editor.Events())))
	})
	s.NotifyOnly(state.Event{Text: "a"})
	s.Notify(state.Event{Text: "b"})
	if got := len(s.Editor.Events()); got != 2 || !slices.Equal(seen, []string{"b1"}) {
		t.Errorf("the editor got %d events, the observer %q", got, seen)
	}
	session.New(nil, nil, nil, nil).Notify(state.Event{Text: "no editor"})
}

// What happens every so often ends with the session.
func TestEveryEndsWithTheSession(t *testing.T) {
	s := session.New(nil, nil, nil, nil)
	calls := make(chan int, 1)
	s.Spawn(func() {
		n := 0
		s.Every(context.Background(), time.Nanosecond, func() {
			if n++; n == 3 {
				calls <- n
				s.Stop()
			}
		})
	})
	if <-calls; !s.Wait(time.Minute) || !s.Over() {
		t.Error("it goes on")
	}
}

// One of many callers gives a notice first.
func TestFirst(t *testing.T) {
	s := session.New(nil, nil, nil, nil)
	var first atomic.Int32
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if s.First("notice") {
				first.Add(1)
			}
		})
	}
	all.Wait()
	if first.Load() != 1 || !s.First("another") {
		t.Errorf("%d were first", first.Load())
	}
}

func TestKey(t *testing.T) {
	s := sessiontest.New(t, "")
	none := session.New(workspace.New(nil, workspace.Options{}), nil, nil, nil)
	if s.Key() != s.Workspace.Folders()[0].Dir || none.Key() != "" {
		t.Errorf("the keys are %q and %q", s.Key(), none.Key())
	}
	if a, b := session.NewID("c"), session.NewID("c"); a == b || !strings.HasPrefix(a, "c") {
		t.Errorf("the ids are %q and %q", a, b)
	}
}
