package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/agent/state"
	"redline/lsp/lsptest"
)

// The approval names the turn that runs the commands, their output arrives as events, and
// one message reports how they ended.
func TestCommandsAreFollowed(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits}, lsptest.WithEvents())
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear" then run echo out; echo err >&2; exit 3`)
	raw, err := c.Execute(c.ctx, "redline.approve", map[string]any{"plan": 1, "allowCommands": true})
	if err != nil {
		t.Fatal(err)
	}
	var r state.Result
	if err := json.Unmarshal(raw, &r); err != nil || r.Turn == "" || len(r.Files) != 1 || r.Files[0].Status != "applied" || len(r.Commands) != 1 {
		t.Fatalf("%v %s", err, raw)
	}
	c.await(lsptest.MessageContains("waits until you have saved a.txt"))
	c.await(lsptest.Expect("the progress says what the command waits for", func(e *lsptest.Editor) bool {
		return slices.ContainsFunc(e.Progress(), func(p lsptest.Progress) bool {
			return strings.HasPrefix(p.Message, "save a.txt to run `echo out")
		})
	}))
	c.must(c.Save("a.txt"))
	c.await(lsptest.MessageContains("exit code 3"))
	printed := map[string]string{}
	var last state.Plan
	for _, raw := range c.Events() {
		var e struct {
			Kind, ID, Stream, Text, Turn string
			Plan                         json.RawMessage
		}
		c.must(json.Unmarshal(raw, &e))
		switch {
		case e.Kind == "command" && e.ID == "o3" && e.Turn == r.Turn:
			printed[e.Stream] += e.Text
		case e.Kind == "plan":
			c.must(json.Unmarshal(e.Plan, &last))
		}
	}
	if diff := cmp.Diff(map[string]string{"stdout": "out\n", "stderr": "err\n"}, printed); diff != "" {
		t.Error(diff)
	}
	if got := last.Commands[0]; last.State != "failed" || got.Status != "failed" || *got.ExitCode != 3 || !strings.Contains(got.Output, "out\n") {
		t.Errorf("%s, %+v", last.State, got)
	}
}

// A cancelled turn ends its command within half a second, if the machine allows it.
func TestCancellingACommand(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits}, lsptest.WithEvents())
	c.plan(`run echo begun; sleep 1000`)
	raw, err := c.Execute(c.ctx, "redline.approve", map[string]any{"plan": 1, "operation": "o1"})
	if err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.Expect("the command has begun", func(e *lsptest.Editor) bool {
		for _, raw := range e.Events() {
			if strings.Contains(string(raw), `"text":"begun\n"`) {
				return true
			}
		}
		return false
	}))
	var r state.Result
	c.must(json.Unmarshal(raw, &r))
	began := time.Now()
	if _, err := c.Execute(c.ctx, "redline.cancel", map[string]any{"turn": r.Turn}); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.MessageContains("the turn was cancelled"))
	t.Logf("it took %s", time.Since(began))
}
