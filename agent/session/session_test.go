package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"redline/agent/session"
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
