package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/state/eventtest"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/pagetest"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// The page on events has every kind with its members, and for each kind a line as it was sent in
// one of the stories below.
func TestEventsPage(t *testing.T) {
	examples := map[state.EventKind]string{}
	seen := map[string]bool{"view uri": true} // package lsp adds it
	shop, status := shopEvents(t)
	stories := []*agenttest.Session{shop, reuseEvents(t), shownEvents(t), queueEvents(t), offerEvents(t), failedEvents(t), specialistEvents(t), limitedEvents(t), trialEvents(t), problemEvents(t), outsideEvents(t), agentEvents(t), busyEvents(t)}
	for _, s := range stories {
		for _, e := range s.Editor.Events() {
			if e.Kind == state.Noticed && s == shop {
				continue // depends on the machine: limits that it does not have
			}
			for _, name := range eventtest.Members(t, e) {
				seen[string(e.Kind)+" "+name] = true
			}
			if examples[e.Kind] == "" {
				examples[e.Kind] = clean(s, line(t, e))
			}
		}
	}

	var list, all strings.Builder
	for _, d := range eventtest.Kinds(t)[1:] {
		for _, m := range d.Members {
			if !seen[d.Name+" "+m.Name] {
				t.Errorf("event.go says that an event %s can have the member %s: no story here has one", d.Name, m.Name)
			}
		}
		fmt.Fprintf(&list, "| [`%s`](#%s) | %s |\n", d.Name, strings.ReplaceAll(d.Name, ".", ""), pagetest.Cell(d.When))
		fmt.Fprintf(&all, "### %s\n\n%s%s.\n\n", d.Name, strings.ToUpper(d.When[:1]), d.When[1:])
		if len(d.Members) > 0 {
			all.WriteString(pagetest.Table(d.Members) + "\n")
		}
		fmt.Fprintf(&all, "```\n%s\n```\n\n", examples[state.EventKind(d.Name)])
	}
	here := func(text string) string { return strings.ReplaceAll(text, "(events.md#", "(#") }
	pagetest.Part(t, "docs/reference/events.md", "list", "| kind | when |\n| --- | --- |\n"+list.String(), *update)
	pagetest.Part(t, "docs/reference/events.md", "any", pagetest.Table(eventtest.Kinds(t)[0].Members), *update)
	pagetest.Part(t, "docs/reference/events.md", "kinds", here(all.String()), *update)
	pagetest.Part(t, "docs/reference/events.md", "flags", pagetest.Table(pagetest.Members(t, "agent/state", "Intent", eventtest.PageTypes)), *update)
	pagetest.Part(t, "docs/reference/events.md", "step", pagetest.Table(pagetest.Members(t, "agent/trace", "Step", eventtest.PageTypes)), *update)
	pagetest.Part(t, "docs/reference/state.md", "example", "```json\n"+clean(shop, status)+"```\n", *update)
}

var (
	approvalHash   = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
	conversationID = regexp.MustCompile(`"c[0-9a-f]{8}"`)
	planID         = regexp.MustCompile(`"id": ?"[0-9a-f]{32}"`)
	traceID        = regexp.MustCompile(`"trace":"[0-9a-f]+-`)
)

// clean removes from a text what differs in each run.
func clean(s *agenttest.Session, text string) string {
	text = strings.ReplaceAll(text, strings.TrimSuffix(s.Workspace.URI("x"), "/x"), "file:///home/you/shop")
	text = strings.ReplaceAll(text, filepath.ToSlash(s.Dir), "/home/you/shop")
	text = conversationID.ReplaceAllString(text, `"c5e0d1a2b"`)
	text = planID.ReplaceAllString(text, `"id": "0f1e2d3c4b5a69788796a5b4c3d2e1f0"`)
	text = traceID.ReplaceAllString(text, `"trace":"0a1b2c3d-`)
	return approvalHash.ReplaceAllString(text, "sha256:5e0d…")
}

// withRanges returns a copy of p as the command line sends it: with the ranges of its hunks, in
// UTF-16.
func withRanges(p *state.Plan) *state.Plan {
	sent := *p
	sent.Files = slices.Clone(p.Files)
	for i := range sent.Files {
		f := &sent.Files[i]
		f.Hunks = slices.Clone(f.Hunks)
		for j := range f.Hunks {
			r := f.Lines.Range(f.Hunks[j].Span, edits.UTF16)
			f.Hunks[j].Range = state.NewRange(state.Position(r.Start), state.Position(r.End))
		}
	}
	return &sent
}

// line is an event as it is sent, with the plan left out.
func line(t *testing.T, e state.Event) string {
	t.Helper()
	p := e.Plan
	if p != nil {
		e.Plan = &state.Plan{Plan: p.Plan}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSpace(b.String())
	if p != nil {
		text = regexp.MustCompile(`"plan":\{"plan":(\d+),.*\}`).ReplaceAllString(text, `"plan":{"plan":$1, …}}`)
	}
	return text
}

// shopEvents does the main job with the built-in model: request, plan, approval with its command.
// It also returns the state at the end.
func shopEvents(t *testing.T) (*agenttest.Session, string) {
	files := map[string]string{"prices.go": "package shop\n\nfunc Total(a, b int) int { return a + b }\n"}
	s, _ := agenttest.Specialists(t, files, func(o *agent.Options) {
		o.Model = model.New(model.Config{})
		o.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	})
	p := s.Plan("rename Total to Sum in *.go then run echo sold")
	r := s.MustApprove(view.Request{Plan: p.Plan, Hash: p.Hash, AllowCommands: true})
	s.Wait(r.Turn)
	now, err := s.Agent.State(s.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	for i := range now.Plans {
		now.Plans[i] = *withRanges(&now.Plans[i])
	}
	if err := enc.Encode(now); err != nil {
		t.Fatal(err)
	}
	return s, b.String()
}

// reuseEvents sends a request twice.
func reuseEvents(t *testing.T) *agenttest.Session {
	answers := &agenttest.Script{}
	s, _ := agenttest.Specialists(t, map[string]string{"a.txt": "one\n"}, func(o *agent.Options) { o.Model, o.Turns.ReusePlans = answers, true })
	answers.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("figures")
	s.Plan("figures")
	return s
}

// shownEvents has a model that shows places, and asks a question.
func shownEvents(t *testing.T) *agenttest.Session {
	s := agenttest.New(t, map[string]string{"prices.go": "package shop\n"})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("prices.go", "shop", "store")}}, agenttest.Reply{Calls: []model.Call{
		agenttest.Call("open_location", map[string]any{"path": "prices.go", "line": 1}),
		agenttest.Call("set_diff_mode", map[string]any{"mode": "split"}),
	}}, agenttest.Reply{Text: "The package is called store now."})
	p := s.Plan("call the package store")
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("show_view", map[string]any{"view": "plan"})}},
		agenttest.Reply{Calls: []model.Call{agenttest.Call("ask_user", map[string]any{"question": "Which name do you prefer?", "options": []string{"shop", "store"}})}})
	s.Say(conversation.Message{Text: "show me", Client: "test", Conversation: p.Conversation})
	return s
}

// queueEvents has a message that waits for another one.
func queueEvents(t *testing.T) *agenttest.Session {
	s := agenttest.New(t, nil)
	release, begun := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "4", Wait: release, Begun: begun}, agenttest.Reply{Text: "9"})
	if _, _, err := s.Agent.Turns.Send(conversation.Message{Text: "/ask what is 2 times 2?", Client: "test"}); err != nil {
		t.Fatal(err)
	}
	<-begun
	last, _, err := s.Agent.Turns.Send(conversation.Message{Text: "/ask what is 3 times 3?", Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	close(release)
	s.Wait(last)
	return s
}

// offerEvents has a turn whose edits are asked about as they are staged.
func offerEvents(t *testing.T) *agenttest.Session {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Wait(s.AskEach("figures"))
	return s
}

// failedEvents has a turn whose model cannot be reached.
func failedEvents(t *testing.T) *agenttest.Session {
	s := agenttest.New(t, nil)
	s.Model.Will(agenttest.Reply{Err: errors.New("the wire is cut")})
	s.Say(conversation.Message{Text: "/ask why?", Client: "test"})
	return s
}

// limitedEvents has a turn that a limit ends.
func limitedEvents(t *testing.T) *agenttest.Session {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.With(func(o *agent.Options) { o.Turns.Limits.Requests = 1 })
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}})
	s.Say(conversation.Message{Text: "figures", Client: "test"})
	return s
}

// busyEvents has a turn whose provider is busy at first, and whose model thinks.
func busyEvents(t *testing.T) *agenttest.Session {
	s, _ := agenttest.Specialists(t, nil, func(o *agent.Options) {
		o.Model = model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: modeltest.New(modeltest.Fail(503, ""), modeltest.Stream(modeltest.Text("<think>They ask why.</think>Because.")))})
	})
	s.Say(conversation.Message{Text: "/ask why?", Client: "test"})
	return s
}

// agentEvents has a turn of a conversation that has an agent and a mode.
func agentEvents(t *testing.T) *agenttest.Session {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", ".redline/agents/clerk.md": "---\nmode: primary\n---\nYou count.\n"})
	s.Say(conversation.Message{Text: "/mode ask", Client: "test"})
	s.Model.Will(agenttest.Reply{Text: "One."})
	s.Say(conversation.Message{Text: "how many?", Client: "test", Agent: "clerk"})
	return s
}

// specialistEvents has a turn of specialists, and an invalid agent file.
func specialistEvents(t *testing.T) *agenttest.Session {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n", ".redline/agents/poet.md": "verses"})
	c.Plans(`["code"]`, "Write one as 1.")
	c.Stages("code", "I wrote 1.", agenttest.Edit("a.txt", "one", "1"))
	s.AskSpecialists("please put figures into a.txt")
	return s
}

// trialEvents is a turn in which a command is tried.
func trialEvents(t *testing.T) *agenttest.Session {
	s := agenttest.New(t, map[string]string{"go.mod": "module shop\n", "sum.go": "package sum\n\nfunc Sum(a, b int) int { return a + b }\n"})
	s.Trials = agenttest.FakeRuns(func(_ runner.Command, tell func(runner.Stream, string)) runner.Outcome {
		tell(runner.Stdout, "ok  \tshop/sum\t0.004s\n")
		return runner.Outcome{End: runner.Exited, Took: 2300e6, Output: "ok  \tshop/sum\t0.004s\n"}
	})
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("sum.go", "a + b", "b + a")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("go test ./...")}}, agenttest.Reply{Text: "Done."})
	s.Plan("turn the sum round")
	var ended *state.Trial
	for _, e := range s.Editor.Events(state.TrialRan) {
		if e.Trial != nil {
			ended = e.Trial
		}
	}
	if ended == nil || ended.Verdict != "passed" {
		t.Errorf("the trial is %+v", ended)
	}
	s.Agent.Trials.Standing()
	s.Until("whether there are trials", func() bool { return len(s.Editor.Events(state.TrialsStand)) > 0 })
	return s
}

// problemEvents is a plan on which a language server reports.
func problemEvents(t *testing.T) *agenttest.Session {
	s := agenttest.New(t, map[string]string{"sum.go": "package sum\n\nfunc Sum() int { return 1 }\n"})
	s.Model.Stages(agenttest.Edit("sum.go", "1", "x"))
	p := s.Plan("use x")
	v := s.Agent.Board.View(s.Agent.Board.Held(p.Plan))
	if err := s.Agent.Board.AddProblems(s.Context(), v, view.UnsavedTexts(s.Workspace).WithPlan(v), time.Now(), &plan.Problems{
		Added:   []plan.Problem{{Path: "sum.go", Severity: plan.SeverityError, Message: "undefined: x"}},
		Checked: []plan.Checked{{Language: "go", Server: "gopls", State: plan.CheckedAll}},
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// outsideEvents has an outside agent that works in a copy.
func outsideEvents(t *testing.T) *agenttest.Session {
	s := agenttest.New(t, map[string]string{"prices.go": "package shop\n"})
	s.Clock = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	s.OutsideAgent(agenttest.FakeRuns(func(c runner.Command, tell func(runner.Stream, string)) runner.Outcome {
		tell(runner.Stdout, "The package is called store now.\n")
		return agenttest.Leaves(c, world.Entry{Path: []byte(filepath.Join(c.Dir, "prices.go")), Kind: world.FileEntry, Mode: 0o644, Text: []byte("package store\n")})
	}))
	s.Say(conversation.Message{Text: "call the package store", Client: "test", With: "codex"})
	return s
}
