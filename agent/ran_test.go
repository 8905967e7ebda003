package agent_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/view"
)

// submitsReport is a call that gives a plan one step and asks for a report on its commands.
func submitsReport() model.Call {
	return call("submit_plan", map[string]any{"goal": "figures", "report": true, "steps": []any{map[string]any{"id": "s1", "description": "figures"}}})
}

// ran approves plan 1 with its commands, and waits for the report on them.
func (s *session) ran() (commands, report state.Turn) {
	s.t.Helper()
	commands = s.allow(view.Request{Plan: 1})
	if commands.Report != "" {
		report = s.wait(commands.Report)
	}
	return commands, report
}

// Once the commands of a plan that asks for a report have run, the model gets their results and
// reports them; it may read, and show places. The report is an ordinary answer in the conversation.
func TestTheModelReports(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(submitsReport(), edit("a.txt", "one", "1"), command("echo a.txt:1: wrong figure; exit 3"), command("true"))
	p := s.plan("figures, and test them")
	if !p.Report {
		t.Error("the plan does not say that the model reports")
	}
	if page := s.preview("0001-r1.md"); !strings.Contains(page, "**Changes:** 1 file, +1 −1, 2 commands, then a report on the results\n") {
		t.Errorf("the preview does not say so:\n%s", page)
	}
	s.model.will(
		reply{calls: []model.Call{call("read_file", map[string]any{"path": "a.txt"}), call("open_location", map[string]any{"path": "a.txt", "line": 1}), edit("a.txt", "1", "2")}},
		reply{text: "It failed: a.txt has a wrong figure in line 1."},
	)
	commands, report := s.ran()
	if commands.State != conversation.Failed || report.State != conversation.Done || *report.Answer != "It failed: a.txt has a wrong figure in line 1." {
		t.Fatalf("the turns are %+v and %+v", commands, report)
	}
	if at := s.events(state.LocationAsked); len(at) != 1 || at[0].Path != "a.txt" || at[0].Line != 1 || at[0].Turn != report.Turn {
		t.Errorf("what was shown is %+v", at)
	}
	if r := s.routed(); r.Route != "report" || r.By != "approval" || r.Reason != "the commands of plan 1 have run" {
		t.Errorf("the route is %+v", r)
	}
	told := s.toldOfPlans()
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
	for _, each := range s.model.asked[len(s.model.asked)-1].Tools {
		tools = append(tools, each.Name)
	}
	if got := strings.Join(tools, " "); got != "read_file list_files search outline open_location" {
		t.Errorf("the tools are %s", got)
	}
	if answers := s.toolAnswers(); !strings.Contains(answers, "error: there is no tool \"edit_file\"") {
		t.Errorf("the answers are %s", answers)
	}
	s.wantFile("a.txt", "1\n")
	s.ask(p.Conversation, "why?")
	if said := fmt.Sprint(s.lastAsked()); !strings.Contains(said, "It failed: a.txt has a wrong figure in line 1.") {
		t.Errorf("the conversation does not know of the report: %s", said)
	}
}

// A report follows each execution, once no command is left to run or one has failed: not after one
// of several commands, and not once for each.
func TestOneReportForAnExecution(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(submitsReport(), command("true"), command("test -e fixed"))
	s.plan("run")
	if turn := s.wait(s.approve(view.Request{Plan: 1, Operation: "o1"}).Turn); turn.Report != "" {
		t.Error("there is a report after the first of two commands")
	}
	s.model.will(reply{text: "It failed."})
	if _, report := s.ran(); report.Answer == nil || *report.Answer != "It failed." {
		t.Errorf("after a failure: %+v", report)
	}
	s.writeFile("fixed", "")
	s.model.will(reply{text: "It works."})
	if _, report := s.ran(); report.Answer == nil || *report.Answer != "It works." {
		t.Errorf("after the fix: %+v", report)
	}
	if n := s.requests(); n != 4 {
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
			s := newSession(t, map[string]string{"a.txt": "one\n"})
			s.withOptions(func(o *agent.Options) { o.Turns.Report = test.setting })
			calls := []model.Call{edit("a.txt", "one", "1"), command("true")}
			if test.asks {
				calls = append([]model.Call{submitsReport()}, calls...)
			}
			s.model.stages(calls...)
			s.plan("figures")
			s.rework(command("echo done"))
			commands, _ := s.ran()
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
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(submitsReport(), command("echo begun; sleep 60"))
	s.plan("run")
	r := s.approve(view.Request{Plan: 1, AllowCommands: true})
	s.until("the command runs", func() bool { return len(s.events(state.CommandPrinted)) > 0 })
	s.agent.Cancel(r.Turn)
	if turn := s.wait(r.Turn); turn.Report != "" || s.requests() != 2 {
		t.Errorf("the turn is %+v after %d requests", turn, s.requests())
	}
}

// A report waits for the turn that runs in its conversation, is no answer to that turn's question,
// and is not what /retry repeats.
func TestAReportAndTheConversation(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(submitsReport(), command("echo ran"))
	p := s.plan("run")
	begun, goes := make(chan struct{}), make(chan struct{})
	s.model.will(reply{calls: []model.Call{call("ask_user", map[string]any{"question": "Which?"})}, begun: begun, wait: goes}, reply{text: "It ran."})
	id, _, err := s.agent.Turns.Send(conversation.Message{Text: "and another", Client: "test", Conversation: p.Conversation, Mode: "plan"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	commands := s.allow(view.Request{Plan: 1})
	close(goes)
	if turn := s.wait(id); turn.State != conversation.Waits {
		t.Errorf("the question is %+v", turn)
	}
	if report := s.wait(commands.Report); report.Answer == nil || *report.Answer != "It ran." {
		t.Errorf("the report is %+v", report)
	}
	s.model.stages(edit("a.txt", "one", "1"))
	turn := s.say(conversation.Message{Text: "the first", Client: "test", Conversation: p.Conversation})
	if told := fmt.Sprint(s.lastAsked()); s.agent.Conversations.PlanOf(turn.Turn) != 2 || !strings.Contains(told, "Which?") || !strings.Contains(told, "the first") {
		t.Errorf("the answer was not taken: %+v %s", turn, told)
	}
}

// An answer has at most a screen of lines, and a model that does not stop reading is stopped.
func TestAReportIsShort(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(submitsReport(), command("true"))
	s.plan("run")
	s.model.will(reply{text: strings.Repeat("It works. ", 1000)})
	_, report := s.ran()
	shown := 0
	for _, e := range s.events(state.TokenArrived) {
		if e.Turn == report.Turn {
			shown += len(e.Text)
		}
	}
	if n := len(*report.Answer); n > 4100 || n < 4000 || shown > 4<<10 {
		t.Errorf("the answer has %d bytes, and %d were shown", n, shown)
	}

	s = newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(submitsReport(), command("true"))
	s.plan("run")
	before := s.requests()
	for i := range 9 {
		s.model.will(reply{calls: []model.Call{call("read_file", map[string]any{"path": fmt.Sprintf("%d.txt", i)})}})
	}
	if _, report = s.ran(); s.requests()-before != 4 || len(report.Unfinished) == 0 {
		t.Errorf("after %d requests: %+v", s.requests()-before, report)
	}
}
