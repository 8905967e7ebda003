package agent_test

import (
	"slices"
	"strings"
	"testing"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
)

// A place that the model shows is reported in an event and changes nothing: it does not even count
// as the user opening the plan.
func TestWhatTheModelShows(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\n"})
	s.model.will(
		reply{calls: []model.Call{
			call("open_location", map[string]any{"path": "a.txt", "line": 2}),
			call("show_view", map[string]any{"view": "plan"}), // there is none yet
			call("set_diff_mode", map[string]any{"mode": "split"}),
		}},
		reply{calls: []model.Call{edit("a.txt", "one", "1")}},
		reply{text: "done"},
	)
	p := s.plan("where is two?")
	s.model.will(reply{calls: []model.Call{call("show_view", map[string]any{"view": "plan"})}}, reply{text: "there"})
	s.say(conversation.Message{Text: "show it", Client: "test", Conversation: p.Conversation})
	s.ed.mu.Lock()
	var location, view, mode []state.Event
	for _, e := range s.ed.events {
		switch e.Kind {
		case state.LocationAsked:
			location = append(location, e)
		case state.ViewAsked:
			view = append(view, e)
		case state.DiffModeAsked:
			mode = append(mode, e)
		}
	}
	s.ed.mu.Unlock()
	if len(location) != 1 || location[0].Path != "a.txt" || location[0].Line != 2 || location[0].URI != s.ws.URI("a.txt") || location[0].Turn == "" {
		t.Errorf("location %+v", location)
	}
	if len(view) != 1 || view[0].View != "plan" || view[0].PlanNumber != 1 || view[0].Path != ".redline/plans/0001-r1.md" {
		t.Errorf("view %+v", view)
	}
	if len(mode) != 1 || mode[0].Mode != "split" {
		t.Errorf("mode %+v", mode)
	}
	if now := s.state1(1); now.State != "awaiting_approval" || len(now.Revisions) != 1 {
		t.Errorf("plan %s, %d revisions", now.State, len(now.Revisions))
	}
	s.wantFile("a.txt", "one\ntwo\n")
}

// An editor that can show differences in one way only is not asked for the other: no request offers
// the tool, and a call of it is refused with the reason.
func TestOneWayToShowDifferences(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.ed.oneWay = true
	s.model.will(
		reply{calls: []model.Call{call("set_diff_mode", map[string]any{"mode": "split"}), call("open_location", map[string]any{"path": "a.txt"})}},
		reply{text: "No."})
	s.say(conversation.Message{Text: "show me differences side by side", Client: "test"})
	var offered []string
	for _, tool := range s.model.asked[0].Tools {
		offered = append(offered, tool.Name)
	}
	if !slices.Contains(offered, "open_location") || slices.Contains(offered, "set_diff_mode") {
		t.Errorf("it is offered %v", offered)
	}
	answer := ""
	for _, m := range s.model.asked[1].Messages {
		if strings.Contains(m.Content, "only one way") {
			answer = m.Content
		}
	}
	if !strings.HasPrefix(answer, "error: ") || len(s.events(state.DiffModeAsked)) != 0 {
		t.Errorf("the model is told %q, and %d events were sent", answer, len(s.events(state.DiffModeAsked)))
	}
}
