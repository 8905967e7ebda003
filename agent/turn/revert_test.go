package turn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"redline/agent/agenttest"
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
	return agenttest.Call("revert", args)
}

// answersOf returns the answers to the calls of a conversation's last turn, one per line.
func answersOf(s *agenttest.Session) string {
	s.T.Helper()
	var out []string
	for _, m := range s.LastAsked() {
		if m.Role == model.RoleTool {
			out = append(out, m.Content)
		}
	}
	return strings.Join(out, "\n")
}

// offers reports whether the last request offered a tool.
func offers(s *agenttest.Session, name string) bool {
	return slices.ContainsFunc(s.Model.Asked()[len(s.Model.Asked())-1].Tools, func(t model.Tool) bool { return t.Name == name })
}

// takeBack makes the model revert in a new plan and returns the plan's number.
func takeBack(s *agenttest.Session, calls ...model.Call) int {
	s.T.Helper()
	s.Model.Stages(calls...)
	return s.Plan("take that back").Plan
}

// Reverting a plan is a plan of ordinary operations: nothing changes before its approval; then the
// files are as they were, apart from later typing.
func TestTakeThatBack(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\n", "gone.txt": "g\n", "old.txt": "x\ny\n"}
	s := agenttest.New(t, files)
	s.Model.Stages(
		agenttest.Edit("a.txt", "two", "2"), agenttest.Edit("a.txt", "five", "5"),
		agenttest.Call("write_file", map[string]any{"path": "new.txt", "content": "n\n"}),
		agenttest.Call("delete_file", map[string]any{"path": "gone.txt"}),
		agenttest.Call("rename_file", map[string]any{"path": "old.txt", "new_path": "dir/moved.txt"}), agenttest.Edit("dir/moved.txt", "y", "Y"),
	)
	s.Plan("figures")
	if offers(s, "revert") {
		t.Error("revert is offered before anything is applied")
	}
	s.MustApprove(view.Request{Plan: 1})
	s.Write("a.txt", "typed\none\n2\nthree\nfour\n5\nsix\n")
	n := takeBack(s, revert(1))
	if !offers(s, "revert") {
		t.Error("revert is not offered")
	}
	s.WantFile("a.txt", "typed\none\n2\nthree\nfour\n5\nsix\n")
	s.WantFile("new.txt", "n\n")
	if got := operationsOf(s, n); got != "o1:edit_file:pending o2:edit_file:pending o3:delete_file:pending o4:write_file:pending o5:rename_file:pending o6:edit_file:pending" {
		t.Errorf("the operations are %s", got)
	}
	for _, want := range []string{
		"staged: a.txt lines 3-6 (h1, h2)\n", "staged: delete new.txt (h3)\n", "staged: create gone.txt (h4)\n",
		"staged: rename dir/moved.txt to old.txt line 2 (h5)",
	} {
		if got := answersOf(s); !strings.Contains(got, want) {
			t.Errorf("the answer lacks %q:\n%s", want, got)
		}
	}
	s.MustApprove(view.Request{Plan: n})
	files["a.txt"] = "typed\n" + files["a.txt"]
	for name, text := range files {
		s.WantFile(name, text)
	}
	s.WantFile("new.txt", "")
	s.WantFile("dir/moved.txt", "")
}

// A file or a hunk can be named. Changes that were overwritten by typing stay and are named; so are
// those that cannot be reverted at all.
func TestTakingBackAPart(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\n", "b.txt": "b\n", "c.txt": "c\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "three", "3"), agenttest.Edit("a.txt", "five", "5"), agenttest.Edit("b.txt", "b", "B"), agenttest.Edit("c.txt", "c", "C"))
	p := s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1, Paths: []string{"a.txt", "b.txt"}})
	s.Write("a.txt", "1\ntwo\n3 typed\nfour\n5\n")
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{revert(1, "hunk", "h5"), revert(1, "hunk", "h9"), revert(1, "path", "d.txt"), revert(7), revert(1, "hunk", "h4", "path", "a.txt")}},
		agenttest.Reply{Calls: []model.Call{revert(1, "path", "a.txt"), revert(1, "hunk", "h4")}},
		agenttest.Reply{Calls: []model.Call{revert(1, "path", "b.txt")}},
		agenttest.Reply{Text: "Done."},
	)
	turn := s.Say(conversation.Message{Text: "take that back", Client: "test", Conversation: p.Conversation, Mode: "plan"})
	n := s.Agent.Conversations.PlanOf(turn.Turn)
	answers := answersOf(s)
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
	s.MustApprove(view.Request{Plan: n})
	s.WantFile("a.txt", "one\ntwo\n3 typed\nfour\nfive\n")
	s.WantFile("b.txt", "b\n")
}

// A pending plan has nothing to revert, even if the tool was not offered.
func TestNothingToTakeBack(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("figures")
	s.Model.Stages(revert(1), agenttest.Edit("b.txt", "b", "B"))
	s.Plan("take that back")
	if got := answersOf(s); !strings.Contains(got, "error: nothing of plan 1 is applied: it waits for the user") || offers(s, "revert") {
		t.Errorf("the answers are %s", got)
	}
}

// A reworked plan can revert its own applied changes, and be decided on and undone afterwards.
func TestTakingBackInTheSamePlan(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "three", "3"), agenttest.Edit("a.txt", "five", "5"))
	s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1, Hunks: []string{"h1", "h2"}})
	s.Rework(revert(1, "hunk", "h1"))
	if got := answersOf(s); got != "staged: a.txt line 1 (h1)" {
		t.Errorf("the answer is %s", got)
	}
	s.WantFile("a.txt", "1\ntwo\n3\nfour\nfive\n")
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("a.txt", "one\ntwo\n3\nfour\n5\n")
	if _, err := s.Agent.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("a.txt", "one\ntwo\nthree\nfour\nfive\n")
}

// What the turn itself has staged is kept, or prevents the revert.
func TestTakingBackBesideOtherEdits(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("b.txt", "b", "B"), agenttest.Call("write_file", map[string]any{"path": "c.txt", "content": "c\n"}))
	s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1})
	n := takeBack(s, agenttest.Edit("a.txt", "three", "3"), agenttest.Edit("b.txt", "B", "other"), agenttest.Edit("c.txt", "c", "C"), revert(1))
	want := "staged: a.txt line 1 (h1)\nnot staged: b.txt (h2): the same lines have other edits staged; take them back with edit_file\n" +
		"not staged: c.txt (h3): other text of it is staged; delete it with delete_file if that is wanted"
	if got := answersOf(s); !strings.HasSuffix(got, want) {
		t.Errorf("the answers are %s", got)
	}
	s.MustApprove(view.Request{Plan: n})
	s.WantFile("a.txt", "one\ntwo\n3\n")
	s.WantFile("b.txt", "other\n")
}

// A file with secrets that the user names is reverted, and the model does not see its text.
func TestTakingBackASecret(t *testing.T) {
	s := agenttest.New(t, map[string]string{".env": "KEY=hush\nB=1\n", "a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit(".env", "KEY=hush", "KEY=loud"), agenttest.Edit("a.txt", "one", "1"))
	s.Plan("set KEY in .env")
	s.MustApprove(view.Request{Plan: 1})
	s.Model.Stages(revert(1))
	s.Plan("take plan 1 back, in .env too")
	s.Model.Stages(unstage("n1"))
	id, _, err := s.Agent.Turns.Rework(s.Context(), 2, "less", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	for _, r := range s.Model.Asked()[2:] {
		if told := fmt.Sprint(r.Messages); strings.Contains(told, "hush") || strings.Contains(told, "loud") {
			t.Errorf("the model is shown the secret: %s", told)
		}
	}
	s.MustApprove(view.Request{Plan: 2})
	s.WantFile(".env", "KEY=hush\nB=1\n")
}

// In the turn that staged the revert, it can be removed again by name.
func TestTakingBackIsTakenOut(t *testing.T) {
	s := agenttest.New(t, map[string]string{"b.txt": "two\n", "a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit("b.txt", "two", "2"), agenttest.Edit("a.txt", "one", "1"))
	s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1, Paths: []string{"b.txt"}})
	s.Rework(revert(1), unstage("n1"), revert(1, "hunk", "h1"), unstage("n9"))
	if got := answersOf(s); !strings.Contains(got, "taken out; staged are now:") {
		t.Errorf("the answers are %s", got)
	}
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("b.txt", "two\n")
	s.WantFile("a.txt", "1\n")
}

// A plan of an earlier session is reverted too, and the revert can be staged again without it.
func TestTakingBackAfterARestart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits, so no file is executable")
	}
	s := agenttest.New(t, map[string]string{"run.sh": "#!/bin/sh\necho hi\n", "a.txt": "one\n"})
	if err := os.Chmod(filepath.Join(s.Dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.Model.Stages(agenttest.Call("delete_file", map[string]any{"path": "run.sh"}), agenttest.Edit("a.txt", "one", "1"))
	p := s.Plan("less")
	s.MustApprove(view.Request{Plan: 1})
	s.Restart()
	s.Model.Stages(revert(1))
	s.Say(conversation.Message{Text: "take that back", Client: "test", Conversation: p.Conversation})
	if !offers(s, "revert") {
		t.Error("revert is not offered")
	}
	wantReport(s, "What plan 1 proposes:\n\ndelete \"run.sh\" (+0 −2), applied\n", "@@ -1 +1 @@ h2, applied\n-one\n+1\n")
	s.Model.Stages(unstage("o2"))
	id, _, err := s.Agent.Turns.Rework(s.Context(), 2, "not a.txt", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	if got := operationsOf(s, 2); got != "o1:apply_patch:pending" {
		t.Errorf("the operations are %s", got)
	}
	s.MustApprove(view.Request{Plan: 2})
	s.WantFile("run.sh", "#!/bin/sh\necho hi\n")
	if info, err := os.Stat(filepath.Join(s.Dir, "run.sh")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("run.sh is %v, %v", info, err)
	}
}

// Asked what was changed in all, the model has the files of each plan of the conversation, and what
// was undone since.
func TestTheModelSeesItsEarlierPlans(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n", "c.txt": "c\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1\n1"), agenttest.Edit("b.txt", "b", "B"))
	talk := s.Plan("figures").Conversation
	s.MustApprove(view.Request{Plan: 1})
	for i, c := range []model.Call{agenttest.Edit("c.txt", "c", "rejected"), agenttest.Edit("c.txt", "c", "C"), revert(1, "path", "b.txt")} {
		s.Model.Stages(c)
		s.Say(conversation.Message{Text: "more", Client: "test", Conversation: talk, Mode: "plan"})
		if i == 0 {
			if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 2}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		s.MustApprove(view.Request{Plan: i + 2})
	}
	ask(s, talk, "what have you changed in all?")
	wantReport(s, "What plan 4 proposes:\n\nupdate \"b.txt\" (+1 −1), applied\n",
		"\nWhat earlier plans of this conversation have changed, the newest first:\n"+
			"Plan 3 (\"more\"), completed:\n- update \"c.txt\" (+1 −1)\n"+
			"Plan 1 (\"figures\"), completed:\n- update \"a.txt\" (+2 −1)\n- update \"b.txt\" (+1 −1)\n- of that, changed or taken back since: h2")
}

// If the user is asked about each edit, they are asked about reverts too.
func TestTakingBackStepwise(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "three", "3"))
	s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1})
	s.Model.Stages(revert(1))
	s.Wait(s.AskEach("take that back"))
	if got := operationsOf(s, 2); got != "o1:edit_file:pending o2:edit_file:pending" {
		t.Errorf("the operations are %s", got)
	}
	s.MustApprove(view.Request{Plan: 2, Hunks: []string{"h1"}})
	s.WantFile("a.txt", "one\ntwo\n3\n")
}

// The model can read what a revert stages, so a file that it may not see is not reverted that way.
func TestFilesWithSecretsAreNotTakenBackByTheModel(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2c3D4", 4) + "e5F6"
	s := agenttest.New(t, map[string]string{"creds.txt": "TOKEN=" + token + "\n", ".env": "SECRET=hunter2\n", "a.txt": "one\n"})
	s.Model.Stages(agenttest.Call("delete_file", map[string]any{"path": "creds.txt"}), agenttest.Call("delete_file", map[string]any{"path": ".env"}), agenttest.Edit("a.txt", "one", "1"))
	s.Plan("tidy up")
	s.MustApprove(view.Request{Plan: 1})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{revert(1)}}, agenttest.Reply{Calls: []model.Call{agenttest.Call("search", map[string]any{"pattern": "TOKEN"}), agenttest.Call("search", map[string]any{"pattern": "SECRET"}), agenttest.Call("read_file", map[string]any{"path": "creds.txt"})}}, agenttest.Reply{Text: "Done."})
	s.Say(conversation.Message{Text: "take that back", Client: "test"})
	for i, r := range s.Model.Asked() {
		for _, m := range r.Messages {
			if strings.Contains(m.Content, token) || strings.Contains(m.Content, "hunter2") {
				t.Errorf("request %d has a secret:\n%s", i, m.Content)
			}
		}
	}
	if got := operationsOf(s, 2); got != "o1:edit_file:pending" {
		t.Errorf("the operations are %s", got)
	}
}
