package brief_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/view"
	"redline/workspace/git"
	"redline/workspace/runner"
)

// withFacts starts the session again, with facts of the project that are all known before a
// request. changed returns what is changed in its repository.
func withFacts(s *agenttest.Session, changed func() []string, more ...func(*agent.Options)) {
	s.T.Helper()
	s.With(func(o *agent.Options) {
		o.Facts, o.Now = agenttest.KnownFacts, agenttest.OnPiDay
		o.Facts.Git = func(context.Context, string) (git.Status, error) {
			status := git.Status{Branch: "main", Commit: "0123456789"}
			for _, path := range changed() {
				status.Changed = append(status.Changed, git.Changed{Path: path, Kind: git.Modified})
			}
			return status, nil
		}
		for _, change := range more {
			change(o)
		}
	})
}

func unchanged() []string { return nil }

// factsOf returns the facts in the last request, "" if it has none. They must be in its last
// message and nowhere else.
func factsOf(s *agenttest.Session) string {
	s.T.Helper()
	messages := s.LastAsked()
	for _, m := range messages[:len(messages)-1] {
		if strings.Contains(m.Content, "\nproject:\n") {
			s.T.Errorf("the facts are in a message that should stay the same: %s", m.Content)
		}
	}
	_, found, ok := strings.Cut(messages[len(messages)-1].Content, "\nproject:\n")
	if !ok {
		return ""
	}
	found, _, _ = strings.Cut(found, "\n```")
	return found
}

// The first request of a conversation has the facts of the project. A later one has the facts of
// that time; its prompt and its earlier messages are unchanged and have no old facts.
func TestARequestKnowsTheProject(t *testing.T) {
	s := agenttest.New(t, map[string]string{
		"a.go": "package a\n", "go.mod": "module a\n", "README.md": "# A\n", "notes/a.md": "", ".gitignore": ".venv/\n", ".venv/bin/x": "", ".env": "TOKEN=1\n",
	})
	var edited atomic.Bool
	withFacts(s, func() []string {
		if edited.Load() {
			return []string{"a.go"}
		}
		return nil
	})
	s.Model.Stages(agenttest.Edit("a.go", "package a", "package b"))
	first := s.Say(conversation.Message{Text: "rename the package", Client: "test"})
	begun := s.Model.Asked()[0].Messages
	const at = "  date: 2026-03-14\n  branch: main\n  changed since HEAD: "
	const rest = "\n  checks: `go build ./...`, `go vet ./...`, `go test ./...` (go.mod)\n  root: notes/ README.md a.go go.mod .gitignore" +
		"\n  languages: Markdown 2, Go 1 of 5 files\n  ignored: .venv/\n  build files: go.mod"
	if want := "rename the package\n\n```context\nproject:\n" + at + "nothing" + rest + "\n```"; begun[len(begun)-1].Content != want {
		t.Errorf("the first request ends with\n%s\nwant\n%s", begun[len(begun)-1].Content, want)
	}

	s.MustApprove(view.Request{Plan: 1})
	edited.Store(true)
	s.Model.Will(agenttest.Reply{Text: "Nothing."})
	s.Say(conversation.Message{Text: "and now?", Conversation: first.Conversation, Client: "test"})
	later := s.LastAsked()
	if got := factsOf(s); got != at+"a.go"+rest {
		t.Errorf("the later request has\n%s", got)
	}
	if later[0].Content != begun[0].Content || later[1].Content != "rename the package" {
		t.Errorf("the later request begins with\n%s\n%s", later[0].Content, later[1].Content)
	}
}

// Each model with reading tools gets the facts: for a change, a question, a plan in words, and as a
// specialist. A model that only classifies does not.
func TestWhoKnowsTheProject(t *testing.T) {
	for _, mode := range []string{"plan", "ask", "text", "heap"} {
		s := agenttest.New(t, agenttest.Numbers)
		withFacts(s, unchanged)
		if mode == "heap" {
			s.Model.Will(agenttest.Reply{Text: `{"priorityOrder":["docs"]}`})
		}
		s.Model.Will(agenttest.Reply{Text: "Words."}, agenttest.Reply{Text: `{"files":["a.txt"]}`})
		s.Say(conversation.Message{Text: "figures", Mode: mode, Client: "test"})
		if got := factsOf(s); !strings.Contains(got, "  root: a.txt b.txt c.txt") {
			t.Errorf("%s: the facts are %q", mode, got)
		}
	}
	s := agenttest.New(t, agenttest.Numbers)
	withFacts(s, unchanged, func(o *agent.Options) { o.Turns.Classify = config.ClassifyByModel })
	s.Model.Will(agenttest.Reply{Text: "no JSON"}, agenttest.Reply{Text: "Hello."})
	s.Say(conversation.Message{Text: "figures", Client: "test"})
	for i, want := range []bool{false, true} {
		told := slices.ContainsFunc(s.Model.Asked()[i].Messages, func(m model.Message) bool { return strings.Contains(m.Content, "\nproject:\n") })
		if told != want {
			t.Errorf("request %d has the facts: %v", i+1, told)
		}
	}
}

// If facts are off, and for the built-in model, a request is the same as without facts.
func TestTheFactsAreSwitchedOff(t *testing.T) {
	for name, off := range map[string]func(*agenttest.Session, *agent.Options){
		"off":      func(_ *agenttest.Session, o *agent.Options) { o.Facts.Within = 0 },
		"built in": func(s *agenttest.Session, o *agent.Options) { o.Model = asBuiltin{s.Model} },
	} {
		s := agenttest.New(t, agenttest.Numbers)
		withFacts(s, unchanged, func(o *agent.Options) { off(s, o) })
		s.Model.Will(agenttest.Reply{Text: "Nothing."})
		s.Say(conversation.Message{Text: "figures", Client: "test"})
		if last := s.LastAsked(); last[len(last)-1].Content != "figures" {
			t.Errorf("%s: the request is %q", name, last[len(last)-1].Content)
		}
	}
}

// asBuiltin is a script that claims to be the built-in model.
type asBuiltin struct{ *agenttest.Script }

func (asBuiltin) Info() model.Info { return model.Info{Provider: "builtin", Name: "builtin"} }

// A command that has passed is named from then on, and the description of the tool that tries
// commands is the same before and after.
func TestWhatHasPassedIsKnown(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "go.mod": "module x\n"})
	withFacts(s, unchanged, func(o *agent.Options) {
		o.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
			return runner.Outcome{End: runner.Exited}
		})
	})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("sh check.sh")}}, agenttest.Reply{Text: "Done."}, agenttest.Reply{Text: "Well."})
	s.Plan("figures")
	if first := s.Model.Asked()[0].Messages; strings.Contains(first[len(first)-1].Content, "passed") {
		t.Errorf("at first: %s", first[len(first)-1].Content)
	}
	s.Say(conversation.Message{Text: "and now?", Client: "test", New: true})
	if got := factsOf(s); !strings.Contains(got, "\n  passed here before: `sh check.sh`\n") {
		t.Errorf("later: %s", got)
	}
	var said []string
	for _, r := range s.Model.Asked() {
		for _, tool := range r.Tools {
			if tool.Name == "try_command" {
				said = append(said, tool.Description)
			}
		}
	}
	if len(said) != 4 || len(slices.Compact(said)) != 1 || strings.Contains(said[0], "go.mod") {
		t.Errorf("the tool says %q", said)
	}
}

// A repeated request reuses the plan without the model although the facts differ by then: only the
// files that the model has read count.
func TestAPlanIsReusedWhateverTheFacts(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	var n atomic.Int32
	withFacts(s, func() []string { return []string{strings.Repeat("x", int(n.Add(1))) + ".txt"} }, func(o *agent.Options) { o.Turns.ReusePlans = true })
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("use figures")
	asked := len(s.Model.Asked())
	s.Plan("use figures")
	if len(s.Model.Asked()) != asked {
		t.Errorf("the model was asked %d times more", len(s.Model.Asked())-asked)
	}
}
