package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/state"
)

// The editor gets what the model thinks, up to a limit, and nothing else does: no trace, no
// file, no database.
func TestThoughtsAreShownAndNotKept(t *testing.T) {
	const secret = "I weigh zebras against okapis."
	s, _ := agenttest.Specialists(t, nil, func(o *agent.Options) {
		o.Model = model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: modeltest.New(
			modeltest.Stream(modeltest.Text("<think>"+secret), modeltest.Long(2*state.MaxThought, " hm"), modeltest.Text("</think>Because.")))})
	})
	s.Say(conversation.Message{Text: "/ask why?", Client: "test"})
	var thought, order strings.Builder
	for _, e := range s.Editor.Events() {
		switch {
		case e.Kind == state.ModelThinks:
			thought.WriteString(e.Text)
		case e.Kind == state.Doing && e.Text == "the model is thinking", e.Kind == state.TurnFinished:
			order.WriteString(e.Text + e.Answer + ";")
		case strings.Contains(e.Text+e.Answer, "zebras"):
			t.Errorf("an event %s has the thought too", e.Kind)
		}
	}
	if got := thought.String(); !strings.HasPrefix(got, secret) || len(got) > state.MaxThought+len("…") {
		t.Errorf("%d bytes were sent, from %.40q on", len(got), got)
	}
	if got := order.String(); got != "the model is thinking;Because.;" {
		t.Errorf("it is shown as %q", got)
	}
	s.Agent.Close() // stores everything
	for _, dir := range []string{s.Dir, s.State} {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "zebras") {
					t.Errorf("%s has the thought", filepath.Base(path))
				}
			}
			return nil
		})
	}
}
