package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"redline/agent"
	"redline/agent/conversation"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/view"
)

// cast is a model that plays several parts, each with a script of its own: the system prompt says
// which one is asked.
type cast struct {
	mu    sync.Mutex
	parts map[string]*script
}

// lines are the texts that distinguish the parts.
var lines = map[string]string{
	"planner": "You are the planner", "choose": "You choose which one", "general": "You do the task as a whole",
	"code": "You change source code", "tests": "You write tests", "docs": "You write documentation",
	"review": "You review", "run": "You stage commands", "agents": "You write files for Redline itself",
}

func (c *cast) part(name string) *script {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts == nil {
		c.parts = map[string]*script{}
	}
	if c.parts[name] == nil {
		c.parts[name] = &script{}
	}
	return c.parts[name]
}

func (c *cast) Info() model.Info { return model.Info{Provider: "cast", Name: "cast"} }

func (c *cast) Complete(ctx context.Context, r model.Request, on func(model.Event)) (model.Reply, error) {
	for name, line := range lines {
		if strings.Contains(r.Messages[0].Content, line) {
			return c.part(name).Complete(ctx, r, on)
		}
	}
	return c.part("").Complete(ctx, r, on)
}

// plans makes the planner answer with an order and a task.
func (c *cast) plans(order, task string) {
	raw, _ := json.Marshal(task)
	c.part("planner").will(reply{text: `{"priorityOrder":` + order + `,"refinedTask":` + string(raw) + `}`})
}

// stages makes a specialist stage something and end with a summary.
func (c *cast) stages(name, summary string, calls ...model.Call) {
	c.part(name).will(reply{calls: calls}, reply{text: summary})
}

// asked returns the first messages to a specialist, without its system prompt.
func (c *cast) asked(t *testing.T, name string) string {
	t.Helper()
	p := c.part(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.asked) == 0 {
		t.Fatalf("%s was not asked", name)
	}
	var all []string
	for _, m := range p.asked[0].Messages[1:] {
		all = append(all, string(m.Role)+": "+m.Content)
	}
	return strings.Join(all, "\n")
}

// specialistSession starts a session whose model is a cast.
func specialistSession(t *testing.T, files map[string]string, change ...func(*agent.Options)) (*session, *cast) {
	t.Helper()
	s, c := newSession(t, files), &cast{}
	s.agent.Close()
	o := agent.Options{Workspace: s.ws, Store: s.store, Model: c}
	for _, f := range change {
		f(&o)
	}
	s.agent = agent.New(o)
	s.agent.Session.Attach(s.ed)
	t.Cleanup(s.agent.Close)
	return s, c
}

func (s *session) specialists(text string) state.Turn {
	s.t.Helper()
	return s.say(conversation.Message{Text: text, Client: "test", Mode: "heap"})
}

// traced returns the trace of the session so far, without texts.
func (s *session) traced() []string {
	s.ed.mu.Lock()
	defer s.ed.mu.Unlock()
	var out []string
	for _, e := range s.ed.events {
		if e.Kind == state.Traced && (strings.HasPrefix(string(e.Step.Kind), "heap_") || strings.HasPrefix(string(e.Step.Kind), "planner_")) {
			out = append(out, strings.TrimSpace(string(e.Step.Kind)+" "+e.Step.Name))
		}
	}
	return out
}

func (s *session) complaints() string {
	s.ed.mu.Lock()
	defer s.ed.mu.Unlock()
	var out []string
	for _, e := range s.ed.events {
		if e.Kind == state.Noticed && e.Error != "" {
			out = append(out, e.Error)
		}
	}
	return strings.Join(out, "\n")
}

func answerOf(t state.Turn) string {
	if t.Answer == nil {
		return ""
	}
	return *t.Answer
}

func TestSpecialistsWorkOneAfterTheOther(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.part("planner").will(reply{text: `{"priorityOrder":["code","review"],"refinedTask":"Write one as 1.",
		"extractedContext":{"file":"a.txt"},"instructions":{"review":"mind the digits"}}`})
	c.stages("code", "I wrote 1.", edit("a.txt", "one", "1"))
	c.part("review").will(reply{calls: []model.Call{call("read_file", map[string]any{"path": "a.txt"}), edit("a.txt", "two", "2")}}, reply{text: "It is right."})
	turn := s.specialists("please put figures into a.txt, see https://example.org/x?y=1")
	if turn.State != "done" || answerOf(turn) != "It is right." {
		t.Fatalf("turn: %+v", turn)
	}
	p := s.state1(1)
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
	task := c.asked(t, "review")
	for _, want := range []string{"Write one as 1.", "mind the digits", `"file": "a.txt"`, "https://example.org/x?y=1", "- code: I wrote 1."} {
		if !strings.Contains(task, want) {
			t.Errorf("the task lacks %q:\n%s", want, task)
		}
	}
	if n := len(c.part("review").asked[0].Messages); n != 2 {
		t.Errorf("review was sent %d messages, want the system prompt and the task", n)
	}
	review := c.part("review").asked
	if answer := review[1].Messages[3].Content; answer != "1\ntwo\n" {
		t.Errorf("review reads %q", answer)
	}
	if answer := review[1].Messages[4].Content; !strings.Contains(answer, `there is no tool "edit_file"`) {
		t.Errorf("review was given a tool that writes: %s", answer)
	}
	if turn.Usage != (state.Usage{Prompt: 50, Completion: 25}) {
		t.Errorf("usage: %+v", turn.Usage)
	}
	s.wantFile("a.txt", "one\ntwo\n")
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	s.wantFile("a.txt", "1\ntwo\n")
	want := []string{"planner_request", "planner_response", "planner_response", "heap_route", "heap_specialist code", "heap_tool code",
		"heap_tool_done code", "heap_specialist code", "heap_specialist review", "heap_tool review", "heap_tool review",
		"heap_tool_done review", "heap_tool_done review", "heap_specialist review"}
	if got := s.traced(); !slices.Equal(got, want) {
		t.Errorf("trace: %q", got)
	}
}

// Two specialists work at the same time, and their results are in the order of the plan.
func TestSpecialistsWorkAtTheSameTime(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	c.plans(`[{"parallel":["code","docs"]}]`, "figures")
	codeBegun, docsBegun := make(chan struct{}), make(chan struct{})
	c.part("code").will(reply{calls: []model.Call{edit("a.txt", "one", "1")}, begun: codeBegun, wait: docsBegun}, reply{text: "Code is done."})
	c.part("docs").will(reply{calls: []model.Call{edit("a.txt", "three", "3")}, begun: docsBegun, wait: codeBegun}, reply{text: "Docs are done."})
	turn := s.specialists("figures")
	if answerOf(turn) != "**code:** Code is done.\n\n**docs:** Docs are done." {
		t.Errorf("answer: %q", answerOf(turn))
	}
	p := s.state1(1)
	if len(p.Operations) != 2 || p.Operations[0].Step != "s1" || p.Operations[1].Step != "s2" || len(p.Files[0].Hunks) != 2 {
		t.Errorf("plan: %+v", p)
	}
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	s.wantFile("a.txt", "1\ntwo\n3\n")
}

func TestOverlappingEditsOfSpecialists(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.plans(`[{"parallel":["code","docs"]}]`, "figures")
	c.stages("code", "1.", edit("a.txt", "one", "1"))
	c.stages("docs", "uno.", edit("a.txt", "one", "uno"), edit("a.txt", "two", "2"))
	turn := s.specialists("figures")
	want := "What docs staged with edit_file of a.txt is left out: another has changed the same lines, while both worked."
	if !strings.Contains(answerOf(turn), want) || !strings.Contains(s.complaints(), want) || turn.State != "done" {
		t.Errorf("turn: %+v\nnotices: %s", turn, s.complaints())
	}
	p := s.state1(1)
	if !strings.Contains(p.Description, want) || !strings.Contains(p.Description, "Left out, of docs with edit_file of a.txt:\n\n    -one\n    +uno") {
		t.Errorf("the description is %q", p.Description)
	}
	if len(turn.Specialists.Conflicts) != 1 {
		t.Errorf("summary: %+v", turn.Specialists)
	}
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	s.wantFile("a.txt", "1\n2\n")
}

func TestThePlannerIsAskedOnceMore(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\n"})
	c.part("planner").will(reply{text: "Sure, code should do it!"}, reply{text: "```json\n{\"priorityOrder\":[\"nobody\",\"code\"]}\n```"})
	c.stages("code", "Done.", edit("a.txt", "one", "1"))
	turn := s.specialists("figures")
	if again := c.part("planner").asked[1].Messages; len(again) != 4 || !strings.Contains(again[3].Content, "Output only a single JSON object, no other text.") {
		t.Errorf("the planner was sent %+v", again)
	}
	sum := turn.Specialists
	if sum.By != "model" || sum.Route != "code" || sum.RefinedTask != "figures" || !slices.Equal(sum.Notes, []string{`There is no specialist "nobody"; it was left out.`}) {
		t.Errorf("summary: %+v", sum)
	}
}

func TestWordsDecideWithoutAPlanner(t *testing.T) {
	for name, replies := range map[string][]reply{
		"nonsense": {{text: "no"}, {text: `{"priorityOrder":["who"]}`}},
		"an error": {{err: &model.Error{}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := specialistSession(t, map[string]string{"a.txt": "one\n"})
			c.part("").will(reply{text: "I said it before."})
			s.say(conversation.Message{Text: "what is in it?", Client: "test", Mode: "ask"})
			c.part("planner").will(replies...)
			c.stages("tests", "A test.", call("write_file", map[string]any{"path": "a_test.txt", "content": "t\n"}))
			turn := s.specialists("write tests for a.txt")
			if turn.State != "done" || answerOf(turn) != "A test." || turn.Specialists.By != "rules" || turn.Specialists.Route != "tests" {
				t.Fatalf("turn: %+v %+v", turn, turn.Specialists)
			}
			if len(c.part("planner").asked) != len(replies) {
				t.Errorf("the planner was asked %d times", len(c.part("planner").asked))
			}
			task := c.asked(t, "tests")
			if want := "user: what is in it?\nassistant: I said it before.\nuser: write tests for a.txt"; !strings.HasPrefix(task, want) {
				t.Errorf("it was sent:\n%s", task)
			}
		})
	}
}

// The plan's goal is the request, even if the planner has asked a question first.
func TestTheRequestCountsAfterThePlannersQuestion(t *testing.T) {
	answers := map[string][]reply{
		"no plan":         {{text: "The docs specialist, I think."}, {text: "As I said."}},
		"no refined task": {{text: `{"priorityOrder":["docs"]}`}},
		"a word left out": {{text: `{"priorityOrder":["docs"],"refinedTask":"Write it."}`}},
	}
	for name, then := range answers {
		t.Run(name, func(t *testing.T) {
			s, c := specialistSession(t, map[string]string{"README.md": "one\n"})
			c.part("planner").will(reply{text: `{"question":"Which language?"}`})
			c.part("planner").will(then...)
			c.part("docs").will(reply{text: "Done."})
			s.specialists("document https://example.test/a in the README")
			s.say(conversation.Message{Text: "English, as https://example.test/b has it", Client: "test"})
			task := c.asked(t, "docs")
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
	s, c := specialistSession(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.plans(`[{"specialist":"code","after":[]},{"specialist":"docs","after":[]},{"specialist":"tests","after":["code"]}]`, "figures")
	c.part("code").will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{err: errors.New("the line is cut")})
	c.stages("docs", "Docs are done.", edit("a.txt", "two", "2"))
	turn := s.specialists("figures")
	if turn.State != "done" || !strings.HasPrefix(answerOf(turn), "Docs are done.") ||
		!strings.Contains(answerOf(turn), "The specialist code failed; what it had staged is kept: The line is cut.") ||
		!strings.Contains(answerOf(turn), "The specialist tests did not begin: It was to continue what code did, and that failed.") {
		t.Errorf("turn: %+v, answer %q", turn, answerOf(turn))
	}
	if len(c.part("tests").asked) > 0 {
		t.Error("tests was asked")
	}
	s.approve(view.Request{Plan: 1, Hash: s.state1(1).Hash})
	s.wantFile("a.txt", "1\n2\n")
}

func TestAllSpecialistsFail(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\n"})
	c.plans(`["code","tests"]`, "figures")
	c.part("code").will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{err: &model.Error{}})
	turn := s.specialists("figures")
	if turn.State != "failed" || !model.Failed(s.agent.Conversations.Failure(turn.Turn)) {
		t.Errorf("turn: %+v", turn)
	}
	if p := s.state1(1); !strings.Contains(p.Description, "Incomplete: ") || len(p.Operations) != 1 {
		t.Errorf("what was staged is not kept: %+v", p)
	}
	c.plans(`["docs"]`, "figures")
	c.part("docs").will(reply{err: &model.Error{}})
	if turn := s.say(conversation.Message{Text: "figures", Client: "test", Mode: "heap", New: true}); turn.State != "failed" || s.agent.Conversations.PlanOf(turn.Turn) != 0 {
		t.Errorf("turn: %+v", turn)
	}
}

func TestATurnOfSpecialistsIsCancelled(t *testing.T) {
	defer noneLeft(t, goleak.IgnoreCurrent())
	s, c := specialistSession(t, map[string]string{"a.txt": "one\n"})
	c.plans(`[{"parallel":["code","docs","tests"]},"review"]`, "figures")
	never := make(chan struct{})
	var begun []chan struct{}
	for _, name := range []string{"code", "docs", "tests"} {
		b := make(chan struct{})
		begun = append(begun, b)
		c.part(name).will(reply{calls: []model.Call{edit("a.txt", "one", name)}, begun: b, wait: never})
	}
	id, _, err := s.agent.Turns.Send(conversation.Message{Text: "figures", Client: "test", Mode: "heap"})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range begun {
		<-b
	}
	at := time.Now()
	s.agent.Cancel(id)
	turn := s.wait(id)
	if took := time.Since(at); took > 500*time.Millisecond {
		t.Errorf("it stopped after %s", took)
	}
	if turn.State != "cancelled" || s.agent.Conversations.PlanOf(id) != 0 || len(c.part("review").asked) > 0 {
		t.Errorf("turn: %+v", turn)
	}
	s.agent.Close()
	s.store.Close()
}

// The limits apply to the turn, not to each specialist.
func TestLimitsHoldOverAllSpecialists(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\ntwo\n"}, func(o *agent.Options) { o.Turns.Limits = loop.Limits{Requests: 4} })
	c.plans(`["code","docs","tests"]`, "figures")
	c.stages("code", "Code is done.", edit("a.txt", "one", "1"))
	c.stages("docs", "Docs are done.", edit("a.txt", "two", "2"))
	turn := s.specialists("figures")
	if turn.State != "done" || !strings.Contains(answerOf(turn), "The turn was ended after 4 requests to the model") {
		t.Errorf("turn: %+v, answer %q", turn, answerOf(turn))
	}
	var states []string
	for _, sp := range turn.Specialists.Specialists {
		states = append(states, string(sp.State))
	}
	if !slices.Equal(states, []string{"done", "stopped", "skipped"}) {
		t.Errorf("states: %q", states)
	}
	if p := s.state1(1); len(p.Operations) != 2 {
		t.Errorf("what was staged is not kept: %+v", p.Operations)
	}
}

func TestATurnOfSpecialistsTakesTooLong(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\n"}, func(o *agent.Options) { o.Turns.Limits = loop.Limits{Wall: 300 * time.Millisecond} })
	c.plans(`["code","docs"]`, "figures")
	c.part("code").will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{wait: make(chan struct{})})
	turn := s.specialists("figures")
	if turn.State != "done" || !strings.Contains(answerOf(turn), "The turn was ended after 300ms, the limit for one turn") || len(s.state1(1).Operations) != 1 {
		t.Errorf("turn: %+v, answer %q", turn, answerOf(turn))
	}
}

// Another request makes a revision: the earlier steps stay, and the new ones have names of their
// own.
func TestSpecialistsRevise(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.plans(`["code","review"]`, "figures")
	c.stages("code", "1.", edit("a.txt", "one", "1"))
	c.part("review").will(reply{text: "Good."})
	s.specialists("figures")
	c.plans(`["docs"]`, "more figures")
	c.stages("docs", "2.", edit("a.txt", "two", "2"))
	s.specialists("more")
	p := s.state1(1)
	var steps []string
	for _, st := range p.Steps {
		steps = append(steps, st.ID+" "+st.Description)
	}
	if p.Revision != 2 || !slices.Equal(steps, []string{"s1 code: figures", "s3 docs: more figures"}) || p.Operations[0].Step != "s1" || p.Operations[1].Step != "s3" {
		t.Errorf("plan: %+v", p)
	}
	if system := c.part("docs").asked[0].Messages[0].Content; !strings.Contains(system, "The plan below already exists") || !strings.Contains(system, "Goal: figures") {
		t.Errorf("docs does not know of the plan:\n%s", system)
	}
	planner := c.part("planner").asked[1].Messages[1].Content
	if !strings.Contains(planner, "user: figures") || !strings.Contains(planner, "more") {
		t.Errorf("the planner does not know what was said:\n%s", planner)
	}
}

// A specialist that works alone on an existing plan can remove operations that do not serve the
// request. Several, each with a draft of its own, cannot, and their prompt does not offer it.
func TestWhoRevisesAloneTakesOut(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	c.part("planner").will(reply{text: `{"one":"code"}`})
	c.stages("code", "Figures.", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"))
	s.specialists("figures")
	c.part("planner").will(reply{text: `{"one":"code"}`})
	c.stages("code", "Only one.", call("unstage", map[string]any{"operations": []string{"o2"}}))
	if turn := s.specialists("only in a.txt"); answerOf(turn) != "Only one." {
		t.Errorf("turn: %+v", turn)
	}
	p := s.state1(1)
	if p.Revision != 2 || len(p.Operations) != 1 || p.Operations[0].Path != "a.txt" {
		t.Errorf("plan: %+v", p)
	}
	c.plans(`["docs","review"]`, "in b.txt after all")
	c.stages("docs", "Two.", edit("b.txt", "two", "2"))
	c.part("review").will(reply{text: "Good."})
	s.specialists("the other one too")
	first := c.part("docs").asked[0]
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
	s, c := specialistSession(t, map[string]string{"a.txt": "one\n"})
	c.plans(`["improve"]`, "make it better")
	c.part("choose").will(reply{text: `{"specialist":"docs"}`})
	c.stages("docs", "Better.", edit("a.txt", "one", "One."))
	turn := s.specialists("improve a.txt")
	if answerOf(turn) != "Better." || turn.Specialists.Route != "docs" || !slices.Contains(s.traced(), "heap_expand improve") {
		t.Errorf("turn: %+v, trace %q", turn, s.traced())
	}
}

func TestSpecialistsTakeMessagesWithoutAMode(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\n"}, func(o *agent.Options) { o.Turns.Specialists = true })
	c.plans(`["docs"]`, "figures")
	c.stages("docs", "By docs.", edit("a.txt", "one", "1"))
	if turn := s.say(conversation.Message{Text: "figures", Client: "test"}); answerOf(turn) != "By docs." {
		t.Errorf("turn: %+v", turn)
	}
	c.part("").will(reply{text: "By one."})
	if turn := s.say(conversation.Message{Text: "/plan figures", Client: "test"}); answerOf(turn) != "By one." {
		t.Errorf("a message with a mode went to specialists: %+v", turn)
	}
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "other figures", "test")
	if err != nil {
		t.Fatal(err)
	}
	if turn := s.wait(id); turn.Specialists != nil {
		t.Errorf("feedback went to specialists: %+v", turn)
	}
}
