package agent

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// A fault in what runs in the background is logged and ends nothing.
func TestAFaultInTheBackgroundIsContained(t *testing.T) {
	core, logged := observer.New(zapcore.ErrorLevel)
	a := &Agent{log: zap.New(core)}
	a.spawn(func() { panic("boom") })
	<-a.work.Idle()
	entries := logged.All()
	if len(entries) != 1 || entries[0].ContextMap()["value"] != "boom" {
		t.Fatalf("logged is %+v", entries)
	}
	if stack := fmt.Sprint(entries[0].ContextMap()["stack"]); !strings.Contains(stack, "contain_internal_test.go") {
		t.Errorf("the log does not say where:\n%s", stack)
	}
}
