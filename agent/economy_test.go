package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/tool"
	"redline/workspace/runner"
)

// firstRequest returns the names of the tools that the first request of a change has, their
// texts as they are sent, and the system prompt.
func firstRequest(t *testing.T, modelName, edits string, terminal bool) (names string, tools []json.RawMessage, system string) {
	t.Helper()
	replies, err := modeltest.Parse("text: Nothing to do.")
	if err != nil {
		t.Fatal(err)
	}
	server := modeltest.New(replies...)
	s := newSession(t, numbers)
	s.withOptions(func(o *agent.Options) {
		o.Model = model.New(model.Config{BaseURL: "http://model.test/v1", APIKey: "secret", Name: modelName, Transport: server})
		o.Turns.Edits = edits
		o.Trials = fakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome { return runner.Outcome{} })
	})
	s.ed.terminal = terminal
	s.say(conversation.Message{Text: "use figures", Client: "test"})
	var body struct {
		Messages []struct{ Content string }
		Tools    []json.RawMessage
	}
	if err := json.Unmarshal(server.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, raw := range body.Tools {
		var one struct{ Function struct{ Name string } }
		if err := json.Unmarshal(raw, &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one.Function.Name)
	}
	return strings.Join(all, " "), body.Tools, body.Messages[0].Content
}

// TestFirstRequestCosts holds what each request costs on the command line before anything is
// said. docs/prompts.md has the figures.
func TestFirstRequestCosts(t *testing.T) {
	const most = 3000 // tokens, of four bytes each
	for _, name := range []string{"scripted", "claude-sonnet-4-5", "gpt-5.2"} {
		names, tools, system := firstRequest(t, name, "", true)
		size := len(system)
		for _, one := range tools {
			size += len(one)
		}
		if !strings.Contains(names, "try_command") {
			t.Errorf("%s is not offered try_command, so this measures too little: %s", name, names)
		}
		if size/4 > most {
			t.Errorf("%s gets %d tokens of tools and system prompt, want at most %d: %s", name, size/4, most, names)
		}
		t.Logf("%s: %d tokens of tools, %d of the system prompt", name, (size-len(system))/4, len(system)/4)
	}
}

// A model is offered the way to edit that it knows best, or the one that the user names, and
// what an editor shows only where there is one.
func TestWhichToolsAreOffered(t *testing.T) {
	const text, patch, commands = "edit_file write_file delete_file rename_file", "apply_patch", "delete_file rename_file text_editor"
	for _, c := range []struct {
		model, edits string
		terminal     bool
		editing      string
	}{
		{"scripted", "", true, text},
		{"scripted", tool.EditsAuto, false, text},
		{"qwen3-coder", "", true, text},
		{"gpt-4o", "", true, text},
		{"anthropic/claude-opus-4.5", "", true, commands},
		{"openai/gpt-4.1-mini", "", true, patch},
		{"gpt-5-codex", "", true, patch},
		{"claude-opus-4.5", tool.EditsByText, true, text},
		{"scripted", tool.EditsByPatch, true, patch},
		{"scripted", tool.EditsByCommands, true, commands},
		{"scripted", tool.EditsAll, true, "edit_file apply_patch write_file delete_file rename_file text_editor"},
	} {
		names, _, _ := firstRequest(t, c.model, c.edits, c.terminal)
		editor := strings.Contains(names, "open_location show_view set_diff_mode ")
		if !strings.Contains(names, "submit_plan "+c.editing+" run_command") || editor == c.terminal {
			t.Errorf("%+v is offered %s", c, names)
		}
	}
}

// What is not offered to save tokens is honoured when a model calls it; what is outside the
// turn's scope is not.
func TestToolsThatAreNotOfferedAreHonoured(t *testing.T) {
	s := newSession(t, numbers)
	s.ed.terminal = true
	s.model.will(
		reply{calls: []model.Call{{Name: "apply_patch", Arguments: `{"patch":"*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n"}`}}},
		reply{calls: []model.Call{{Name: "str_replace_based_edit_tool", Arguments: `{"command":"str_replace","path":"b.txt","old_str":"two","new_str":"2"}`}}},
		reply{calls: []model.Call{{Name: "open_location", Arguments: `{"path":"a.txt","line":1}`}}},
		reply{text: "Done."})
	s.plan("use figures")
	for i, want := range []string{"staged: ", "staged: ", "error: there is no editor that could show it"} {
		messages := s.model.asked[i+1].Messages
		if got := messages[len(messages)-1].Content; !strings.HasPrefix(got, want) {
			t.Errorf("call %d answers %s", i+1, got)
		}
	}
	s.model.will(reply{calls: []model.Call{{Name: "apply_patch", Arguments: `{"patch":"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"}`}}}, reply{text: "It says one."})
	s.say(conversation.Message{Text: "/ask what is in a.txt?", Client: "test"})
	if got := s.answered(); !strings.HasPrefix(got, `error: there is no tool "apply_patch"`) {
		t.Errorf("a question may write: %s", got)
	}
}
