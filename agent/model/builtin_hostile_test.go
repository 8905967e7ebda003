package model_test

import (
	"testing"

	"redline/agent/model"
)

// endsWith reports whether a turn ends with an answer if the tools give these answers in turn, to
// any call.
func endsWith(t *testing.T, request string, answers []string) bool {
	ask := model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: request}}}
	for _, name := range all {
		ask.Tools = append(ask.Tools, model.Tool{Name: name})
	}
	p := model.New(model.Config{})
	n := 0
	for range 50 {
		reply, err := p.Complete(t.Context(), ask, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(reply.Calls) == 0 {
			return reply.Text != ""
		}
		ask.Messages = append(ask.Messages, model.Message{Role: model.RoleAssistant, Calls: reply.Calls})
		for _, c := range reply.Calls {
			answer := ""
			if len(answers) > 0 {
				answer = answers[n%len(answers)]
				n++
			}
			ask.Messages = append(ask.Messages, model.Message{Role: model.RoleTool, CallID: c.ID, Content: answer})
		}
	}
	return false
}

// If a conversation was shortened without the model's knowledge, the model does not guess.
func TestLostThread(t *testing.T) {
	ask := model.Request{
		Messages: []model.Message{
			{Role: model.RoleUser, Content: "rename a to b"},
			{Role: model.RoleAssistant, Calls: []model.Call{{ID: "1", Name: "read_file", Arguments: `{"path":"x"}`}}},
			{Role: model.RoleTool, CallID: "1", Content: "a"},
		},
		Tools: []model.Tool{{Name: "search"}, {Name: "read_file"}, {Name: "edit_file"}},
	}
	reply, err := model.New(model.Config{}).Complete(t.Context(), ask, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "I lost the thread: what the tools answered before is not in the conversation any more. Ask for less at a time."; reply.Text != want {
		t.Errorf("answered %q", reply.Text)
	}
}
