package turn_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/view"
)

// submitsReport is a call that gives a plan one step and asks for a report on its commands.
func submitsReport() model.Call {
	return agenttest.Call("submit_plan", map[string]any{"goal": "figures", "report": true, "steps": []any{map[string]any{"id": "s1", "description": "figures"}}})
}

// ran approves plan 1 with its commands, and waits for the report on them.
func ran(s *agenttest.Session) (commands, report state.Turn) {
	s.T.Helper()
	commands = s.Allow(view.Request{Plan: 1})
	if commands.Report != "" {
		report = s.Wait(commands.Report)
	}
	return commands, report
}

// Once the commands of a plan that asks for a report have run, the model gets their results and
// reports them; it may read, and show places. The report is an ordinary answer in the conversation.
func TestTheModelReports(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(submitsReport(), agenttest.Edit("a.txt", "one", "1"), agenttest.Command("echo a.txt:1: wrong figure; exit 3"), agenttest.Command("true"))
	p := s.Plan("figures, and test them")
	if !p.Report {
		t.Error("the plan does not say that the model reports")
	}
	if page := s.Preview("0001-r1.md"); !strings.Contains(page, "**Changes:** 1 file, +1 −1, 2 commands, then a report on the results\n") {
		t.Errorf("the preview does not say so:\n%s", page)
	}
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Call("read_file", map[string]any{"path": "a.txt"}), agenttest.Call("open_location", map[string]any{"path": "a.txt", "line": 1}), agenttest.Edit("a.txt", "1", "2")}},
		agenttest.Reply{Text: "It failed: a.txt has a wrong figure in line 1."},
	)
	commands, report := ran(s)
	if commands.State != conversation.Failed || report.State != conversation.Done || *report.Answer != "It failed: a.txt has a wrong figure in line 1." {
		t.Fatalf("the turns are %+v and %+v", commands, report)
	}
	if at := s.Editor.Events(state.LocationAsked); len(at) != 1 || at[0].Path != "a.txt" || at[0].Line != 1 || at[0].Turn != report.Turn {
		t.Errorf("what was shown is %+v", at)
	}
	if r := routed(s); r.Route != "report" || r.By != "approval" || r.Reason != "the commands of plan 1 have run" {
		t.Errorf("the route is %+v", r)
	}
	told := s.UserMessages()
	for _, want := range []string{
		"Plan 1, revision 1, is failed. Applied: \"a.txt\" hunk h1.",
		"Failed: the command \"echo a.txt:1: wrong figure; exit 3\", exit code 3. Skipped: the command \"true\"",
		"The output of \"echo a.txt:1: wrong figure; exit 3\":\n```\na.txt:1: wrong figure\n```",
		"What plan 1 proposes:\n\nupdate \"a.txt\"",
		"The commands of plan 1 have run: report the results.\n",
	} {
		if strings.Count(told, want) != 1 {
			t.Errorf("the model is not told %q once:\n%s", want, told)
		}
	}
	var tools []string
	for _, each := range s.Model.Asked()[len(s.Model.Asked())-1].Tools {
		tools = append(tools, each.Name)
	}
	if got := strings.Join(tools, " "); got != "read_file list_files search outline open_location" {
		t.Errorf("the tools are %s", got)
	}
	if answers := answersOf(s); !strings.Contains(answers, "error: there is no tool \"edit_file\"") {
		t.Errorf("the answers are %s", answers)
	}
	s.WantFile("a.txt", "1\n")
	ask(s, p.Conversation, "why?")
	if said := fmt.Sprint(s.LastAsked()); !strings.Contains(said, "It failed: a.txt has a wrong figure in line 1.") {
		t.Errorf("the conversation does not know of the report: %s", said)
	}
}

// A report follows each execution, once no command is left to run or one has failed: not after one
// of several commands, and not once for each.
func TestOneReportForAnExecution(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(submitsReport(), agenttest.Command("true"), agenttest.Command("test -e fixed"))
	s.Plan("run")
	if turn := s.Wait(s.MustApprove(view.Request{Plan: 1, Operation: "o1"}).Turn); turn.Report != "" {
		t.Error("there is a report after the first of two commands")
	}
	s.Model.Will(agenttest.Reply{Text: "It failed."})
	if _, report := ran(s); report.Answer == nil || *report.Answer != "It failed." {
		t.Errorf("after a failure: %+v", report)
	}
	s.Write("fixed", "")
	s.Model.Will(agenttest.Reply{Text: "It works."})
	if _, report := ran(s); report.Answer == nil || *report.Answer != "It works." {
		t.Errorf("after the fix: %+v", report)
	}
	if n := requests(s); n != 4 {
		t.Errorf("the model was asked %d times", n)
	}
}

// The setting requests a report for every plan, or for none; a reworked plan still asks for its
// report.
func TestWhoWantsReports(t *testing.T) {
	for _, test := range []struct {
		setting string
		asks    bool
		want    bool
	}{
		{config.ReportAsked, false, false}, {config.ReportAsked, true, true},
		{config.ReportAlways, false, true}, {config.ReportNever, true, false},
	} {
		t.Run(fmt.Sprint(test.setting, test.asks), func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
			s.With(func(o *agent.Options) { o.Turns.Report = test.setting })
			calls := []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Command("true")}
			if test.asks {
				calls = append([]model.Call{submitsReport()}, calls...)
			}
			s.Model.Stages(calls...)
			s.Plan("figures")
			s.Rework(agenttest.Command("echo done"))
			commands, _ := ran(s)
			if (commands.Report != "") != test.want {
				t.Errorf("the turn is %+v", commands)
			}
		})
	}
}

// A run that the user has cancelled gets no report.
func TestNoReportOnACancelledRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command of this test is sleep, which Windows does not have")
	}
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(submitsReport(), agenttest.Command("echo begun; sleep 60"))
	s.Plan("run")
	r := s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	s.Until("the command runs", func() bool { return len(s.Editor.Events(state.CommandPrinted)) > 0 })
	s.Agent.Cancel(r.Turn)
	if turn := s.Wait(r.Turn); turn.Report != "" || requests(s) != 2 {
		t.Errorf("the turn is %+v after %d requests", turn, requests(s))
	}
}

// A report waits for the turn that runs in its conversation, is no answer to that turn's question,
// and is not what /retry repeats.
func TestAReportAndTheConversation(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(submitsReport(), agenttest.Command("echo ran"))
	p := s.Plan("run")
	begun, goes := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("ask_user", map[string]any{"question": "Which?"})}, Begun: begun, Wait: goes}, agenttest.Reply{Text: "It ran."})
	id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "and another", Client: "test", Conversation: p.Conversation, Mode: "plan"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	commands := s.Allow(view.Request{Plan: 1})
	close(goes)
	if turn := s.Wait(id); turn.State != conversation.Waits {
		t.Errorf("the question is %+v", turn)
	}
	if report := s.Wait(commands.Report); report.Answer == nil || *report.Answer != "It ran." {
		t.Errorf("the report is %+v", report)
	}
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	turn := s.Say(conversation.Message{Text: "the first", Client: "test", Conversation: p.Conversation})
	if told := fmt.Sprint(s.LastAsked()); s.Agent.Conversations.PlanOf(turn.Turn) != 2 || !strings.Contains(told, "Which?") || !strings.Contains(told, "the first") {
		t.Errorf("the answer was not taken: %+v %s", turn, told)
	}
}

// An answer has at most a screen of lines, and a model that does not stop reading is stopped.
func TestAReportIsShort(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(submitsReport(), agenttest.Command("true"))
	s.Plan("run")
	s.Model.Will(agenttest.Reply{Text: strings.Repeat("It works. ", 1000)})
	_, report := ran(s)
	shown := 0
	for _, e := range s.Editor.Events(state.TokenArrived) {
		if e.Turn == report.Turn {
			shown += len(e.Text)
		}
	}
	if n := len(*report.Answer); n > 4100 || n < 4000 || shown > 4<<10 {
		t.Errorf("the answer has %d bytes, and %d were shown", n, shown)
	}

	s = agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(submitsReport(), agenttest.Command("true"))
	s.Plan("run")
	before := requests(s)
	for i := range 9 {
		s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("read_file", map[string]any{"path": fmt.Sprintf("%d.txt", i)})}})
	}
	if _, report = ran(s); requests(s)-before != 4 || len(report.Unfinished) == 0 {
		t.Errorf("after %d requests: %+v", requests(s)-before, report)
	}
}
