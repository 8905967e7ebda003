package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"redline/lsp/lsptest"
)

// A refusal by the editor is told in the command's error and in one message.
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
