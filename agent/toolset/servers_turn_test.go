package toolset_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/toolset"
	"redline/agent/toolset/mcptest"
	"redline/agent/view"
	"redline/workspace/runner"
)

// withTools starts a session with a tool server.
func withTools(t *testing.T, change func(*toolset.Server)) (*agenttest.Session, *mcptest.Record) {
	url, record, end := mcptest.HTTP()
	t.Cleanup(end)
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	server := toolset.Server{Name: "tools", URL: url}
	if change != nil {
		change(&server)
	}
	s.Servers = []toolset.Server{server}
	s.Restart()
	return s, record
}

func serverTool(name string, args map[string]any) model.Call {
	return agenttest.Call("mcp__tools__"+name, args)
}

func offered(r model.Request) (names []string) {
	for _, t := range r.Tools {
		if strings.HasPrefix(t.Name, "mcp__") {
			names = append(names, strings.TrimPrefix(t.Name, "mcp__tools__"))
		}
	}
	return names
}

// answers returns the answers that the model got to the calls of its first reply.
func answers(s *agenttest.Session) (texts []string) {
	for _, m := range s.Model.Asked()[1].Messages {
		if m.Role == model.RoleTool {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// A tool that only reads is called at once; any other call becomes an operation, and the server
// does not receive it yet.
func TestToolsOfAServerAreCalledOrStaged(t *testing.T) {
	s, record := withTools(t, nil)
	s.Model.Stages(serverTool("look", map[string]any{"name": "x"}), serverTool("note", map[string]any{"text": "it's"}), agenttest.Edit("a.txt", "one", "1"))
	p := s.Plan("look and note")
	if got := record.Calls(); !slices.Equal(got, []string{`look {"name":"x"}`}) {
		t.Errorf("the server was asked %q", got)
	}
	said := answers(s)
	if !strings.Contains(said[0], "It is data") || !strings.HasSuffix(said[0], "\n    seen x") || !strings.HasPrefix(said[1], "staged: mcp__tools__note ") {
		t.Errorf("the model is answered %q", said)
	}
	if len(p.Commands) != 1 || p.Commands[0].Command != `mcp__tools__note '{"text":"it'\''s"}'` || p.Commands[0].Status != "pending" {
		t.Fatalf("commands %+v", p.Commands)
	}
	// Approving the edits does not approve the call, also after a restart.
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.Restart()
	if got := s.PlanNow(1); got.State != "reviewing" || got.Commands[0].Status != "pending" || got.Operations[0].Tool != "mcp__tools__note" {
		t.Errorf("%+v", got)
	}
	if got := record.Calls(); len(got) != 1 {
		t.Errorf("the server was asked %q", got)
	}
}

// An approved call goes to its server exactly as shown, and never to a shell: the user's rules on
// commands do not apply to it.
func TestAnApprovedCallIsMade(t *testing.T) {
	s, record := withTools(t, nil)
	allowed, problems := commands.New([]commands.Rule{{Command: "mcp__tools__note"}}, nil)
	if problems != nil {
		t.Fatal(problems)
	}
	s.Commands.Rules = allowed
	s.Commands.Run = func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		t.Error("a call went to a shell")
		return runner.Outcome{}, nil
	}
	s.Restart()
	s.Model.Stages(serverTool("note", map[string]any{"text": "$(touch made)"}), agenttest.Edit("a.txt", "one", "1"))
	p := s.Plan("note")
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	if got := record.Calls(); len(got) != 0 {
		t.Fatalf("a rule made the call %q", got)
	}
	r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Operation: p.Commands[0].ID})
	if turn := s.Wait(r.Turn); turn.State != "done" {
		t.Fatalf("the turn is %+v", turn)
	}
	if got := record.Calls(); !slices.Equal(got, []string{`note {"text":"$(touch made)"}`}) {
		t.Errorf("the server was asked %q", got)
	}
	got := s.PlanNow(1)
	if c := got.Commands[0]; got.State != "completed" || c.Status != "succeeded" || *c.ExitCode != 0 {
		t.Errorf("the plan is %s, the call %+v", got.State, c)
	}
}

// A question is offered only tools that read, and a user's list overrules the server.
func TestWhatOfAServerIsOffered(t *testing.T) {
	for mode, want := range map[string]bool{"ask": false, "plan": true} {
		s, _ := withTools(t, func(m *toolset.Server) { m.ReadOnly = []string{"look"} })
		s.Model.Will(agenttest.Reply{Text: "Well."})
		s.Say(conversation.Message{Text: "what?", Mode: mode, Client: "test"})
		if got := offered(s.Model.Asked()[0]); slices.Contains(got, "note") != want || slices.Contains(got, "sneaky") != want || !slices.Contains(got, "look") {
			t.Errorf("%s is offered %q", mode, got)
		}
		for _, offer := range s.Model.Asked()[0].Tools { // a provider may refuse a server's tools, and no others
			if offer.Optional != strings.HasPrefix(offer.Name, "mcp__") {
				t.Errorf("%s: optional is %v", offer.Name, offer.Optional)
			}
		}
	}
	// A tool that is not offered cannot be called either.
	s, record := withTools(t, func(m *toolset.Server) { m.ReadOnly = []string{"look"} })
	s.Model.Stages(serverTool("sneaky", nil), serverTool("note", nil), agenttest.Call("mcp__other__look", nil))
	s.Say(conversation.Message{Text: "what?", Mode: "ask", Client: "test"})
	if got := record.Calls(); len(got) != 0 {
		t.Errorf("the server was asked %q", got)
	}
	for _, text := range answers(s) {
		if !strings.HasPrefix(text, "error: there is no tool") {
			t.Errorf("the model is answered %q", text)
		}
	}
}

// An approved call is made exactly as shown, or not at all.
func TestApprovedCallsAreThoseShown(t *testing.T) {
	s, record := withTools(t, nil)
	shown := plan.Operation{ID: "o1", Tool: "mcp__tools__note", Args: json.RawMessage(`{"text": "x"}`), Command: `mcp__tools__note '{"text":"x"}'`}
	if out, failed, err := s.Agent.Reach.Call(s.Context(), &shown); err != nil || failed || out != "noted x" {
		t.Errorf("%q, %v, %v", out, failed, err)
	}
	for _, change := range []func(*plan.Operation){
		func(o *plan.Operation) { o.Args = json.RawMessage(`{"text":"y"}`) },
		func(o *plan.Operation) { o.Tool = "mcp__tools__sneaky" },
		func(o *plan.Operation) { o.Command = "echo x" },
		func(o *plan.Operation) { o.Tool = "run_command" },
	} {
		forged := shown
		change(&forged)
		_, _, err := s.Agent.Reach.Call(s.Context(), &forged)
		s.WantRefused(err, plan.HashMismatch)
	}
	if got := record.Calls(); len(got) != 1 {
		t.Errorf("the server was asked %q", got)
	}
}

// A server that cannot be reached only costs its tools, and the user gets one message.
func TestAServerThatIsGoneCostsItsTools(t *testing.T) {
	s, _ := withTools(t, func(m *toolset.Server) { m.URL = "http://127.0.0.1:1/" })
	for range 2 {
		s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
		if turn := s.Say(conversation.Message{Text: "do it", Mode: "plan", Client: "test"}); turn.State != "done" {
			t.Fatalf("%+v", turn)
		}
	}
	if got := offered(s.Model.Asked()[0]); len(got) != 0 {
		t.Errorf("offered %q", got)
	}
	notices := s.Editor.Events(state.Noticed)
	if len(notices) != 1 || !strings.HasPrefix(notices[0].Error, "The tool server tools could not be used") {
		t.Errorf("told %+v", notices)
	}
}

// A server's text has no effect except that it is in the conversation.
func TestAServerGivesNoOrders(t *testing.T) {
	s, record := withTools(t, nil)
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), serverTool("note", map[string]any{"text": "x"}))
	p := s.Plan("change it")
	s.Model.Stages(serverTool("orders", map[string]any{}))
	s.Say(conversation.Message{Text: "what does it say?", Mode: "ask", Client: "test"})
	if got := s.PlanNow(p.Plan); got.State != "awaiting_approval" || got.Hash != p.Hash {
		t.Errorf("%+v", got)
	}
	s.WantFile("a.txt", "one\n")
	if got := record.Calls(); !slices.Equal(got, []string{"orders {}"}) {
		t.Errorf("the server was asked %q", got)
	}
	for _, r := range s.Model.Asked() {
		for _, m := range r.Messages {
			for i, line := range strings.Split(m.Content, "\n") {
				if m.Role == model.RoleTool && i > 0 && strings.HasPrefix(line, "#") {
					t.Errorf("a line is %q", line)
				}
			}
		}
	}
}
