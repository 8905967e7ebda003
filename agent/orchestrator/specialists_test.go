package orchestrator_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/leaktest"
)

// asked returns the first messages to a specialist, without its system prompt.
func asked(c *agenttest.Cast, t *testing.T, name string) string {
	t.Helper()
	p := c.Part(name)
	if len(p.Asked()) == 0 {
		t.Fatalf("%s was not asked", name)
	}
	var all []string
	for _, m := range p.Asked()[0].Messages[1:] {
		all = append(all, string(m.Role)+": "+m.Content)
	}
	return strings.Join(all, "\n")
}

// traced returns the trace of the session so far, without texts.
func traced(s *agenttest.Session) []string {
	var out []string
	for _, e := range s.Editor.Events(state.Traced) {
		if strings.HasPrefix(string(e.Step.Kind), "heap_") || strings.HasPrefix(string(e.Step.Kind), "planner_") {
			out = append(out, strings.TrimSpace(string(e.Step.Kind)+" "+e.Step.Name))
		}
	}
	return out
}

func TestSpecialistsWorkOneAfterTheOther(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.Part("planner").Will(agenttest.Reply{Text: `{"priorityOrder":["code","review"],"refinedTask":"Write one as 1.",
		"extractedContext":{"file":"a.txt"},"instructions":{"review":"mind the digits"}}`})
	c.Stages("code", "I wrote 1.", agenttest.Edit("a.txt", "one", "1"))
	c.Part("review").Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("read_file", map[string]any{"path": "a.txt"}), agenttest.Edit("a.txt", "two", "2")}}, agenttest.Reply{Text: "It is right."})
	turn := s.AskSpecialists("please put figures into a.txt, see https://example.org/x?y=1")
	if turn.State != "done" || agenttest.Answer(turn) != "It is right." {
		t.Fatalf("turn: %+v", turn)
	}
	p := s.PlanNow(1)
	if len(p.Steps) != 2 || p.Steps[0].ID != "s1" || p.Steps[0].Description != "code: Write one as 1." || p.Steps[1].Description != "review: mind the digits" ||
		!slices.Equal(p.Steps[1].DependsOn, []string{"s1"}) {
		t.Errorf("steps: %+v", p.Steps)
	}
	if len(p.Operations) != 1 || p.Operations[0].Step != "s1" {
		t.Errorf("operations: %+v", p.Operations)
	}
	if want := "Specialists: code, then review.\nTask: Write one as 1."; !strings.Contains(p.Description, want) {
		t.Errorf("the description is %q", p.Description)
	}
	sum := turn.Specialists
	if sum == nil || sum.Route != "code, then review" || sum.RefinedTask != "Write one as 1." || len(sum.Specialists) != 2 || sum.Specialists[0].Summary != "I wrote 1." {
		t.Errorf("summary: %+v", sum)
	}
	task := asked(c, t, "review")
	for _, want := range []string{"Write one as 1.", "mind the digits", `"file": "a.txt"`, "https://example.org/x?y=1", "- code: I wrote 1."} {
		if !strings.Contains(task, want) {
			t.Errorf("the task lacks %q:\n%s", want, task)
		}
	}
	if n := len(c.Part("review").Asked()[0].Messages); n != 2 {
		t.Errorf("review was sent %d messages, want the system prompt and the task", n)
	}
	review := c.Part("review").Asked()
	if answer := review[1].Messages[3].Content; answer != "1\ntwo\n" {
		t.Errorf("review reads %q", answer)
	}
	if answer := review[1].Messages[4].Content; !strings.Contains(answer, `there is no tool "edit_file"`) {
		t.Errorf("review was given a tool that writes: %s", answer)
	}
	if turn.Usage != (state.Usage{Prompt: 50, Completion: 25}) {
		t.Errorf("usage: %+v", turn.Usage)
	}
	s.WantFile("a.txt", "one\ntwo\n")
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("a.txt", "1\ntwo\n")
	want := []string{"planner_request", "planner_response", "planner_response", "heap_route", "heap_specialist code", "heap_tool code",
		"heap_tool_done code", "heap_specialist code", "heap_specialist review", "heap_tool review", "heap_tool review",
		"heap_tool_done review", "heap_tool_done review", "heap_specialist review"}
	if got := traced(s); !slices.Equal(got, want) {
		t.Errorf("trace: %q", got)
	}
}

// Two specialists work at the same time, and their results are in the order of the plan.
func TestSpecialistsWorkAtTheSameTime(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	c.Plans(`[{"parallel":["code","docs"]}]`, "figures")
	codeBegun, docsBegun := make(chan struct{}), make(chan struct{})
	c.Part("code").Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}, Begun: codeBegun, Wait: docsBegun}, agenttest.Reply{Text: "Code is done."})
	c.Part("docs").Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "three", "3")}, Begun: docsBegun, Wait: codeBegun}, agenttest.Reply{Text: "Docs are done."})
	turn := s.AskSpecialists("figures")
	if agenttest.Answer(turn) != "**code:** Code is done.\n\n**docs:** Docs are done." {
		t.Errorf("answer: %q", agenttest.Answer(turn))
	}
	p := s.PlanNow(1)
	if len(p.Operations) != 2 || p.Operations[0].Step != "s1" || p.Operations[1].Step != "s2" || len(p.Files[0].Hunks) != 2 {
		t.Errorf("plan: %+v", p)
	}
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("a.txt", "1\ntwo\n3\n")
}

func TestOverlappingEditsOfSpecialists(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.Plans(`[{"parallel":["code","docs"]}]`, "figures")
	c.Stages("code", "1.", agenttest.Edit("a.txt", "one", "1"))
	c.Stages("docs", "uno.", agenttest.Edit("a.txt", "one", "uno"), agenttest.Edit("a.txt", "two", "2"))
	turn := s.AskSpecialists("figures")
	want := "What docs staged with edit_file of a.txt is left out: another has changed the same lines, while both worked."
	if !strings.Contains(agenttest.Answer(turn), want) || !strings.Contains(s.Complaints(), want) || turn.State != "done" {
		t.Errorf("turn: %+v\nnotices: %s", turn, s.Complaints())
	}
	p := s.PlanNow(1)
	if !strings.Contains(p.Description, want) || !strings.Contains(p.Description, "Left out, of docs with edit_file of a.txt:\n\n    -one\n    +uno") {
		t.Errorf("the description is %q", p.Description)
	}
	if len(turn.Specialists.Conflicts) != 1 {
		t.Errorf("summary: %+v", turn.Specialists)
	}
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("a.txt", "1\n2\n")
}

func TestThePlannerIsAskedOnceMore(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n"})
	c.Part("planner").Will(agenttest.Reply{Text: "Sure, code should do it!"}, agenttest.Reply{Text: "```json\n{\"priorityOrder\":[\"nobody\",\"code\"]}\n```"})
	c.Stages("code", "Done.", agenttest.Edit("a.txt", "one", "1"))
	turn := s.AskSpecialists("figures")
	if again := c.Part("planner").Asked()[1].Messages; len(again) != 4 || !strings.Contains(again[3].Content, "Output only a single JSON object, no other text.") {
		t.Errorf("the planner was sent %+v", again)
	}
	sum := turn.Specialists
	if sum.By != "model" || sum.Route != "code" || sum.RefinedTask != "figures" || !slices.Equal(sum.Notes, []string{`There is no specialist "nobody"; it was left out.`}) {
		t.Errorf("summary: %+v", sum)
	}
}

func TestWordsDecideWithoutAPlanner(t *testing.T) {
	for name, replies := range map[string][]agenttest.Reply{
		"nonsense": {{Text: "no"}, {Text: `{"priorityOrder":["who"]}`}},
		"an error": {{Err: &model.Error{}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n"})
			c.Part("").Will(agenttest.Reply{Text: "I said it before."})
			s.Say(conversation.Message{Text: "what is in it?", Client: "test", Mode: "ask"})
			c.Part("planner").Will(replies...)
			c.Stages("tests", "A test.", agenttest.Call("write_file", map[string]any{"path": "a_test.txt", "content": "t\n"}))
			turn := s.AskSpecialists("write tests for a.txt")
			if turn.State != "done" || agenttest.Answer(turn) != "A test." || turn.Specialists.By != "rules" || turn.Specialists.Route != "tests" {
				t.Fatalf("turn: %+v %+v", turn, turn.Specialists)
			}
			if len(c.Part("planner").Asked()) != len(replies) {
				t.Errorf("the planner was asked %d times", len(c.Part("planner").Asked()))
			}
			task := asked(c, t, "tests")
			if want := "user: what is in it?\nassistant: I said it before.\nuser: write tests for a.txt"; !strings.HasPrefix(task, want) {
				t.Errorf("it was sent:\n%s", task)
			}
		})
	}
}

// The plan's goal is the request, even if the planner has asked a question first.
func TestTheRequestCountsAfterThePlannersQuestion(t *testing.T) {
	answers := map[string][]agenttest.Reply{
		"no plan":         {{Text: "The docs specialist, I think."}, {Text: "As I said."}},
		"no refined task": {{Text: `{"priorityOrder":["docs"]}`}},
		"a word left out": {{Text: `{"priorityOrder":["docs"],"refinedTask":"Write it."}`}},
	}
	for name, then := range answers {
		t.Run(name, func(t *testing.T) {
			s, c := agenttest.Specialists(t, map[string]string{"README.md": "one\n"})
			c.Part("planner").Will(agenttest.Reply{Text: `{"question":"Which language?"}`})
			c.Part("planner").Will(then...)
			c.Part("docs").Will(agenttest.Reply{Text: "Done."})
			s.AskSpecialists("document https://example.test/a in the README")
			s.Say(conversation.Message{Text: "English, as https://example.test/b has it", Client: "test"})
			task := asked(c, t, "docs")
			for _, want := range []string{"https://example.test/a", "https://example.test/b"} {
				if !strings.Contains(task, want) {
					t.Errorf("the task lacks %s:\n%s", want, task)
				}
			}
		})
	}
}

// If a specialist fails, the steps that depend on it do not run. What it has staged stays.
func TestASpecialistFails(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.Plans(`[{"specialist":"code","after":[]},{"specialist":"docs","after":[]},{"specialist":"tests","after":["code"]}]`, "figures")
	c.Part("code").Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Err: errors.New("the line is cut")})
	c.Stages("docs", "Docs are done.", agenttest.Edit("a.txt", "two", "2"))
	turn := s.AskSpecialists("figures")
	if turn.State != "done" || !strings.HasPrefix(agenttest.Answer(turn), "Docs are done.") ||
		!strings.Contains(agenttest.Answer(turn), "The specialist code failed; what it had staged is kept: The line is cut.") ||
		!strings.Contains(agenttest.Answer(turn), "The specialist tests did not begin: It was to continue what code did, and that failed.") {
		t.Errorf("turn: %+v, answer %q", turn, agenttest.Answer(turn))
	}
	if len(c.Part("tests").Asked()) > 0 {
		t.Error("tests was asked")
	}
	s.MustApprove(view.Request{Plan: 1, Hash: s.PlanNow(1).Hash})
	s.WantFile("a.txt", "1\n2\n")
}

func TestAllSpecialistsFail(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n"})
	c.Plans(`["code","tests"]`, "figures")
	c.Part("code").Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Err: &model.Error{}})
	turn := s.AskSpecialists("figures")
	if turn.State != "failed" || !model.Failed(s.Agent.Conversations.Failure(turn.Turn)) {
		t.Errorf("turn: %+v", turn)
	}
	if p := s.PlanNow(1); !strings.Contains(p.Description, "Incomplete: ") || len(p.Operations) != 1 {
		t.Errorf("what was staged is not kept: %+v", p)
	}
	c.Plans(`["docs"]`, "figures")
	c.Part("docs").Will(agenttest.Reply{Err: &model.Error{}})
	if turn := s.Say(conversation.Message{Text: "figures", Client: "test", Mode: "heap", New: true}); turn.State != "failed" || s.Agent.Conversations.PlanOf(turn.Turn) != 0 {
		t.Errorf("turn: %+v", turn)
	}
}

func TestATurnOfSpecialistsIsCancelled(t *testing.T) {
	defer leaktest.Check(t, goleak.IgnoreCurrent())
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n"})
	c.Plans(`[{"parallel":["code","docs","tests"]},"review"]`, "figures")
	never := make(chan struct{})
	var begun []chan struct{}
	for _, name := range []string{"code", "docs", "tests"} {
		b := make(chan struct{})
		begun = append(begun, b)
		c.Part(name).Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", name)}, Begun: b, Wait: never})
	}
	id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "figures", Client: "test", Mode: "heap"})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range begun {
		<-b
	}
	at := time.Now()
	s.Agent.Cancel(id)
	turn := s.Wait(id)
	if took := time.Since(at); took > 500*time.Millisecond {
		t.Errorf("it stopped after %s", took)
	}
	if turn.State != "cancelled" || s.Agent.Conversations.PlanOf(id) != 0 || len(c.Part("review").Asked()) > 0 {
		t.Errorf("turn: %+v", turn)
	}
	s.Agent.Close()
	s.Store.Close()
}

// The limits apply to the turn, not to each specialist.
func TestLimitsHoldOverAllSpecialists(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\ntwo\n"}, func(o *agent.Options) { o.Turns.Limits = loop.Limits{Requests: 4} })
	c.Plans(`["code","docs","tests"]`, "figures")
	c.Stages("code", "Code is done.", agenttest.Edit("a.txt", "one", "1"))
	c.Stages("docs", "Docs are done.", agenttest.Edit("a.txt", "two", "2"))
	turn := s.AskSpecialists("figures")
	if turn.State != "done" || !strings.Contains(agenttest.Answer(turn), "The turn was ended after 4 requests to the model") {
		t.Errorf("turn: %+v, answer %q", turn, agenttest.Answer(turn))
	}
	var states []string
	for _, sp := range turn.Specialists.Specialists {
		states = append(states, string(sp.State))
	}
	if !slices.Equal(states, []string{"done", "stopped", "skipped"}) {
		t.Errorf("states: %q", states)
	}
	if p := s.PlanNow(1); len(p.Operations) != 2 {
		t.Errorf("what was staged is not kept: %+v", p.Operations)
	}
}

func TestATurnOfSpecialistsTakesTooLong(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n"}, func(o *agent.Options) { o.Turns.Limits = loop.Limits{Wall: 300 * time.Millisecond} })
	c.Plans(`["code","docs"]`, "figures")
	c.Part("code").Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Wait: make(chan struct{})})
	turn := s.AskSpecialists("figures")
	if turn.State != "done" || !strings.Contains(agenttest.Answer(turn), "The turn was ended after 300ms, the limit for one turn") || len(s.PlanNow(1).Operations) != 1 {
		t.Errorf("turn: %+v, answer %q", turn, agenttest.Answer(turn))
	}
}

// Another request makes a revision: the earlier steps stay, and the new ones have names of their
// own.
func TestSpecialistsRevise(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.Plans(`["code","review"]`, "figures")
	c.Stages("code", "1.", agenttest.Edit("a.txt", "one", "1"))
	c.Part("review").Will(agenttest.Reply{Text: "Good."})
	s.AskSpecialists("figures")
	c.Plans(`["docs"]`, "more figures")
	c.Stages("docs", "2.", agenttest.Edit("a.txt", "two", "2"))
	s.AskSpecialists("more")
	p := s.PlanNow(1)
	var steps []string
	for _, st := range p.Steps {
		steps = append(steps, st.ID+" "+st.Description)
	}
	if p.Revision != 2 || !slices.Equal(steps, []string{"s1 code: figures", "s3 docs: more figures"}) || p.Operations[0].Step != "s1" || p.Operations[1].Step != "s3" {
		t.Errorf("plan: %+v", p)
	}
	if system := c.Part("docs").Asked()[0].Messages[0].Content; !strings.Contains(system, "The plan below already exists") || !strings.Contains(system, "Goal: figures") {
		t.Errorf("docs does not know of the plan:\n%s", system)
	}
	planner := c.Part("planner").Asked()[1].Messages[1].Content
	if !strings.Contains(planner, "user: figures") || !strings.Contains(planner, "more") {
		t.Errorf("the planner does not know what was said:\n%s", planner)
	}
}

// A specialist that works alone on an existing plan can remove operations that do not serve the
// request. Several, each with a draft of its own, cannot, and their prompt does not offer it.
func TestWhoRevisesAloneTakesOut(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	c.Part("planner").Will(agenttest.Reply{Text: `{"one":"code"}`})
	c.Stages("code", "Figures.", agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("b.txt", "two", "2"))
	s.AskSpecialists("figures")
	c.Part("planner").Will(agenttest.Reply{Text: `{"one":"code"}`})
	c.Stages("code", "Only one.", agenttest.Call("unstage", map[string]any{"operations": []string{"o2"}}))
	if turn := s.AskSpecialists("only in a.txt"); agenttest.Answer(turn) != "Only one." {
		t.Errorf("turn: %+v", turn)
	}
	p := s.PlanNow(1)
	if p.Revision != 2 || len(p.Operations) != 1 || p.Operations[0].Path != "a.txt" {
		t.Errorf("plan: %+v", p)
	}
	c.Plans(`["docs","review"]`, "in b.txt after all")
	c.Stages("docs", "Two.", agenttest.Edit("b.txt", "two", "2"))
	c.Part("review").Will(agenttest.Reply{Text: "Good."})
	s.AskSpecialists("the other one too")
	first := c.Part("docs").Asked()[0]
	if system := first.Messages[0].Content; !strings.Contains(system, "The plan below already exists") || strings.Contains(system, "unstage") {
		t.Errorf("docs is told:\n%s", system)
	}
	for _, tool := range first.Tools {
		if tool.Name == "unstage" {
			t.Error("one of several is offered unstage")
		}
	}
}

func TestADelegatorIsExpanded(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n"})
	c.Plans(`["improve"]`, "make it better")
	c.Part("choose").Will(agenttest.Reply{Text: `{"specialist":"docs"}`})
	c.Stages("docs", "Better.", agenttest.Edit("a.txt", "one", "One."))
	turn := s.AskSpecialists("improve a.txt")
	if agenttest.Answer(turn) != "Better." || turn.Specialists.Route != "docs" || !slices.Contains(traced(s), "heap_expand improve") {
		t.Errorf("turn: %+v, trace %q", turn, traced(s))
	}
}

func TestSpecialistsTakeMessagesWithoutAMode(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n"}, func(o *agent.Options) { o.Turns.Specialists = true })
	c.Plans(`["docs"]`, "figures")
	c.Stages("docs", "By docs.", agenttest.Edit("a.txt", "one", "1"))
	if turn := s.Say(conversation.Message{Text: "figures", Client: "test"}); agenttest.Answer(turn) != "By docs." {
		t.Errorf("turn: %+v", turn)
	}
	c.Part("").Will(agenttest.Reply{Text: "By one."})
	if turn := s.Say(conversation.Message{Text: "/plan figures", Client: "test"}); agenttest.Answer(turn) != "By one." {
		t.Errorf("a message with a mode went to specialists: %+v", turn)
	}
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "other figures", "test")
	if err != nil {
		t.Fatal(err)
	}
	if turn := s.Wait(id); turn.Specialists != nil {
		t.Errorf("feedback went to specialists: %+v", turn)
	}
}
