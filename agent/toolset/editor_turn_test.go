package toolset_test

import (
	"slices"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
)

// A place that the model shows is reported in an event and changes nothing: it does not even count
// as the user opening the plan.
func TestWhatTheModelShows(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\n"})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{
			agenttest.Call("open_location", map[string]any{"path": "a.txt", "line": 2}),
			agenttest.Call("show_view", map[string]any{"view": "plan"}), // there is none yet
			agenttest.Call("set_diff_mode", map[string]any{"mode": "split"}),
		}},
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}},
		agenttest.Reply{Text: "done"},
	)
	p := s.Plan("where is two?")
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("show_view", map[string]any{"view": "plan"})}}, agenttest.Reply{Text: "there"})
	s.Say(conversation.Message{Text: "show it", Client: "test", Conversation: p.Conversation})
	location, view, mode := s.Editor.Events(state.LocationAsked), s.Editor.Events(state.ViewAsked), s.Editor.Events(state.DiffModeAsked)
	if len(location) != 1 || location[0].Path != "a.txt" || location[0].Line != 2 || location[0].URI != s.Workspace.URI("a.txt") || location[0].Turn == "" {
		t.Errorf("location %+v", location)
	}
	if len(view) != 1 || view[0].View != "plan" || view[0].PlanNumber != 1 || view[0].Path != ".redline/plans/0001-r1.md" {
		t.Errorf("view %+v", view)
	}
	if len(mode) != 1 || mode[0].Mode != "split" {
		t.Errorf("mode %+v", mode)
	}
	if now := s.PlanNow(1); now.State != "awaiting_approval" || len(now.Revisions) != 1 {
		t.Errorf("plan %s, %d revisions", now.State, len(now.Revisions))
	}
	s.WantFile("a.txt", "one\ntwo\n")
}

// An editor that can show differences in one way only is not asked for the other: no request offers
// the tool, and a call of it is refused with the reason.
func TestOneWayToShowDifferences(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Editor.OneWay = true
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Call("set_diff_mode", map[string]any{"mode": "split"}), agenttest.Call("open_location", map[string]any{"path": "a.txt"})}},
		agenttest.Reply{Text: "No."})
	s.Say(conversation.Message{Text: "show me differences side by side", Client: "test"})
	var offered []string
	for _, tool := range s.Model.Asked()[0].Tools {
		offered = append(offered, tool.Name)
	}
	if !slices.Contains(offered, "open_location") || slices.Contains(offered, "set_diff_mode") {
		t.Errorf("it is offered %v", offered)
	}
	answer := ""
	for _, m := range s.Model.Asked()[1].Messages {
		if strings.Contains(m.Content, "only one way") {
			answer = m.Content
		}
	}
	if !strings.HasPrefix(answer, "error: ") || len(s.Editor.Events(state.DiffModeAsked)) != 0 {
		t.Errorf("the model is told %q, and %d events were sent", answer, len(s.Editor.Events(state.DiffModeAsked)))
	}
}
