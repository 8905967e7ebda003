package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/view"
)

// revert is a call of the tool that reverts the applied changes of a plan.
func revert(n int, members ...string) model.Call {
	args := map[string]any{"plan": n}
	for i := 0; i < len(members); i += 2 {
		args[members[i]] = members[i+1]
	}
	return call("revert", args)
}

// toolAnswers returns the answers to the calls of a conversation's last turn, one per line.
func (s *session) toolAnswers() string {
	s.t.Helper()
	var out []string
	for _, m := range s.lastAsked() {
		if m.Role == model.RoleTool {
			out = append(out, m.Content)
		}
	}
	return strings.Join(out, "\n")
}

// offered reports whether the last request offered a tool.
func (s *session) offered(name string) bool {
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	return slices.ContainsFunc(s.model.asked[len(s.model.asked)-1].Tools, func(t model.Tool) bool { return t.Name == name })
}

// takeBack makes the model revert in a new plan and returns the plan's number.
func (s *session) takeBack(calls ...model.Call) int {
	s.t.Helper()
	s.model.stages(calls...)
	return s.plan("take that back").Plan
}

// Reverting a plan is a plan of ordinary operations: nothing changes before its approval; then the
// files are as they were, apart from later typing.
func TestTakeThatBack(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\n", "gone.txt": "g\n", "old.txt": "x\ny\n"}
	s := newSession(t, files)
	s.model.stages(
		edit("a.txt", "two", "2"), edit("a.txt", "five", "5"),
		call("write_file", map[string]any{"path": "new.txt", "content": "n\n"}),
		call("delete_file", map[string]any{"path": "gone.txt"}),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "dir/moved.txt"}), edit("dir/moved.txt", "y", "Y"),
	)
	s.plan("figures")
	if s.offered("revert") {
		t.Error("revert is offered before anything is applied")
	}
	s.approve(view.Request{Plan: 1})
	s.writeFile("a.txt", "typed\none\n2\nthree\nfour\n5\nsix\n")
	n := s.takeBack(revert(1))
	if !s.offered("revert") {
		t.Error("revert is not offered")
	}
	s.wantFile("a.txt", "typed\none\n2\nthree\nfour\n5\nsix\n")
	s.wantFile("new.txt", "n\n")
	if got := s.operationsOf(n); got != "o1:edit_file:pending o2:edit_file:pending o3:delete_file:pending o4:write_file:pending o5:rename_file:pending o6:edit_file:pending" {
		t.Errorf("the operations are %s", got)
	}
	for _, want := range []string{
		"staged: a.txt lines 3-6 (h1, h2)\n", "staged: delete new.txt (h3)\n", "staged: create gone.txt (h4)\n",
		"staged: rename dir/moved.txt to old.txt line 2 (h5)",
	} {
		if got := s.toolAnswers(); !strings.Contains(got, want) {
			t.Errorf("the answer lacks %q:\n%s", want, got)
		}
	}
	s.approve(view.Request{Plan: n})
	files["a.txt"] = "typed\n" + files["a.txt"]
	for name, text := range files {
		s.wantFile(name, text)
	}
	s.wantFile("new.txt", "")
	s.wantFile("dir/moved.txt", "")
}

// A file or a hunk can be named. Changes that were overwritten by typing stay and are named; so are
// those that cannot be reverted at all.
func TestTakingBackAPart(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\n", "b.txt": "b\n", "c.txt": "c\n"})
	s.model.stages(edit("a.txt", "one", "1"), edit("a.txt", "three", "3"), edit("a.txt", "five", "5"), edit("b.txt", "b", "B"), edit("c.txt", "c", "C"))
	p := s.plan("figures")
	s.approve(view.Request{Plan: 1, Paths: []string{"a.txt", "b.txt"}})
	s.writeFile("a.txt", "1\ntwo\n3 typed\nfour\n5\n")
	s.model.will(
		reply{calls: []model.Call{revert(1, "hunk", "h5"), revert(1, "hunk", "h9"), revert(1, "path", "d.txt"), revert(7), revert(1, "hunk", "h4", "path", "a.txt")}},
		reply{calls: []model.Call{revert(1, "path", "a.txt"), revert(1, "hunk", "h4")}},
		reply{calls: []model.Call{revert(1, "path", "b.txt")}},
		reply{text: "Done."},
	)
	turn := s.say(conversation.Message{Text: "take that back", Client: "test", Conversation: p.Conversation, Mode: "plan"})
	n := s.agent.Conversations.PlanOf(turn.Turn)
	answers := s.toolAnswers()
	for _, want := range []string{
		"error: Hunk h5 of plan 1 is pending: only what is applied can be taken back",
		"error: Plan 1 has no hunk h9 in revision 1",
		"error: Plan 1 does not touch d.txt",
		"error: there is no plan 7 in this workspace",
		"error: hunk h4 of plan 1 is in b.txt, not in a.txt",
		"staged: a.txt lines 1-5 (h1, h3)\nnot staged: h2, whose text was changed since it was applied; read it, and take it back with edit_file",
		"staged: b.txt line 1 (h4)", "nothing to do: b.txt (h4) is as it was before already",
	} {
		if !strings.Contains(answers, want) {
			t.Errorf("the answers lack %q:\n%s", want, answers)
		}
	}
	s.approve(view.Request{Plan: n})
	s.wantFile("a.txt", "one\ntwo\n3 typed\nfour\nfive\n")
	s.wantFile("b.txt", "b\n")
}

// A pending plan has nothing to revert, even if the tool was not offered.
func TestNothingToTakeBack(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	s.model.stages(edit("a.txt", "one", "1"))
	s.plan("figures")
	s.model.stages(revert(1), edit("b.txt", "b", "B"))
	s.plan("take that back")
	if got := s.toolAnswers(); !strings.Contains(got, "error: nothing of plan 1 is applied: it waits for the user") || s.offered("revert") {
		t.Errorf("the answers are %s", got)
	}
}

// A reworked plan can revert its own applied changes, and be decided on and undone afterwards.
func TestTakingBackInTheSamePlan(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\n"})
	s.model.stages(edit("a.txt", "one", "1"), edit("a.txt", "three", "3"), edit("a.txt", "five", "5"))
	s.plan("figures")
	s.approve(view.Request{Plan: 1, Hunks: []string{"h1", "h2"}})
	s.rework(revert(1, "hunk", "h1"))
	if got := s.toolAnswers(); got != "staged: a.txt line 1 (h1)" {
		t.Errorf("the answer is %s", got)
	}
	s.wantFile("a.txt", "1\ntwo\n3\nfour\nfive\n")
	s.approve(view.Request{Plan: 1})
	s.wantFile("a.txt", "one\ntwo\n3\nfour\n5\n")
	if _, err := s.agent.Undo(s.ctx(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("a.txt", "one\ntwo\nthree\nfour\nfive\n")
}

// What the turn itself has staged is kept, or prevents the revert.
func TestTakingBackBesideOtherEdits(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n"})
	s.model.stages(edit("a.txt", "one", "1"), edit("b.txt", "b", "B"), call("write_file", map[string]any{"path": "c.txt", "content": "c\n"}))
	s.plan("figures")
	s.approve(view.Request{Plan: 1})
	n := s.takeBack(edit("a.txt", "three", "3"), edit("b.txt", "B", "other"), edit("c.txt", "c", "C"), revert(1))
	want := "staged: a.txt line 1 (h1)\nnot staged: b.txt (h2): the same lines have other edits staged; take them back with edit_file\n" +
		"not staged: c.txt (h3): other text of it is staged; delete it with delete_file if that is wanted"
	if got := s.toolAnswers(); !strings.HasSuffix(got, want) {
		t.Errorf("the answers are %s", got)
	}
	s.approve(view.Request{Plan: n})
	s.wantFile("a.txt", "one\ntwo\n3\n")
	s.wantFile("b.txt", "other\n")
}

// A file with secrets that the user names is reverted, and the model does not see its text.
func TestTakingBackASecret(t *testing.T) {
	s := newSession(t, map[string]string{".env": "KEY=hush\nB=1\n", "a.txt": "one\n"})
	s.model.stages(edit(".env", "KEY=hush", "KEY=loud"), edit("a.txt", "one", "1"))
	s.plan("set KEY in .env")
	s.approve(view.Request{Plan: 1})
	s.model.stages(revert(1))
	s.plan("take plan 1 back, in .env too")
	s.model.stages(unstage("n1"))
	id, _, err := s.agent.Turns.Rework(s.ctx(), 2, "less", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.wait(id)
	for _, r := range s.model.asked[2:] {
		if told := fmt.Sprint(r.Messages); strings.Contains(told, "hush") || strings.Contains(told, "loud") {
			t.Errorf("the model is shown the secret: %s", told)
		}
	}
	s.approve(view.Request{Plan: 2})
	s.wantFile(".env", "KEY=hush\nB=1\n")
}

// In the turn that staged the revert, it can be removed again by name.
func TestTakingBackIsTakenOut(t *testing.T) {
	s := newSession(t, map[string]string{"b.txt": "two\n", "a.txt": "one\n"})
	s.model.stages(edit("b.txt", "two", "2"), edit("a.txt", "one", "1"))
	s.plan("figures")
	s.approve(view.Request{Plan: 1, Paths: []string{"b.txt"}})
	s.rework(revert(1), unstage("n1"), revert(1, "hunk", "h1"), unstage("n9"))
	if got := s.toolAnswers(); !strings.Contains(got, "taken out; staged are now:") {
		t.Errorf("the answers are %s", got)
	}
	s.approve(view.Request{Plan: 1})
	s.wantFile("b.txt", "two\n")
	s.wantFile("a.txt", "1\n")
}

// A plan of an earlier session is reverted too, and the revert can be staged again without it.
func TestTakingBackAfterARestart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits, so no file is executable")
	}
	s := newSession(t, map[string]string{"run.sh": "#!/bin/sh\necho hi\n", "a.txt": "one\n"})
	if err := os.Chmod(filepath.Join(s.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.model.stages(call("delete_file", map[string]any{"path": "run.sh"}), edit("a.txt", "one", "1"))
	p := s.plan("less")
	s.approve(view.Request{Plan: 1})
	s.restart()
	s.model.stages(revert(1))
	s.say(conversation.Message{Text: "take that back", Client: "test", Conversation: p.Conversation})
	if !s.offered("revert") {
		t.Error("revert is not offered")
	}
	s.wantReport("What plan 1 proposes:\n\ndelete \"run.sh\" (+0 −2), applied\n", "@@ -1 +1 @@ h2, applied\n-one\n+1\n")
	s.model.stages(unstage("o2"))
	id, _, err := s.agent.Turns.Rework(s.ctx(), 2, "not a.txt", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.wait(id)
	if got := s.operationsOf(2); got != "o1:apply_patch:pending" {
		t.Errorf("the operations are %s", got)
	}
	s.approve(view.Request{Plan: 2})
	s.wantFile("run.sh", "#!/bin/sh\necho hi\n")
	if info, err := os.Stat(filepath.Join(s.dir, "run.sh")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("run.sh is %v, %v", info, err)
	}
}

// Asked what was changed in all, the model has the files of each plan of the conversation, and what
// was undone since.
func TestTheModelSeesItsEarlierPlans(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n", "c.txt": "c\n"})
	s.model.stages(edit("a.txt", "one", "1\n1"), edit("b.txt", "b", "B"))
	talk := s.plan("figures").Conversation
	s.approve(view.Request{Plan: 1})
	for i, c := range []model.Call{edit("c.txt", "c", "rejected"), edit("c.txt", "c", "C"), revert(1, "path", "b.txt")} {
		s.model.stages(c)
		s.say(conversation.Message{Text: "more", Client: "test", Conversation: talk, Mode: "plan"})
		if i == 0 {
			if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 2}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		s.approve(view.Request{Plan: i + 2})
	}
	s.ask(talk, "what have you changed in all?")
	s.wantReport("What plan 4 proposes:\n\nupdate \"b.txt\" (+1 −1), applied\n",
		"\nWhat earlier plans of this conversation have changed, the newest first:\n"+
			"Plan 3 (\"more\"), completed:\n- update \"c.txt\" (+1 −1)\n"+
			"Plan 1 (\"figures\"), completed:\n- update \"a.txt\" (+2 −1)\n- update \"b.txt\" (+1 −1)\n- of that, changed or taken back since: h2")
}

// If the user is asked about each edit, they are asked about reverts too.
func TestTakingBackStepwise(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	s.model.stages(edit("a.txt", "one", "1"), edit("a.txt", "three", "3"))
	s.plan("figures")
	s.approve(view.Request{Plan: 1})
	s.model.stages(revert(1))
	s.wait(s.asks("take that back"))
	if got := s.operationsOf(2); got != "o1:edit_file:pending o2:edit_file:pending" {
		t.Errorf("the operations are %s", got)
	}
	s.approve(view.Request{Plan: 2, Hunks: []string{"h1"}})
	s.wantFile("a.txt", "one\ntwo\n3\n")
}

// The model can read what a revert stages, so a file that it may not see is not reverted that way.
func TestFilesWithSecretsAreNotTakenBackByTheModel(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2c3D4", 4) + "e5F6"
	s := newSession(t, map[string]string{"creds.txt": "TOKEN=" + token + "\n", ".env": "SECRET=hunter2\n", "a.txt": "one\n"})
	s.model.stages(call("delete_file", map[string]any{"path": "creds.txt"}), call("delete_file", map[string]any{"path": ".env"}), edit("a.txt", "one", "1"))
	s.plan("tidy up")
	s.approve(view.Request{Plan: 1})
	s.model.will(reply{calls: []model.Call{revert(1)}}, reply{calls: []model.Call{call("search", map[string]any{"pattern": "TOKEN"}), call("search", map[string]any{"pattern": "SECRET"}), call("read_file", map[string]any{"path": "creds.txt"})}}, reply{text: "Done."})
	s.say(conversation.Message{Text: "take that back", Client: "test"})
	for i, r := range s.model.asked {
		for _, m := range r.Messages {
			if strings.Contains(m.Content, token) || strings.Contains(m.Content, "hunter2") {
				t.Errorf("request %d has a secret:\n%s", i, m.Content)
			}
		}
	}
	if got := s.operationsOf(2); got != "o1:edit_file:pending" {
		t.Errorf("the operations are %s", got)
	}
}
