package agent_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/tool"
	"redline/agent/tool/tooltest"
	"redline/agent/view"
	"redline/workspace/runner"
)

// offeredIn returns the tools of a request, as they are sent, and its system prompt.
type offeredIn struct {
	names  string
	tools  []json.RawMessage
	system string
}

// size returns their approximate number of tokens.
func (o offeredIn) size() int {
	size := len(o.system)
	for _, one := range o.tools {
		size += len(one)
	}
	return size / 4
}

// requestsOf returns the first request of a change, in a repository and with trials, and that of a
// rework after a part of the plan was applied: no request has more tools.
func requestsOf(t *testing.T, modelName, edits string, terminal bool, change ...func(*agenttest.Session)) (first, rework offeredIn) {
	t.Helper()
	replies, err := modeltest.Parse("call: write_file {\"path\":\"d.txt\",\"content\":\"four\\n\"}\ncall: write_file {\"path\":\"e.txt\",\"content\":\"five\\n\"}\n---\ntext: Done.\n---\ntext: Nothing to do.")
	if err != nil {
		t.Fatal(err)
	}
	server := modeltest.New(replies...)
	s := agenttest.New(t, agenttest.Numbers)
	s.CommitAll()
	s.With(func(o *agent.Options) {
		o.Model = model.New(model.Config{BaseURL: "http://model.test/v1", APIKey: "secret", Name: modelName, Transport: server})
		o.Turns.Edits = edits
		o.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome { return runner.Outcome{} })
	})
	s.Editor.Terminal = terminal
	for _, f := range change {
		f(s)
	}
	s.Plan("use figures")
	if _, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: s.PlanNow(1).Hash, Paths: []string{"d.txt"}}); err != nil {
		t.Fatal(err)
	}
	s.Say(conversation.Message{Text: "use other figures", Client: "test"})
	all := server.Requests()
	return parseOffered(t, all[0].Body), parseOffered(t, all[2].Body)
}

func parseOffered(t *testing.T, raw []byte) offeredIn {
	t.Helper()
	var body struct {
		Messages []struct{ Content string }
		Tools    []json.RawMessage
	}
	if err := json.Unmarshal(raw, &body); err != nil {
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
	return offeredIn{strings.Join(all, " "), body.Tools, body.Messages[0].Content}
}

// TestRequestsCost checks the size of each request on the command line before any message.
// docs/reference/prompts.md has the figures.
func TestRequestsCost(t *testing.T) {
	const most = 3000 // tokens, of four bytes each
	for _, name := range []string{"scripted", "claude-sonnet-4-5", "gpt-5.2"} {
		first, rework := requestsOf(t, name, "", true)
		for _, o := range []offeredIn{first, rework} {
			if o.size() > most {
				t.Errorf("%s gets %d tokens of tools and system prompt, want at most %d: %s", name, o.size(), most, o.names)
			}
		}
		for _, want := range []string{"git_diff", "try_command", "unstage", "revert"} {
			if !strings.Contains(rework.names, want) {
				t.Errorf("%s is not offered %s, so this measures too little: %s", name, want, rework.names)
			}
		}
		t.Logf("%s: %d tokens in the first request, %d of them the system prompt; %d in a rework", name, first.size(), len(first.system)/4, rework.size())
	}
}

// TestLanguageServersCost checks how much larger a request is where a language server answers, and that it is
// no larger where none does.
func TestLanguageServersCost(t *testing.T) {
	answers := func(s *agenttest.Session) { s.Agent.Turns.Languages = &tooltest.Languages{Workspace: s.Workspace} }
	none := func(s *agenttest.Session) { s.Agent.Turns.Languages = silent{} }
	for _, name := range []string{"scripted", "claude-sonnet-4-5", "gpt-5.2"} {
		without, _ := requestsOf(t, name, "", true)
		with, rework := requestsOf(t, name, "", true, answers)
		silent, _ := requestsOf(t, name, "", true, none)
		if more := with.size() - without.size(); more > 270 || !strings.Contains(with.names, "references definition rename_symbol") {
			t.Errorf("%s gets %d tokens more, want at most 270: %s", name, more, with.names)
		}
		if silent.size() != without.size() || silent.names != without.names {
			t.Errorf("%s gets %s without an answering server", name, silent.names)
		}
		if rework.size() > 3270 {
			t.Errorf("%s gets %d tokens of tools and system prompt in a rework", name, rework.size())
		}
		t.Logf("%s: %d tokens, and %d more with a language server; %d in a rework", name, without.size(), with.size()-without.size(), rework.size())
	}
}

// silent is a language server that answers for no file.
type silent struct{ tool.Languages }

func (silent) Answers(string) bool { return false }

func (silent) Prepare([]string) {}

// A request offers the edit tool that its model knows best, or the one that the user names. It
// offers the tool that shows something in an editor only if there is an editor.
func TestWhichToolsAreOffered(t *testing.T) {
	const text, patch, commands = "edit_file write_file delete_file rename_file", "edit_file apply_patch", "edit_file delete_file rename_file text_editor"
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
		first, _ := requestsOf(t, c.model, c.edits, c.terminal)
		names := first.names
		editor := strings.Contains(names, "open_location show_view set_diff_mode ")
		if !strings.Contains(names, "submit_plan "+c.editing+" run_command") || editor == c.terminal {
			t.Errorf("%+v is offered %s", c, names)
		}
	}
}

// A model that edits by patches or commands is also offered a small edit_file, to replace a text
// everywhere, and the system prompt says when. One such call does what a patch does in many lines.
func TestReplacingEverywhereIsOffered(t *testing.T) {
	for _, name := range []string{"gpt-5.2", "claude-sonnet-4-5", "scripted"} {
		first, _ := requestsOf(t, name, "", true)
		if !strings.Contains(strings.Join(strings.Fields(first.system), " "), "`edit_file` with `replace_all`") {
			t.Errorf("the system prompt of %s says nothing of it", name)
		}
		i := slices.IndexFunc(first.tools, func(raw json.RawMessage) bool { return strings.Contains(string(raw), `"name":"edit_file"`) })
		if i < 0 {
			t.Errorf("%s is not offered edit_file", name)
			continue
		}
		text, small := string(first.tools[i]), name != "scripted"
		if !strings.Contains(text, `"replace_all"`) || small != strings.Contains(text, "replacement of a text everywhere in a file") || small && len(text) > 480 {
			t.Errorf("%s is offered %d bytes: %s", name, len(text), text)
		}
	}
	s := agenttest.New(t, map[string]string{"a.go": strings.Repeat("var _ = oldName\n", 57)})
	s.With(func(o *agent.Options) { o.Turns.Edits = tool.EditsByPatch })
	s.Model.Will(agenttest.Reply{Calls: []model.Call{{Name: "edit_file", Arguments: `{"path":"a.go","old_string":"oldName","new_string":"newName","replace_all":true}`}}}, agenttest.Reply{Text: "Done."})
	s.Plan("rename oldName to newName")
	if p := s.PlanNow(1); len(p.Files) != 1 || p.Files[0].Added != 57 {
		t.Errorf("the plan has %+v", p.Files)
	}
}

// A tool that was left out only to save tokens works when a model calls it; a tool outside the
// turn's scope does not.
func TestToolsThatAreNotOfferedAreHonoured(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.Editor.Terminal = true
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{{Name: "apply_patch", Arguments: `{"patch":"*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n"}`}}},
		agenttest.Reply{Calls: []model.Call{{Name: "str_replace_based_edit_tool", Arguments: `{"command":"str_replace","path":"b.txt","old_str":"two","new_str":"2"}`}}},
		agenttest.Reply{Calls: []model.Call{{Name: "open_location", Arguments: `{"path":"a.txt","line":1}`}}},
		agenttest.Reply{Text: "Done."})
	s.Plan("use figures")
	for i, want := range []string{"staged: ", "staged: ", "error: there is no editor that could show it"} {
		messages := s.Model.Asked()[i+1].Messages
		if got := messages[len(messages)-1].Content; !strings.HasPrefix(got, want) {
			t.Errorf("call %d answers %s", i+1, got)
		}
	}
	s.Model.Will(agenttest.Reply{Calls: []model.Call{{Name: "apply_patch", Arguments: `{"patch":"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"}`}}}, agenttest.Reply{Text: "It says one."})
	s.Say(conversation.Message{Text: "/ask what is in a.txt?", Client: "test"})
	if got := s.LastMessage(); !strings.HasPrefix(got, `error: there is no tool "apply_patch"`) {
		t.Errorf("a question may write: %s", got)
	}
}

// The requests of a conversation begin with the same text, whatever a turn does, so that a provider
// can cache it.
func TestRequestsBeginTheSame(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.With(func(o *agent.Options) {
		o.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome { return runner.Outcome{} })
	})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("b.txt", "two", "2"))
	s.Plan("use figures")
	first := s.Model.Asked()[0]
	if _, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: s.PlanNow(1).Hash, Paths: []string{"a.txt"}}); err != nil {
		t.Fatal(err)
	}
	s.Model.Stages(agenttest.Edit("b.txt", "2", "II"))
	s.Say(conversation.Message{Text: "other figures", Client: "test"})
	later := s.LastRequest()
	if got := first.Messages[0]; !reflect.DeepEqual(got, later.Messages[0]) {
		t.Errorf("the system prompt was\n%s\nand is\n%s", got.Content, later.Messages[0].Content)
	}
	offered := func(r model.Request) (names []string) {
		for _, t := range r.Tools {
			names = append(names, t.Name)
		}
		return names
	}
	before, now := offered(first), offered(later)
	if len(now) != len(before)+2 || !slices.Equal(now, append(slices.Clip(before), "unstage", "revert")) {
		t.Errorf("the tools were %s, and are %s", before, now)
	}
	if got := later.Messages[1].Content; got != "use figures" {
		t.Errorf("what follows is %q, not what was said", got)
	}
}

// Where several specialists work, each has only the tools for its kind of work, and its instructions
// mention no others.
func TestSpecialistsCost(t *testing.T) {
	const read, edit, ask = "read_file list_files search outline ", "edit_file write_file delete_file rename_file ", "ask_user"
	const git, tries = "git_log git_diff git_blame ", "try_command "
	const command = "run_command " + tries
	for _, c := range []struct {
		who, tools string
		most       int // tokens, of four bytes each
	}{
		{"general", read + git + edit + command + ask, 2300},
		{"code", read + edit + tries + ask, 1700},
		{"tests", read + edit + tries + ask, 1700},
		{"docs", read + edit + tries + ask, 1700},
		{"agents", read + edit + ask, 2000},
		{"run", read + command + ask, 1400},
		{"review", read + git + ask, 1400},
	} {
		replies, err := modeltest.Parse(`text: {"priorityOrder":["` + c.who + `","review"],"refinedTask":"Use figures."}` + "\n---\ntext: Nothing to do.\n---\ntext: Fine.")
		if err != nil {
			t.Fatal(err)
		}
		server := modeltest.New(replies...)
		s := agenttest.New(t, agenttest.Numbers)
		s.CommitAll()
		s.With(func(o *agent.Options) {
			o.Model = model.New(model.Config{BaseURL: "http://model.test/v1", APIKey: "secret", Name: "scripted", Transport: server})
			o.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome { return runner.Outcome{} })
		})
		s.Editor.Terminal = true
		s.Say(conversation.Message{Text: "use figures", Client: "test", Mode: "heap"})
		o := parseOffered(t, server.Requests()[1].Body)
		if o.names != c.tools {
			t.Errorf("%s is offered %s, want %s", c.who, o.names, c.tools)
		}
		if o.size() > c.most {
			t.Errorf("%s gets %d tokens of tools and system prompt, want at most %d", c.who, o.size(), c.most)
		}
		for name, words := range map[string]string{"edit_file": "you stage edits", "run_command": "runs after the user approves", "": "cannot change anything"} {
			want := strings.Contains(c.tools, name)
			if name == "" {
				want = !strings.Contains(c.tools, "edit_file") && !strings.Contains(c.tools, "run_command")
			}
			if got := strings.Contains(o.system, words); got != want {
				t.Errorf("the instructions of %s mention %q: %v, want %v", c.who, words, got, want)
			}
		}
		if strings.Contains(o.system, "Check your work with `try_command`") != (strings.Contains(c.tools, tries) && c.who != "run") {
			t.Errorf("the instructions of %s mention trials:\n%s", c.who, o.system)
		}
		if calls := string(slices.Concat(o.tools...)); strings.Contains(calls, "Id of its step") {
			t.Errorf("%s is to name steps, which are the planner's", c.who)
		}
		t.Logf("%s: %d tokens, %d of them the system prompt", c.who, o.size(), len(o.system)/4)
	}
}
