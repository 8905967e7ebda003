package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/view"
)

func unstage(names ...string) model.Call {
	return agenttest.Call("unstage", map[string]any{"operations": names})
}

// operationsOf returns the operations of a plan: "o1:edit_file:pending …".
func operationsOf(s *agenttest.Session, n int) string {
	s.T.Helper()
	var out []string
	for _, o := range s.PlanNow(n).Operations {
		out = append(out, o.ID+":"+o.Tool+":"+o.Status)
	}
	return strings.Join(out, " ")
}

// A failed command is replaced: the model gets it with its result, removes it and stages another
// one. What was applied stays.
func TestAFailedCommandIsReplaced(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Command("echo wrong; exit 3"), agenttest.Command("echo never >> ran"))
	s.Plan("figures")
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "failed", "o2:failed:3 o3:skipped")
	s.Rework(unstage("o2"), agenttest.Command("echo right >> ran"))
	if got := operationsOf(s, 1); got != "o1:edit_file:applied o3:run_command:pending o4:run_command:pending" {
		t.Errorf("after the rework: %s", got)
	}
	asked := s.LastAsked()
	for _, want := range []string{"Its operations:\n- o1: edit_file a.txt (applied)\n- o2: run_command \"echo wrong; exit 3\" (failed, exit code 3)\n- o3: run_command"} {
		if about := aboutIn(asked); !strings.Contains(about, want) {
			t.Errorf("the model is not told %q:\n%s", want, about)
		}
	}
	answer := asked[len(asked)-2].Content // of the first of two calls
	if !strings.HasPrefix(answer, "taken out; staged are now:\n- o1: edit_file a.txt (applied)\n- o3: run_command \"echo never >> ran\" (skipped)\n") || strings.Contains(answer, "o2") {
		t.Errorf("the answer is %s", answer)
	}
	s.Allow(view.Request{Plan: 1})
	s.WantFile("ran", "never\nright\n")
}

// If the same command is staged again, it is the one that the plan has: it does not run twice. A
// command that has succeeded may run again.
func TestACommandOfThePlanIsStagedOnce(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Command("echo x >> ran"), agenttest.Command("test -e fixed || { echo y >> ran; exit 1; }"))
	s.Plan("run")
	s.Allow(view.Request{Plan: 1})
	s.WantFile("ran", "x\ny\n")
	s.Rework(agenttest.Call("write_file", map[string]any{"path": "fixed", "content": "\n"}), agenttest.Command("test -e fixed || { echo y >> ran; exit 1; }"), agenttest.Command("echo x >> ran"))
	if got := operationsOf(s, 1); got != "o1:run_command:succeeded o2:run_command:pending o3:write_file:pending o4:run_command:pending" {
		t.Errorf("after the rework: %s", got)
	}
	if asked := s.LastAsked(); !strings.Contains(asked[len(asked)-2].Content, "The plan has this command already, as o2") {
		t.Errorf("the model is not told: %+v", asked[len(asked)-2])
	}
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "completed", "o1:succeeded:0 o2:succeeded:0 o4:succeeded:0")
	s.WantFile("ran", "x\ny\nx\n")
}

// A revision that only stages a failed command again needs another approval.
func TestOnlyTheSameCommandAgain(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Command("echo y >> ran; exit 1"))
	s.Plan("run")
	s.Allow(view.Request{Plan: 1})
	s.Rework(agenttest.Command("echo y >> ran; exit 1"))
	if got := operationsOf(s, 1); got != "o1:run_command:pending" || s.PlanNow(1).Revision != 2 {
		t.Errorf("%s in revision %d", got, s.PlanNow(1).Revision)
	}
}

// An edit of the plan can be removed too, with its changes in the file, while later edits of the
// turn stay. Removing an edit that is applied, or that does not exist, is refused.
func TestEditsOfThePlanAreTakenOut(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "three", "3"), agenttest.Edit("b.txt", "b", "B"))
	s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1, Paths: []string{"b.txt"}})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "two", "2"), unstage("o1")}},
		agenttest.Reply{Calls: []model.Call{unstage("o3")}}, agenttest.Reply{Calls: []model.Call{unstage("o1")}}, agenttest.Reply{Calls: []model.Call{unstage("n7")}},
		agenttest.Reply{Text: "Done."},
	)
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "less", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	if got := operationsOf(s, 1); got != "o2:edit_file:pending o3:edit_file:applied o4:edit_file:pending" {
		t.Errorf("after the rework: %s", got)
	}
	var refusals []string
	for _, m := range s.LastAsked() {
		if m.Role == model.RoleTool && strings.HasPrefix(m.Content, "error: ") {
			refusals = append(refusals, m.Content)
		}
	}
	for i, want := range []string{"Operation o3 of plan 1 is applied in b.txt", `nothing is staged as "o1"`, `nothing is staged as "n7"`} {
		if i >= len(refusals) || !strings.Contains(refusals[i], want) {
			t.Errorf("refusal %d is %q, want %q", i, refusals, want)
		}
	}
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("a.txt", "one\n2\n3\n")
}

// A removed operation stays removed when the turn asks a question and gets an answer, also after a
// restart.
func TestTakenOutBeforeAQuestion(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Command("false"))
	p := s.Plan("figures")
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{unstage("o2")}},
		agenttest.Reply{Calls: []model.Call{agenttest.Call("ask_user", map[string]any{"question": "Which?"})}},
	)
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "another command", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "two", "2")}}, agenttest.Reply{Text: "Done."})
	s.Say(conversation.Message{Text: "true", Client: "test", Conversation: p.Conversation})
	if got := operationsOf(s, 1); got != "o1:edit_file:pending o3:edit_file:pending" {
		t.Errorf("after the answer: %s", got)
	}
}

// A rework without words is about the failure, and the model gets the command's output: its
// beginning, its end, and the lines around the failure, wherever they are.
func TestWhatFailedNeedsNoWords(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Command("for i in $(seq 900); do echo ok before $i; done; echo '--- FAIL: TestSum (0.00s)'; echo '    sum_test.go:7: wrong sum'; for i in $(seq 9000); do echo ok after $i; done; exit 1"))
	s.Plan("run the tests")
	turn := s.Allow(view.Request{Plan: 1})
	if turn.Error == nil || strings.Contains(*turn.Error, "ok after") {
		t.Errorf("the error is %v", turn.Error)
	}
	s.Model.Stages(agenttest.Edit("a.txt", "one", "two"))
	id, _, err := s.Agent.Turns.Mend(s.Context(), 1, "", "", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	if got := operationsOf(s, 1); got != "o1:run_command:pending o2:edit_file:pending" {
		t.Errorf("after the rework: %s", got)
	}
	var said string
	for _, m := range s.LastAsked() {
		if m.Role == model.RoleUser {
			said += m.Content + "\n"
		}
	}
	for _, want := range []string{"\nok before 1\n", "--- FAIL: TestSum (0.00s)\n    sum_test.go:7: wrong sum\n", "lines left out …\n", "\nok after 9000\n", "Fix what makes `for i in", "fail: it was approved and run, and failed (exit code 1)."} {
		if !strings.Contains(said, want) {
			t.Errorf("the model is not told %q", want)
		}
	}
	if len(said) > 12<<10 {
		t.Errorf("the model is told %d bytes", len(said))
	}
}

// The output of a failed command is in the plan's state and in its preview.
func TestWhatFailedIsShown(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "two"), agenttest.Command("echo '# FAIL: wrong sum'; for i in $(seq 9000); do echo ok $i; done; exit 3"))
	s.Plan("run the tests")
	s.Allow(view.Request{Plan: 1})
	c := s.PlanNow(1).Commands[0]
	if !strings.Contains(c.Output, "FAIL: wrong sum") || !strings.Contains(c.Output, "ok 9000") || len(c.Output) > 9<<10 {
		t.Errorf("the state has %q", c.Output)
	}
	page, err := os.ReadFile(filepath.Join(s.Dir, ".redline/plans/0001-r1.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "## Failed\n\n- `echo '# FAIL: wrong sum'; for i in $(seq 9000); do echo ok $i; done; exit 3`: exit code 3\n\n  ```\n  # FAIL: wrong sum\n  ok 1\n") {
		t.Errorf("the preview is\n%.2000s", page)
	}
}
