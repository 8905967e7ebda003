package lsp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/lsp/apply"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// A refusal by the editor is reported in the command's error and in one message.
func TestRefusalIsToldOnce(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits}, lsptest.WithEvents())
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	before := len(c.Messages())
	c.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
		return lsptest.Answer{Applied: false, FailureReason: "not now"}, true
	})
	if _, err := c.approve(); err == nil || !strings.Contains(err.Error(), "not now") {
		t.Fatalf("got %v", err)
	}
	c.await(lsptest.Expect("the plan is presented as it was before", func(e *lsptest.Editor) bool {
		var event struct {
			Kind string
			Plan struct{ Files []struct{ Reason string } }
		}
		events := e.Events()
		return json.Unmarshal(events[len(events)-1], &event) == nil && event.Kind == "plan" &&
			strings.Contains(event.Plan.Files[0].Reason, "not now")
	}))
	if messages := c.Messages()[before:]; len(messages) != 1 || !strings.Contains(messages[0].Text, "not now") {
		t.Errorf("got %+v", messages)
	}
}

// An approval in the chat whose answer for one file is late is reported as a whole once the
// text shows the rest.
func TestAnApprovalInTheChatIsToldWhenItHasEnded(t *testing.T) {
	profile := lsptest.Honest()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "an apple\n")
	write(t, filepath.Join(dir, "b.txt"), "an apple\n")
	c := connectTo(t, profile, dir, Options{NewAgent: builtinAgent(t), Timeouts: Timeouts{Apply: apply.Timeouts{ApplyEdit: 50 * time.Millisecond, Verify: time.Minute}}})
	c.must(c.Open("a.txt"))
	c.must(c.Open("b.txt"))
	c.plan(`replace "apple" with "pear"`)
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	c.OnApply(func(e lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
		if e.URIs()[0] == c.URI("b.txt") {
			<-over
			return lsptest.Answer{}, true
		}
		return lsptest.Answer{}, false
	})
	if _, err := c.Execute(c.ctx, command.Chat, "/approve 1"); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.MessageContains("b.txt is applying."))
	c.must(c.Replace("b.txt", "apple", "pear"))
	c.await(lsptest.MessageContains("plan 1: 2 changes in 2 files applied. Not saved yet: a.txt, b.txt."))
}
