package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/audit"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/workspace/runner"
)

const inWords = "Figures instead of words.\n\n1. Change `a.txt`.\n2. Change `b.txt`."

// planInWords makes plan 1, in words, which expects a.txt and b.txt.
func (s *session) planInWords() state.Plan {
	s.t.Helper()
	s.model.will(reply{text: inWords}, reply{text: `{"files":["a.txt","b.txt"]}`})
	if turn := s.say(conversation.Message{Text: "use figures", Client: "test", Mode: "text"}); turn.State != "done" {
		s.t.Fatalf("turn: %+v", turn)
	}
	p := s.state1(1)
	s.agent.Session.Shown(1, p.Revision, p.Hash, "test")
	return p
}

var numbers = map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"}

// toolsOf returns the names of the tools of a request in alphabetical order.
func toolsOf(r model.Request) string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// The model of a plan in words reads the files and tries commands on them, and stages nothing.
func TestAPlanInWordsHasLooked(t *testing.T) {
	s := newSession(t, numbers)
	s.trials = fakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "FAIL: one\n"}
	})
	s.restart()
	s.model.will(
		reply{calls: []model.Call{call("read_file", map[string]any{"path": "a.txt"}), try("make check"), edit("a.txt", "one", "1")}},
		reply{text: inWords}, reply{text: `{"files":["a.txt"]}`},
	)
	s.say(conversation.Message{Text: "use figures", Client: "test", Mode: "text"})
	if got := toolsOf(s.model.asked[0]); got != "list_files outline read_file search try_command" {
		t.Errorf("the model has the tools %s", got)
	}
	var answers []string
	for _, m := range s.model.asked[1].Messages {
		if m.Role == model.RoleTool {
			answers = append(answers, m.Content)
		}
	}
	if len(answers) != 3 || !strings.Contains(answers[0], "one") || !strings.HasPrefix(answers[1], "exit code 1 after 0.0 s (on the files as they are: nothing is staged)\n") ||
		strings.Contains(answers[1], "without your edits") || !strings.HasPrefix(answers[2], "error: ") {
		t.Errorf("the tools have answered %q", answers)
	}
	if p := s.state1(1); !p.TextOnly || p.Description != inWords || len(p.Operations)+len(p.Files) != 0 {
		t.Errorf("plan: %+v", p)
	}
}

func TestAPlanInWords(t *testing.T) {
	s := newSession(t, numbers)
	p := s.planInWords()
	if p.State != "awaiting_approval" || p.Description != inWords || !slices.Equal(p.Predicted, []string{"a.txt", "b.txt"}) || len(p.Operations)+len(p.Files) != 0 {
		t.Errorf("plan: %+v", p)
	}
	if got := toolsOf(s.model.asked[0]); got != "list_files outline read_file search" {
		t.Errorf("the model has the tools %s", got)
	}
	if got := toolsOf(s.model.asked[1]); got != "" {
		t.Errorf("the files are asked for with the tools %s", got)
	}
	if s.model.asked[1].Schema == nil {
		t.Error("the files were asked for without a schema")
	}
	s.model.stages(edit("a.txt", "one", "1"), edit("c.txt", "three", "3"))
	r := s.approve(view.Request{Plan: 1, Hash: p.Hash})
	if r.State != "drafting" || r.Turn == "" {
		t.Fatalf("result: %+v", r)
	}
	turn := s.wait(r.Turn)
	next := s.state1(1)
	if turn.State != "done" || next.State != "awaiting_approval" || next.Revision != 2 || next.Hash == p.Hash || len(next.Files) != 2 {
		t.Fatalf("turn %+v, plan %+v", turn, next)
	}
	drift := "Other than the plan in words said: also c.txt; not b.txt."
	if !strings.Contains(*turn.Answer, drift) {
		t.Errorf("the answer is %q", *turn.Answer)
	}
	if next.Drift == nil || !slices.Equal(next.Drift.Unexpected, []string{"c.txt"}) || !slices.Equal(next.Drift.Untouched, []string{"b.txt"}) {
		t.Errorf("drift: %+v", next.Drift)
	}
	request := s.model.asked[2]
	whole := ""
	for _, m := range request.Messages {
		whole += m.Content + "\n"
	}
	if last := request.Messages[len(request.Messages)-1].Content; !strings.HasPrefix(last, "Plan 1 is approved: stage it.") || strings.Count(whole, inWords) != 1 {
		t.Errorf("the last message is %q; the plan stands %d times in\n%s", last, strings.Count(whole, inWords), whole)
	}
	if len(request.Tools) == 0 || !strings.Contains(aboutIn(request.Messages), inWords) {
		t.Errorf("the plan was worked out with %d tools and\n%s", len(request.Tools), request.Messages[0].Content)
	}
	s.wantFile("a.txt", "one\n")
	s.approve(view.Request{Plan: 1, Hash: next.Hash})
	s.wantFile("a.txt", "1\n")
	s.wantFile("c.txt", "3\n")
	if p := s.state1(1); p.State != "completed" || p.Goal != "use figures" || p.Steps[0].Description != "use figures" {
		t.Errorf("plan: %+v", p)
	}
}

func TestFilesAreFoundInTheWordsWhereTheModelFails(t *testing.T) {
	for name, bad := range map[string]reply{
		"prose":    {text: "It is a.txt, mostly."},
		"an error": {err: errors.New("gone")},
	} {
		s := newSession(t, numbers)
		s.model.will(reply{text: inWords + " Not `/etc/passwd` nor `../x.txt`."}, bad)
		s.say(conversation.Message{Text: "/text use figures", Client: "test"})
		if p := s.state1(1); !slices.Equal(p.Predicted, []string{"a.txt", "b.txt"}) {
			t.Errorf("%s: predicted %q", name, p.Predicted)
		}
	}
}

func TestASecondLook(t *testing.T) {
	both := []model.Call{edit("a.txt", "one", "1"), edit("b.txt", "two", "2")}
	other := []model.Call{edit("a.txt", "one", "1"), edit("c.txt", "three", "3")}
	command := append(slices.Clone(both), call("run_command", map[string]any{"command": "true"}))
	for name, c := range map[string]struct {
		rule  string
		calls []model.Call
		state string // after the turn
		says  string
	}{
		"the default":               {"", both, "awaiting_approval", "The files are those that the plan in words named."},
		"always":                    {"always", both, "awaiting_approval", ""},
		"on drift, none":            {"drift", both, "completed", "By your rule approval.second_look = drift: Plan 1 approved"},
		"on drift, some":            {"drift", other, "awaiting_approval", "also c.txt; not b.txt"},
		"never":                     {"never", other, "completed", "By your rule approval.second_look = never"},
		"never, but for a command":  {"never", command, "reviewing", "By your rule"},
		"never, and only a command": {"never", command[2:], "awaiting_approval", "not a.txt, b.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, numbers)
			s.withOptions(func(o *agent.Options) { o.Turns.SecondLook = c.rule })
			p := s.planInWords()
			s.model.stages(c.calls...)
			turn := s.wait(s.approve(view.Request{Plan: 1, Hash: p.Hash}).Turn)
			p = s.state1(1)
			if p.State != c.state || p.Revision != 2 || turn.State != "done" || !strings.Contains(*turn.Answer, c.says) {
				t.Errorf("plan %s, revision %d; turn %+v %q", p.State, p.Revision, turn, *turn.Answer)
			}
			var approvers []string
			for _, r := range s.auditLog() {
				if r.Event == audit.Approved {
					approvers = append(approvers, r.Who)
				}
			}
			want := []string{"user"}
			if c.state == "completed" || c.state == "reviewing" {
				want = append(want, "rule: approval.second_look = "+c.rule)
			} else {
				s.wantFile("a.txt", "one\n")
			}
			if !slices.Equal(approvers, want) {
				t.Errorf("approved by %q, want %q", approvers, want)
			}
			for _, c := range p.Commands {
				if c.Status != "pending" {
					t.Errorf("command %s is %s", c.ID, c.Status)
				}
			}
		})
	}
}

// No rule approves a plan that was cut short.
func TestNoRuleApprovesHalfAPlan(t *testing.T) {
	s := newSession(t, numbers)
	s.withOptions(func(o *agent.Options) { o.Turns.SecondLook = "never" })
	p := s.planInWords()
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}, err: errors.New("the line is dead")})
	r := s.approve(view.Request{Plan: 1, Hash: p.Hash})
	if turn := s.wait(r.Turn); turn.State != "failed" {
		t.Errorf("turn: %+v", turn)
	}
	if p := s.state1(1); p.State != "awaiting_approval" || p.Revision != 2 || !strings.Contains(p.Description, "Incomplete: The line is dead.") {
		t.Errorf("plan: %+v", p)
	}
	s.wantFile("a.txt", "one\n")
}

func TestAPlanInWordsOfWhichNothingComes(t *testing.T) {
	s := newSession(t, numbers)
	p := s.planInWords()
	s.model.will(reply{text: "There is nothing to do."})
	turn := s.wait(s.approve(view.Request{Plan: 1, Hash: p.Hash}).Turn)
	if turn.State != "done" || *turn.Answer != "There is nothing to do.\n\nNothing was staged, so plan 1 waits as it was." {
		t.Errorf("turn: %+v", turn)
	}
	if next := s.state1(1); next.State != "awaiting_approval" || next.Hash != p.Hash {
		t.Errorf("plan: %+v", next)
	}
	s.model.stages(edit("a.txt", "one", "1"))
	if turn := s.wait(s.approve(view.Request{Plan: 1, Hash: p.Hash}).Turn); turn.State != "done" || s.state1(1).Revision != 2 {
		t.Errorf("again: %+v", turn)
	}
}

func TestWhatIsRefusedOfAPlanInWords(t *testing.T) {
	s := newSession(t, numbers)
	p := s.planInWords()
	for name, c := range map[string]struct {
		d    view.Request
		kind plan.RefusalKind
	}{
		"another hash":     {view.Request{Plan: 1, Hash: "sha256:0"}, plan.HashMismatch},
		"another revision": {view.Request{Plan: 1, Revision: 2}, plan.HashMismatch},
		"a file":           {view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"a.txt"}}, plan.Invalid},
		"a hunk":           {view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}, plan.Invalid},
	} {
		_, err := s.agent.Approve(s.ctx(), c.d)
		if r, ok := errors.AsType[*plan.Refusal](err); !ok || r.Kind != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	wait := make(chan struct{})
	begun := make(chan struct{})
	s.model.will(reply{text: "Hm.", wait: wait, begun: begun})
	id, _, err := s.agent.Turns.Send(conversation.Message{Text: "/ask why?", Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	_, err = s.agent.Approve(s.ctx(), view.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, plan.Busy)
	close(wait)
	s.wait(id)
	s.model.will(reply{text: "?", wait: make(chan struct{})})
	r := s.approve(view.Request{Plan: 1, Hash: p.Hash})
	_, err = s.agent.Approve(s.ctx(), view.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, plan.WrongState)
	s.agent.Cancel(r.Turn)
	if turn := s.wait(r.Turn); turn.State != "cancelled" {
		t.Errorf("turn: %+v", turn)
	}
	if p := s.state1(1); p.State != "awaiting_approval" || p.Revision != 1 {
		t.Errorf("after cancelling: %+v", p)
	}
	if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1, Hash: p.Hash}); err != nil || s.state1(1).State != "cancelled" {
		t.Errorf("rejecting: %v", err)
	}
}

func TestAPlanInWordsSurvivesARestart(t *testing.T) {
	s := newSession(t, numbers)
	p := s.planInWords()
	begun := make(chan struct{})
	s.model.will(reply{text: "?", begun: begun, wait: make(chan struct{})}) // the turn is cut off with the process
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	<-begun
	s.restart()
	if next := s.state1(1); next.State != "awaiting_approval" || next.Hash != p.Hash || !slices.Equal(next.Predicted, p.Predicted) {
		t.Fatalf("plan: %+v", next)
	}
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1"), edit("b.txt", "two", "2")}}, reply{text: "Done."})
	if turn := s.wait(s.approve(view.Request{Plan: 1, Hash: p.Hash}).Turn); turn.State != "done" {
		t.Errorf("turn: %+v", turn)
	}
	s.restart()
	if next := s.state1(1); next.Revision != 2 || next.Drift == nil || len(next.Drift.Unexpected)+len(next.Drift.Untouched) != 0 {
		t.Errorf("plan: %+v, drift %+v", next, next.Drift)
	}
}

func TestAPlanInWordsIsReworkedInWords(t *testing.T) {
	s := newSession(t, numbers)
	s.planInWords()
	s.model.will(reply{text: "Only `a.txt`."}, reply{text: `{"files":["a.txt"]}`})
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "not b.txt", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.wait(id)
	if p := s.state1(1); p.Revision != 2 || p.Description != "Only `a.txt`." || !slices.Equal(p.Predicted, []string{"a.txt"}) || len(p.Operations) != 0 {
		t.Errorf("plan: %+v", p)
	}
	if e := s.routed(); e.Route != "text" || e.By != "rework" {
		t.Errorf("event: %+v", e)
	}
	if about := aboutIn(s.model.asked[2].Messages); !strings.Contains(about, inWords) {
		t.Errorf("the model was not shown the plan:\n%s", about)
	}
}

func TestAPhraseApprovesAPlanInWords(t *testing.T) {
	s := newSession(t, numbers)
	s.planInWords()
	s.model.stages(edit("a.txt", "one", "1"))
	turn := s.say(conversation.Message{Text: "go ahead", Client: "test"})
	if p := s.state1(1); turn.State != "done" || p.Revision != 2 || p.State != "awaiting_approval" {
		t.Errorf("turn %+v, plan %+v", turn, p)
	}
}

// If a plan was requested and the model has called no writing tool, its reply is a plan in words.
func TestAPlanThatWasWantedIsInWords(t *testing.T) {
	s := newSession(t, numbers)
	s.model.will(reply{text: "I would change `a.txt`."}, reply{text: `{"files":["a.txt"]}`})
	s.say(conversation.Message{Text: "/plan use figures", Client: "test"})
	if p := s.state1(1); p.Description != "I would change `a.txt`." || !slices.Equal(p.Predicted, []string{"a.txt"}) || p.State != "awaiting_approval" {
		t.Errorf("plan: %+v", p)
	}
	if e := s.routed(); e.Route != "tools" {
		t.Errorf("event: %+v", e)
	}
	s = newSession(t, numbers)
	s.model.will(reply{calls: []model.Call{edit("a.txt", "nine", "9")}}, reply{text: "There is no nine."})
	if turn := s.say(conversation.Message{Text: "/plan use figures", Client: "test"}); s.agent.Conversations.PlanOf(turn.Turn) != 0 {
		t.Error("a call that was refused led to a plan in words")
	}
	s.model.will(reply{text: "It is one."})
	if turn := s.say(conversation.Message{Text: "what is in a.txt?", Client: "test"}); s.agent.Conversations.PlanOf(turn.Turn) != 0 {
		t.Error("an answer became a plan")
	}
}

// A request for a plan in words while edits are pending starts another plan: nothing that was
// staged is discarded.
func TestWordsGiveUpNoEdits(t *testing.T) {
	s := newSession(t, numbers)
	talk := s.planned()
	s.model.will(reply{text: "Change `c.txt`."}, reply{text: `{"files":["c.txt"]}`})
	turn := s.say(conversation.Message{Text: "make a plan for c.txt", Conversation: talk, Client: "test"})
	if e := s.routed(); e.Route != "text" || e.By != "rules" {
		t.Errorf("event: %+v", e)
	}
	if n := s.agent.Conversations.PlanOf(turn.Turn); n != 2 || s.state1(1).State != "awaiting_approval" || len(s.state1(1).Files) != 1 {
		t.Errorf("plan %d, plan 1 %+v", n, s.state1(1))
	}
}

// The words can be edited in the preview: the user's version is what is approved and worked out.
func TestWordsAreEditedInThePreview(t *testing.T) {
	s := newSession(t, numbers)
	p := s.planInWords()
	page := s.preview("0001-r1.md")
	read, err := s.agent.EditPreview(s.ctx(), "plans/0001-r1.md", strings.Replace(page, "Change `b.txt`", "Leave `b.txt`", 1))
	if err != nil || len(read.Problems) > 0 || read.Revision != 2 {
		t.Fatalf("%+v, %v", read, err)
	}
	next := s.state1(1)
	if !next.TextOnly || next.Hash == p.Hash || !strings.Contains(next.Description, "Leave `b.txt`") || next.Revisions[1].Author != "user" {
		t.Errorf("plan: %+v", next)
	}
	_, err = s.agent.Approve(s.ctx(), view.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, plan.HashMismatch)
	s.model.stages(edit("a.txt", "one", "1"))
	s.wait(s.approve(view.Request{Plan: 1, Hash: next.Hash}).Turn)
	if about := aboutIn(s.model.asked[2].Messages); !strings.Contains(about, "Leave `b.txt`") {
		t.Errorf("it was worked out from\n%s", about)
	}
}

// A plan in words that another process has continued is not overwritten with words.
func TestWordsDoNotOverwriteWhatAnotherSessionMade(t *testing.T) {
	s := newSession(t, numbers)
	s.planInWords()
	wait, begun := make(chan struct{}), make(chan struct{})
	s.model.will(reply{text: "Only `a.txt`.", wait: wait, begun: begun}, reply{text: `{"files":["a.txt"]}`})
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "not b.txt", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if _, err := s.another().EditPreview(s.ctx(), "plans/0001-r1.md", strings.Replace(s.preview("0001-r1.md"), "Change `b.txt`", "Leave `b.txt`", 1)); err != nil {
		t.Fatal(err)
	}
	close(wait)
	turn := s.wait(id)
	s.wantRefused(s.agent.Conversations.Failure(turn.Turn), plan.WrongState)
	if _, err := s.agent.State(s.ctx(), false); err != nil { // makes it see what others have done
		t.Fatal(err)
	}
	if p := s.state1(1); p.Revision != 2 || !strings.Contains(p.Description, "Leave `b.txt`") {
		t.Errorf("plan: %+v", p)
	}
}

// If the built-in model cannot read a request, its message is an answer, even where a plan in words
// was requested, and a pending plan stays.
func TestTheBuiltInModelsHelpIsNoPlan(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.withOptions(func(o *agent.Options) { o.Model = model.New(model.Config{}) })
	turn := s.say(conversation.Message{Text: "/text what would you do?"})
	if turn.State != "done" || !strings.Contains(answerOf(turn), "I am Redline's built-in model") {
		t.Errorf("the turn is %s and says %q", turn.State, answerOf(turn))
	}
	if got := s.told(s.agent, true); len(got) > 0 {
		t.Errorf("there are the plans %q", got)
	}
	s.say(conversation.Message{Text: `/text replace "one" with "1"`})
	s.say(conversation.Message{Text: "/text and now make it nicer"})
	if p := s.state1(1); !p.TextOnly || p.Revision != 1 || p.State != "awaiting_approval" {
		t.Errorf("the plan in words is %+v", p)
	}
}
