package turn_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/audit"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace/runner"
)

// The model of a plan in words reads the files and tries commands on them, and stages nothing.
func TestAPlanInWordsHasLooked(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "FAIL: one\n"}
	})
	s.Restart()
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Call("read_file", map[string]any{"path": "a.txt"}), agenttest.Try("make check"), agenttest.Edit("a.txt", "one", "1")}},
		agenttest.Reply{Text: agenttest.InWords}, agenttest.Reply{Text: `{"files":["a.txt"]}`},
	)
	s.Say(conversation.Message{Text: "use figures", Client: "test", Mode: "text"})
	if got := agenttest.Tools(s.Model.Asked()[0]); got != "list_files outline read_file search try_command" {
		t.Errorf("the model has the tools %s", got)
	}
	var answers []string
	for _, m := range s.Model.Asked()[1].Messages {
		if m.Role == model.RoleTool {
			answers = append(answers, m.Content)
		}
	}
	if len(answers) != 3 || !strings.Contains(answers[0], "one") || !strings.HasPrefix(answers[1], "exit code 1 after 0.0 s (on the files as they are: nothing is staged)\n") ||
		strings.Contains(answers[1], "without your edits") || !strings.HasPrefix(answers[2], "error: ") {
		t.Errorf("the tools have answered %q", answers)
	}
	if p := s.PlanNow(1); !p.TextOnly || p.Description != agenttest.InWords || len(p.Operations)+len(p.Files) != 0 {
		t.Errorf("plan: %+v", p)
	}
}

func TestAPlanInWords(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	p := s.PlanInWords()
	if p.State != "awaiting_approval" || p.Description != agenttest.InWords || !slices.Equal(p.Predicted, []string{"a.txt", "b.txt"}) || len(p.Operations)+len(p.Files) != 0 {
		t.Errorf("plan: %+v", p)
	}
	if got := agenttest.Tools(s.Model.Asked()[0]); got != "list_files outline read_file search" {
		t.Errorf("the model has the tools %s", got)
	}
	if got := agenttest.Tools(s.Model.Asked()[1]); got != "" {
		t.Errorf("the files are asked for with the tools %s", got)
	}
	if s.Model.Asked()[1].Schema == nil {
		t.Error("the files were asked for without a schema")
	}
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("c.txt", "three", "3"))
	r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	if r.State != "drafting" || r.Turn == "" {
		t.Fatalf("result: %+v", r)
	}
	turn := s.Wait(r.Turn)
	next := s.PlanNow(1)
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
	request := s.Model.Asked()[2]
	whole := ""
	for _, m := range request.Messages {
		whole += m.Content + "\n"
	}
	if last := request.Messages[len(request.Messages)-1].Content; !strings.HasPrefix(last, "Plan 1 is approved: stage it.") || strings.Count(whole, agenttest.InWords) != 1 {
		t.Errorf("the last message is %q; the plan stands %d times in\n%s", last, strings.Count(whole, agenttest.InWords), whole)
	}
	if len(request.Tools) == 0 || !strings.Contains(aboutIn(request.Messages), agenttest.InWords) {
		t.Errorf("the plan was worked out with %d tools and\n%s", len(request.Tools), request.Messages[0].Content)
	}
	s.WantFile("a.txt", "one\n")
	s.MustApprove(view.Request{Plan: 1, Hash: next.Hash})
	s.WantFile("a.txt", "1\n")
	s.WantFile("c.txt", "3\n")
	if p := s.PlanNow(1); p.State != "completed" || p.Goal != "use figures" || p.Steps[0].Description != "use figures" {
		t.Errorf("plan: %+v", p)
	}
}

func TestFilesAreFoundInTheWordsWhereTheModelFails(t *testing.T) {
	for name, bad := range map[string]agenttest.Reply{
		"prose":    {Text: "It is a.txt, mostly."},
		"an error": {Err: errors.New("gone")},
	} {
		s := agenttest.New(t, agenttest.Numbers)
		s.Model.Will(agenttest.Reply{Text: agenttest.InWords + " Not `/etc/passwd` nor `../x.txt`."}, bad)
		s.Say(conversation.Message{Text: "/text use figures", Client: "test"})
		if p := s.PlanNow(1); !slices.Equal(p.Predicted, []string{"a.txt", "b.txt"}) {
			t.Errorf("%s: predicted %q", name, p.Predicted)
		}
	}
}

func TestASecondLook(t *testing.T) {
	both := []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("b.txt", "two", "2")}
	other := []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("c.txt", "three", "3")}
	command := append(slices.Clone(both), agenttest.Call("run_command", map[string]any{"command": "true"}))
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
			s := agenttest.New(t, agenttest.Numbers)
			s.With(func(o *agent.Options) { o.Turns.SecondLook = c.rule })
			p := s.PlanInWords()
			s.Model.Stages(c.calls...)
			turn := s.Wait(s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}).Turn)
			p = s.PlanNow(1)
			if p.State != c.state || p.Revision != 2 || turn.State != "done" || !strings.Contains(*turn.Answer, c.says) {
				t.Errorf("plan %s, revision %d; turn %+v %q", p.State, p.Revision, turn, *turn.Answer)
			}
			var approvers []string
			for _, r := range auditLog(s) {
				if r.Event == audit.Approved {
					approvers = append(approvers, r.Who)
				}
			}
			want := []string{"user"}
			if c.state == "completed" || c.state == "reviewing" {
				want = append(want, "rule: approval.second_look = "+c.rule)
			} else {
				s.WantFile("a.txt", "one\n")
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
	s := agenttest.New(t, agenttest.Numbers)
	s.With(func(o *agent.Options) { o.Turns.SecondLook = "never" })
	p := s.PlanInWords()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}, Err: errors.New("the line is dead")})
	r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	if turn := s.Wait(r.Turn); turn.State != "failed" {
		t.Errorf("turn: %+v", turn)
	}
	if p := s.PlanNow(1); p.State != "awaiting_approval" || p.Revision != 2 || !strings.Contains(p.Description, "Incomplete: The line is dead.") {
		t.Errorf("plan: %+v", p)
	}
	s.WantFile("a.txt", "one\n")
}

func TestAPlanInWordsOfWhichNothingComes(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	p := s.PlanInWords()
	s.Model.Will(agenttest.Reply{Text: "There is nothing to do."})
	turn := s.Wait(s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}).Turn)
	if turn.State != "done" || *turn.Answer != "There is nothing to do.\n\nNothing was staged, so plan 1 waits as it was." {
		t.Errorf("turn: %+v", turn)
	}
	if next := s.PlanNow(1); next.State != "awaiting_approval" || next.Hash != p.Hash {
		t.Errorf("plan: %+v", next)
	}
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	if turn := s.Wait(s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}).Turn); turn.State != "done" || s.PlanNow(1).Revision != 2 {
		t.Errorf("again: %+v", turn)
	}
}

func TestWhatIsRefusedOfAPlanInWords(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	p := s.PlanInWords()
	for name, c := range map[string]struct {
		d    view.Request
		kind plan.RefusalKind
	}{
		"another hash":     {view.Request{Plan: 1, Hash: "sha256:0"}, plan.HashMismatch},
		"another revision": {view.Request{Plan: 1, Revision: 2}, plan.HashMismatch},
		"a file":           {view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"a.txt"}}, plan.Invalid},
		"a hunk":           {view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}, plan.Invalid},
	} {
		_, err := s.Agent.Approve(s.Context(), c.d)
		if r, ok := errors.AsType[*plan.Refusal](err); !ok || r.Kind != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	wait := make(chan struct{})
	begun := make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "Hm.", Wait: wait, Begun: begun})
	id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "/ask why?", Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	_, err = s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.Busy)
	close(wait)
	s.Wait(id)
	s.Model.Will(agenttest.Reply{Text: "?", Wait: make(chan struct{})})
	r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	_, err = s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.WrongState)
	s.Agent.Cancel(r.Turn)
	if turn := s.Wait(r.Turn); turn.State != "cancelled" {
		t.Errorf("turn: %+v", turn)
	}
	if p := s.PlanNow(1); p.State != "awaiting_approval" || p.Revision != 1 {
		t.Errorf("after cancelling: %+v", p)
	}
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err != nil || s.PlanNow(1).State != "cancelled" {
		t.Errorf("rejecting: %v", err)
	}
}

func TestAPlanInWordsSurvivesARestart(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	p := s.PlanInWords()
	begun := make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "?", Begun: begun, Wait: make(chan struct{})}) // the turn is cut off with the process
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	<-begun
	s.Restart()
	if next := s.PlanNow(1); next.State != "awaiting_approval" || next.Hash != p.Hash || !slices.Equal(next.Predicted, p.Predicted) {
		t.Fatalf("plan: %+v", next)
	}
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("b.txt", "two", "2")}}, agenttest.Reply{Text: "Done."})
	if turn := s.Wait(s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}).Turn); turn.State != "done" {
		t.Errorf("turn: %+v", turn)
	}
	s.Restart()
	if next := s.PlanNow(1); next.Revision != 2 || next.Drift == nil || len(next.Drift.Unexpected)+len(next.Drift.Untouched) != 0 {
		t.Errorf("plan: %+v, drift %+v", next, next.Drift)
	}
}

func TestAPlanInWordsIsReworkedInWords(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.PlanInWords()
	s.Model.Will(agenttest.Reply{Text: "Only `a.txt`."}, agenttest.Reply{Text: `{"files":["a.txt"]}`})
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "not b.txt", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	if p := s.PlanNow(1); p.Revision != 2 || p.Description != "Only `a.txt`." || !slices.Equal(p.Predicted, []string{"a.txt"}) || len(p.Operations) != 0 {
		t.Errorf("plan: %+v", p)
	}
	if e := routed(s); e.Route != "text" || e.By != "rework" {
		t.Errorf("event: %+v", e)
	}
	if about := aboutIn(s.Model.Asked()[2].Messages); !strings.Contains(about, agenttest.InWords) {
		t.Errorf("the model was not shown the plan:\n%s", about)
	}
}

func TestAPhraseApprovesAPlanInWords(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.PlanInWords()
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	turn := s.Say(conversation.Message{Text: "go ahead", Client: "test"})
	if p := s.PlanNow(1); turn.State != "done" || p.Revision != 2 || p.State != "awaiting_approval" {
		t.Errorf("turn %+v, plan %+v", turn, p)
	}
}

// If a plan was requested and the model has called no writing tool, its reply is a plan in words.
func TestAPlanThatWasWantedIsInWords(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.Model.Will(agenttest.Reply{Text: "I would change `a.txt`."}, agenttest.Reply{Text: `{"files":["a.txt"]}`})
	s.Say(conversation.Message{Text: "/plan use figures", Client: "test"})
	if p := s.PlanNow(1); p.Description != "I would change `a.txt`." || !slices.Equal(p.Predicted, []string{"a.txt"}) || p.State != "awaiting_approval" {
		t.Errorf("plan: %+v", p)
	}
	if e := routed(s); e.Route != "tools" {
		t.Errorf("event: %+v", e)
	}
	s = agenttest.New(t, agenttest.Numbers)
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "nine", "9")}}, agenttest.Reply{Text: "There is no nine."})
	if turn := s.Say(conversation.Message{Text: "/plan use figures", Client: "test"}); s.Agent.Conversations.PlanOf(turn.Turn) != 0 {
		t.Error("a call that was refused led to a plan in words")
	}
	s.Model.Will(agenttest.Reply{Text: "It is one."})
	if turn := s.Say(conversation.Message{Text: "what is in a.txt?", Client: "test"}); s.Agent.Conversations.PlanOf(turn.Turn) != 0 {
		t.Error("an answer became a plan")
	}
}

// A request for a plan in words while edits are pending starts another plan: nothing that was
// staged is discarded.
func TestWordsGiveUpNoEdits(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	talk := planned(s)
	s.Model.Will(agenttest.Reply{Text: "Change `c.txt`."}, agenttest.Reply{Text: `{"files":["c.txt"]}`})
	turn := s.Say(conversation.Message{Text: "make a plan for c.txt", Conversation: talk, Client: "test"})
	if e := routed(s); e.Route != "text" || e.By != "rules" {
		t.Errorf("event: %+v", e)
	}
	if n := s.Agent.Conversations.PlanOf(turn.Turn); n != 2 || s.PlanNow(1).State != "awaiting_approval" || len(s.PlanNow(1).Files) != 1 {
		t.Errorf("plan %d, plan 1 %+v", n, s.PlanNow(1))
	}
}

// The words can be edited in the preview: the user's version is what is approved and worked out.
func TestWordsAreEditedInThePreview(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	p := s.PlanInWords()
	page := s.Preview("0001-r1.md")
	read, err := s.Agent.EditPreview(s.Context(), "plans/0001-r1.md", strings.Replace(page, "Change `b.txt`", "Leave `b.txt`", 1))
	if err != nil || len(read.Problems) > 0 || read.Revision != 2 {
		t.Fatalf("%+v, %v", read, err)
	}
	next := s.PlanNow(1)
	if !next.TextOnly || next.Hash == p.Hash || !strings.Contains(next.Description, "Leave `b.txt`") || next.Revisions[1].Author != "user" {
		t.Errorf("plan: %+v", next)
	}
	_, err = s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.HashMismatch)
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Wait(s.MustApprove(view.Request{Plan: 1, Hash: next.Hash}).Turn)
	if about := aboutIn(s.Model.Asked()[2].Messages); !strings.Contains(about, "Leave `b.txt`") {
		t.Errorf("it was worked out from\n%s", about)
	}
}

// A plan in words that another process has continued is not overwritten with words.
func TestWordsDoNotOverwriteWhatAnotherSessionMade(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.PlanInWords()
	wait, begun := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "Only `a.txt`.", Wait: wait, Begun: begun}, agenttest.Reply{Text: `{"files":["a.txt"]}`})
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "not b.txt", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if _, err := s.Beside(s.Dir).Agent.EditPreview(s.Context(), "plans/0001-r1.md", strings.Replace(s.Preview("0001-r1.md"), "Change `b.txt`", "Leave `b.txt`", 1)); err != nil {
		t.Fatal(err)
	}
	close(wait)
	turn := s.Wait(id)
	s.WantRefused(s.Agent.Conversations.Failure(turn.Turn), plan.WrongState)
	if _, err := s.Agent.State(s.Context(), false); err != nil { // makes it see what others have done
		t.Fatal(err)
	}
	if p := s.PlanNow(1); p.Revision != 2 || !strings.Contains(p.Description, "Leave `b.txt`") {
		t.Errorf("plan: %+v", p)
	}
}

// If the built-in model cannot read a request, its message is an answer, even where a plan in words
// was requested, and a pending plan stays.
func TestTheBuiltInModelsHelpIsNoPlan(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.With(func(o *agent.Options) { o.Model = model.New(model.Config{}) })
	turn := s.Say(conversation.Message{Text: "/text what would you do?"})
	if turn.State != "done" || !strings.Contains(agenttest.Answer(turn), "I am Redline's built-in model") {
		t.Errorf("the turn is %s and says %q", turn.State, agenttest.Answer(turn))
	}
	if plans, err := s.Agent.Board.PlanStates(s.Context(), true); err != nil || len(plans) > 0 {
		t.Errorf("there are the plans %+v, %v", plans, err)
	}
	s.Say(conversation.Message{Text: `/text replace "one" with "1"`})
	s.Say(conversation.Message{Text: "/text and now make it nicer"})
	if p := s.PlanNow(1); !p.TextOnly || p.Revision != 1 || p.State != "awaiting_approval" {
		t.Errorf("the plan in words is %+v", p)
	}
}
