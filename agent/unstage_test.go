package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/view"
)

func unstage(names ...string) model.Call {
	return call("unstage", map[string]any{"operations": names})
}

// operationsOf returns the operations of a plan: "o1:edit_file:pending …".
func (s *session) operationsOf(n int) string {
	s.t.Helper()
	var out []string
	for _, o := range s.state1(n).Operations {
		out = append(out, o.ID+":"+o.Tool+":"+o.Status)
	}
	return strings.Join(out, " ")
}

// A failed command is replaced: the model gets it with its result, removes it and stages another
// one. What was applied stays.
func TestAFailedCommandIsReplaced(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	s.model.stages(edit("a.txt", "one", "1"), command("echo wrong; exit 3"), command("echo never >> ran"))
	s.plan("figures")
	s.allow(view.Request{Plan: 1})
	s.wantCommands(1, "failed", "o2:failed:3 o3:skipped")
	s.rework(unstage("o2"), command("echo right >> ran"))
	if got := s.operationsOf(1); got != "o1:edit_file:applied o3:run_command:pending o4:run_command:pending" {
		t.Errorf("after the rework: %s", got)
	}
	asked := s.lastAsked()
	for _, want := range []string{"Its operations:\n- o1: edit_file a.txt (applied)\n- o2: run_command \"echo wrong; exit 3\" (failed, exit code 3)\n- o3: run_command"} {
		if about := aboutIn(asked); !strings.Contains(about, want) {
			t.Errorf("the model is not told %q:\n%s", want, about)
		}
	}
	answer := asked[len(asked)-2].Content // of the first of two calls
	if !strings.HasPrefix(answer, "taken out; staged are now:\n- o1: edit_file a.txt (applied)\n- o3: run_command \"echo never >> ran\" (skipped)\n") || strings.Contains(answer, "o2") {
		t.Errorf("the answer is %s", answer)
	}
	s.allow(view.Request{Plan: 1})
	s.wantFile("ran", "never\nright\n")
}

// If the same command is staged again, it is the one that the plan has: it does not run twice. A
// command that has succeeded may run again.
func TestACommandOfThePlanIsStagedOnce(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(command("echo x >> ran"), command("test -e fixed || { echo y >> ran; exit 1; }"))
	s.plan("run")
	s.allow(view.Request{Plan: 1})
	s.wantFile("ran", "x\ny\n")
	s.rework(call("write_file", map[string]any{"path": "fixed", "content": "\n"}), command("test -e fixed || { echo y >> ran; exit 1; }"), command("echo x >> ran"))
	if got := s.operationsOf(1); got != "o1:run_command:succeeded o2:run_command:pending o3:write_file:pending o4:run_command:pending" {
		t.Errorf("after the rework: %s", got)
	}
	if asked := s.lastAsked(); !strings.Contains(asked[len(asked)-2].Content, "The plan has this command already, as o2") {
		t.Errorf("the model is not told: %+v", asked[len(asked)-2])
	}
	s.allow(view.Request{Plan: 1})
	s.wantCommands(1, "completed", "o1:succeeded:0 o2:succeeded:0 o4:succeeded:0")
	s.wantFile("ran", "x\ny\nx\n")
}

// A revision that only stages a failed command again needs another approval.
func TestOnlyTheSameCommandAgain(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(command("echo y >> ran; exit 1"))
	s.plan("run")
	s.allow(view.Request{Plan: 1})
	s.rework(command("echo y >> ran; exit 1"))
	if got := s.operationsOf(1); got != "o1:run_command:pending" || s.state1(1).Revision != 2 {
		t.Errorf("%s in revision %d", got, s.state1(1).Revision)
	}
}

// An edit of the plan can be removed too, with its changes in the file, while later edits of the
// turn stay. Removing an edit that is applied, or that does not exist, is refused.
func TestEditsOfThePlanAreTakenOut(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n"})
	s.model.stages(edit("a.txt", "one", "1"), edit("a.txt", "three", "3"), edit("b.txt", "b", "B"))
	s.plan("figures")
	s.approve(view.Request{Plan: 1, Paths: []string{"b.txt"}})
	s.model.will(
		reply{calls: []model.Call{edit("a.txt", "two", "2"), unstage("o1")}},
		reply{calls: []model.Call{unstage("o3")}}, reply{calls: []model.Call{unstage("o1")}}, reply{calls: []model.Call{unstage("n7")}},
		reply{text: "Done."},
	)
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "less", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.wait(id)
	if got := s.operationsOf(1); got != "o2:edit_file:pending o3:edit_file:applied o4:edit_file:pending" {
		t.Errorf("after the rework: %s", got)
	}
	var refusals []string
	for _, m := range s.lastAsked() {
		if m.Role == model.RoleTool && strings.HasPrefix(m.Content, "error: ") {
			refusals = append(refusals, m.Content)
		}
	}
	for i, want := range []string{"Operation o3 of plan 1 is applied in b.txt", `nothing is staged as "o1"`, `nothing is staged as "n7"`} {
		if i >= len(refusals) || !strings.Contains(refusals[i], want) {
			t.Errorf("refusal %d is %q, want %q", i, refusals, want)
		}
	}
	s.approve(view.Request{Plan: 1})
	s.wantFile("a.txt", "one\n2\n3\n")
}

// A removed operation stays removed when the turn asks a question and gets an answer, also after a
// restart.
func TestTakenOutBeforeAQuestion(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\n"})
	s.model.stages(edit("a.txt", "one", "1"), command("false"))
	p := s.plan("figures")
	s.model.will(
		reply{calls: []model.Call{unstage("o2")}},
		reply{calls: []model.Call{call("ask_user", map[string]any{"question": "Which?"})}},
	)
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "another command", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.wait(id)
	s.restart()
	s.model.will(reply{calls: []model.Call{edit("a.txt", "two", "2")}}, reply{text: "Done."})
	s.say(conversation.Message{Text: "true", Client: "test", Conversation: p.Conversation})
	if got := s.operationsOf(1); got != "o1:edit_file:pending o3:edit_file:pending" {
		t.Errorf("after the answer: %s", got)
	}
}

// A rework without words is about the failure, and the model gets the command's output: its
// beginning, its end, and the lines around the failure, wherever they are.
func TestWhatFailedNeedsNoWords(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(command("for i in $(seq 900); do echo ok before $i; done; echo '--- FAIL: TestSum (0.00s)'; echo '    sum_test.go:7: wrong sum'; for i in $(seq 9000); do echo ok after $i; done; exit 1"))
	s.plan("run the tests")
	turn := s.allow(view.Request{Plan: 1})
	if turn.Error == nil || strings.Contains(*turn.Error, "ok after") {
		t.Errorf("the error is %v", turn.Error)
	}
	s.model.stages(edit("a.txt", "one", "two"))
	id, _, err := s.agent.Turns.Mend(s.ctx(), 1, "", "", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.wait(id)
	if got := s.operationsOf(1); got != "o1:run_command:pending o2:edit_file:pending" {
		t.Errorf("after the rework: %s", got)
	}
	var said string
	for _, m := range s.lastAsked() {
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
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(edit("a.txt", "one", "two"), command("echo '# FAIL: wrong sum'; for i in $(seq 9000); do echo ok $i; done; exit 3"))
	s.plan("run the tests")
	s.allow(view.Request{Plan: 1})
	c := s.state1(1).Commands[0]
	if !strings.Contains(c.Output, "FAIL: wrong sum") || !strings.Contains(c.Output, "ok 9000") || len(c.Output) > 9<<10 {
		t.Errorf("the state has %q", c.Output)
	}
	page, err := os.ReadFile(filepath.Join(s.dir, ".redline/plans/0001-r1.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "## Failed\n\n- o2 `echo '# FAIL: wrong sum'; for i in $(seq 9000); do echo ok $i; done; exit 3`: exit code 3\n\n  ```\n  # FAIL: wrong sum\n  ok 1\n") {
		t.Errorf("the preview is\n%.2000s", page)
	}
}
