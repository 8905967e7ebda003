package trial_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/agenttest"
	"redline/agent/chat"
	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace/runner"
)

// tryingSession is a session in which commands are tried in worlds.
func tryingSession(t *testing.T, files map[string]string) *agenttest.Session {
	t.Helper()
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	s := agenttest.New(t, files)
	s.Trials = trial.Options{Mode: trial.On, Home: t.TempDir()}
	s.Restart()
	return s
}

// A model tries what it has staged, including the user's unsaved text, sees that the edit broke it,
// and fixes it in the same turn. Nothing of that is on disk, and the plan shows the trials.
func TestModelTriesAndMends(t *testing.T) {
	s := tryingSession(t, map[string]string{"sum.sh": "echo $(($1 + $2))\n", "check.sh": "test $(sh sum.sh 2 3) = 5 && grep -q typed notes.txt && touch done\n", "notes.txt": "saved\n"})
	s.Open("notes.txt")
	s.TypeAt("notes.txt", "saved", "typed ")
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("sum.sh", "+", "-")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("sh check.sh")}},
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("sum.sh", "$1 - $2", "$2 + $1")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("sh check.sh")}},
		agenttest.Reply{Text: "Done."},
	)
	s.Plan("turn the sum round")
	s.WantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed")
	s.WantFile("sum.sh", "echo $(($1 + $2))\n")
	s.WantFile("notes.txt", "saved\n")
	s.WantFile("done", "")

	var told []string
	for _, r := range s.Model.Asked() {
		if last := r.Messages[len(r.Messages)-1]; strings.Contains(last.Content, "with your staged edits") {
			told = append(told, last.Content)
		}
	}
	if len(told) != 2 || !strings.HasPrefix(told[0], "exit code 1 after ") || !strings.Contains(told[0], "without your edits: exit code 0: your edits broke it") || !strings.HasPrefix(told[1], "exit code 0 after ") {
		t.Errorf("the model was told %q", told)
	}

	// The result applies to these texts: not after the user types, and again when that is undone.
	s.TypeAt("notes.txt", "typed", "x")
	s.WantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed, of an earlier text")
	b, _ := s.Workspace.Buffer("notes.txt")
	s.Workspace.Open(b.URI, "", 9, "typed saved\n")
	s.WantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed")
	s.Save("notes.txt") // the same text, on disk
	s.WantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed")

	s.Restart()
	s.Open("notes.txt")
	s.WantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed")
}

// A failure that was there before is not blamed on the plan; the run without the plan's edits is
// remembered.
func TestFailedBefore(t *testing.T) {
	runs := 0
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		runs++
		return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "--- FAIL: TestA\n--- FAIL: TestB\n"}
	})
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("go test ./...")}}, agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "1", "2")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("go test ./...")}}, agenttest.Reply{Text: "Done."})
	s.Plan("figures")
	if got := s.LastMessage(); !strings.Contains(got, "without your edits: exit code 1 too, the same 2 failures") {
		t.Errorf("the model was told %q", got)
	}
	if runs != 3 {
		t.Errorf("it ran %d times, want 3: twice, and once without the edits", runs)
	}
	s.WantTrials(1, "t1 go test ./...: failed, as it did before, of an earlier text", "t2 go test ./...: failed, as it did before")
}

// A trial has the files as they would be on disk, including deleted, created and moved ones, and no
// secrets.
func TestTrialHasTheFilesOfThePlan(t *testing.T) {
	var ran runner.Command
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "gone.txt": "x", "old.sh": "echo\n", "bom.txt": "\uFEFFone\n", ".env": "KEY=1\n", "sub/x": ""})
	s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		ran = c
		return runner.Outcome{End: runner.Exited}
	})
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{
		agenttest.Edit("bom.txt", "one", "1"), agenttest.Call("delete_file", map[string]any{"path": "gone.txt"}),
		agenttest.Call("rename_file", map[string]any{"path": "old.sh", "new_path": "new/new.sh"}), agenttest.Call("write_file", map[string]any{"path": "b.txt", "content": "b"}),
	}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("make", "cwd", "sub", "timeout_seconds", 7)}}, agenttest.Reply{Text: "Done."})
	s.Plan("do it")
	var got []string
	for _, c := range ran.World.Changes {
		rel, _ := filepath.Rel(ran.World.Folders[0], c.Path)
		text := filepath.ToSlash(rel) + " " + string(c.Text)
		if c.Gone {
			text = filepath.ToSlash(rel) + " gone"
		}
		got = append(got, text)
	}
	want := "gone.txt gone|old.sh gone|b.txt b|bom.txt \uFEFF1\n|new/new.sh echo\n"
	if strings.Join(got, "|") != want {
		t.Errorf("the files are %q, want %q", strings.Join(got, "|"), want)
	}
	if len(ran.World.Hidden) != 1 || filepath.Base(ran.World.Hidden[0]) != ".env" || filepath.Base(ran.Dir) != "sub" || ran.Limits.Time.Seconds() != 7 {
		t.Errorf("it ran %+v", ran)
	}
}

// The tool is offered only if the user allows trials and commands may be staged; it refuses
// commands that the rules deny, and stops at the limit.
func TestWhereCommandsAreTried(t *testing.T) {
	ok := agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited}
	})
	offered := func(s *agenttest.Session, send string, mode string) bool {
		s.Model.Will(agenttest.Reply{Text: "Well."})
		s.Say(conversation.Message{Text: send, Client: "test", Mode: mode})
		for _, tool := range s.Model.Asked()[len(s.Model.Asked())-1].Tools {
			if tool.Name == "try_command" {
				return true
			}
		}
		return false
	}
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	if offered(s, "change a.txt", "") {
		t.Error("it is offered where trials are off")
	}
	s.Trials = ok
	s.Trials.Mode = trial.Ask
	s.Restart()
	if offered(s, "change a.txt", "") {
		t.Error("it is offered before the user has said so")
	}
	if err := s.Agent.Trials.Allow(s.Context()); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	if !offered(s, "change a.txt", "") {
		t.Error("it is not offered though the user has said so")
	}
	if offered(s, "what is in a.txt?", "ask") {
		t.Error("it is offered to a turn that may stage nothing")
	}
	if err := s.Agent.Trials.Forbid(s.Context()); err != nil {
		t.Fatal(err)
	}
	if offered(s, "change a.txt", "") {
		t.Error("it is offered after the user has taken it back")
	}
	s.Trials.Mode, s.Trials.Most = trial.On, 2
	s.Trials.Rules, _ = commands.New(nil, []commands.Rule{{Command: "rm"}})
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Try("rm x"), agenttest.Try("make a"), agenttest.Try("make b"), agenttest.Try("make c")}}, agenttest.Reply{Text: "Done."})
	s.Say(conversation.Message{Text: "change a.txt", Client: "test"})
	messages := s.Model.Asked()[len(s.Model.Asked())-1].Messages
	var answers []string
	for _, m := range messages[len(messages)-4:] {
		line, _, _ := strings.Cut(m.Content, "\n")
		answers = append(answers, line)
	}
	if !strings.Contains(answers[0], `rule "rm" denies it`) || !strings.HasPrefix(answers[1], "exit code 0") || !strings.Contains(answers[2], "limit (trials.max)") {
		t.Errorf("the answers are %q", answers)
	}
}

// The model gets the checks of the project, and those that have passed here.
func TestModelKnowsTheChecks(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "go.mod": "module x\n", "gradlew": "", "build.zig": ""})
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip("go is not on PATH")
	}
	t.Setenv("PATH", filepath.Dir(program)) // Zig is not installed
	s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		if c.Line == "go vet ./..." {
			return runner.Outcome{End: runner.Exited, ExitCode: 1}
		}
		return runner.Outcome{End: runner.Exited}
	})
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("sh check.sh"), agenttest.Try("go vet ./...")}}, agenttest.Reply{Text: "Done."}, agenttest.Reply{Text: "Well."})
	s.Plan("figures")
	s.Say(conversation.Message{Text: "and now?", Client: "test", New: true})
	for _, tool := range s.Model.Asked()[len(s.Model.Asked())-1].Tools {
		if tool.Name == "try_command" {
			for _, want := range []string{"The project's own checks: `go build ./...` (go.mod), `go test ./...` (go.mod), `./gradlew --offline test` (gradlew), `go vet ./...` (go.mod, fails without your edits too).", "These have passed here before: `sh check.sh`."} {
				if !strings.Contains(tool.Description, want) {
					t.Errorf("%q is not in %q", want, tool.Description)
				}
			}
			return
		}
	}
	t.Error("the tool is not offered")
}

// The answer to a trial has the last lines of an output that passed, the same failure once, and a
// limit that cut the time.
func TestAnswersOfTrialsAreShort(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	passed, failed := "", ""
	for i := range 50 {
		passed += fmt.Sprintf("--- PASS: Test%d (0.00s)\n", i)
		failed += fmt.Sprintf("--- FAIL: Test%d (0.0%ds)\n    a_test.go:7: no figure\n", i, i%10)
	}
	s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		switch c.Line {
		case "pass":
			return runner.Outcome{End: runner.Exited, Output: passed + "PASS\n"}
		case "fail":
			return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: failed + "FAIL\n"}
		}
		return runner.Outcome{End: runner.TimedOut, Took: c.Limits.Time}
	})
	s.Trials.TimeSet = true
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Try("pass"), agenttest.Try("fail"), agenttest.Try("hang", "timeout_seconds", 5000)}}, agenttest.Reply{Text: "Done."})
	s.Say(conversation.Message{Text: "try it", Client: "test"})
	var answers []string
	for _, m := range s.LastRequest().Messages {
		if m.Role == model.RoleTool {
			answers = append(answers, m.Content)
		}
	}
	for i, want := range []string{
		"… 39 lines left out, since it passed …\n--- PASS: Test39 (0.00s)\n",
		"--- FAIL: Test0 (0.00s)\n    a_test.go:7: no figure\n… the same in 49 more: Test1, Test2, Test3, Test4, Test5, 44 more tests …\nFAIL\n",
		"timeout_seconds was 5000, and 120 are the most here (trials.timeout_seconds).\n",
	} {
		if i >= len(answers) || !strings.Contains(answers[i], want) {
			t.Errorf("answer %d of %d has no %q:\n%s", i, len(answers), want, strings.Join(answers, "\n\n"))
		}
	}
}

// A recorded trial is not run when the recording is replayed, and has the same result.
func TestReplayedTrial(t *testing.T) {
	dir, runs := t.TempDir(), 0
	turn := func(o trial.Options) string {
		s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
		s.Trials = o
		s.Restart()
		s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("make")}}, agenttest.Reply{Text: "Done."})
		s.Plan("figures")
		return s.LastMessage()
	}
	o := agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		runs++
		return runner.Outcome{End: runner.Exited, ExitCode: 3 - runs, Took: 2345e6, Output: fmt.Sprintf("run %d\n", runs)}
	})
	o.Record = dir
	first := turn(o)
	if err := os.WriteFile(filepath.Join(dir, "0001.json"), []byte(`{"tools":[{"name":"try_command"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Record, o.Replay, o.Mode = "", dir, trial.Off
	if again := turn(o); again != first || runs != 2 || !strings.Contains(first, "exit code 2 after 2.3 s") || !strings.Contains(first, "run 1\n") || !strings.Contains(first, "exit code 1 too") {
		t.Errorf("after %d runs the model was told %q, and %q", runs, first, again)
	}
}

// A trial runs on exactly the files that an approval of everything that is not stale would make,
// byte for byte.
func TestTriedIsWhatAnApprovalMakes(t *testing.T) {
	var ran runner.Command
	s := agenttest.New(t, map[string]string{
		"mixed.txt": "one\r\ntwo\nthree\nfour\nfive\nsix", "gone.txt": "bye\n", "old.txt": "a\nb\n", "bom.txt": "\uFEFFa\n", "typed.txt": "x\n", "other.txt": "y\n",
	})
	s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		ran = c
		return runner.Outcome{End: runner.Exited}
	})
	s.Restart()
	s.Model.Stages(
		agenttest.Edit("mixed.txt", "one", "ONE"), agenttest.Edit("mixed.txt", "three\n", ""), agenttest.Edit("mixed.txt", "four\n", "4\nand a half\n"), agenttest.Edit("mixed.txt", "six", "SIX\nseven"),
		agenttest.Edit("bom.txt", "a", "b"), agenttest.Edit("typed.txt", "x", "z"), agenttest.Call("delete_file", map[string]any{"path": "gone.txt"}), agenttest.Call("write_file", map[string]any{"path": "new.txt", "content": "new"}),
		agenttest.Call("rename_file", map[string]any{"path": "old.txt", "new_path": "sub/new.txt"}), agenttest.Edit("sub/new.txt", "b", "B"),
	)
	p := s.Plan("do it")
	s.Open("mixed.txt")
	s.TypeAt("mixed.txt", "two", "and\n")
	s.TypeAt("mixed.txt", "six", "x") // the hunk there is stale now
	s.Open("other.txt")
	s.TypeAt("other.txt", "y", "un")
	turn, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 1, Commands: []string{"make"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(turn)

	s.Save("mixed.txt")
	s.Workspace.Close(s.Workspace.URI("mixed.txt"))
	s.Save("other.txt") // and stays open: the text of a closed file without a plan is known only after a look at the disk
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, SkipStale: true})
	seen := map[string]bool{}
	for _, c := range ran.World.Changes {
		rel, err := filepath.Rel(ran.World.Folders[0], c.Path)
		if err != nil {
			t.Fatal(err)
		}
		seen[filepath.ToSlash(rel)] = true
		data, err := os.ReadFile(filepath.Join(s.Dir, rel))
		if c.Gone != (err != nil) || string(data) != string(c.Text) {
			t.Errorf("%s was tried as %q (gone: %v), and is %q", rel, c.Text, c.Gone, data)
		}
	}
	for _, want := range []string{"mixed.txt", "gone.txt", "old.txt", "sub/new.txt", "new.txt", "bom.txt", "typed.txt", "other.txt"} {
		if !seen[want] {
			t.Errorf("%s was tried as it was on disk", want)
		}
	}
	s.WantTrials(1, "t1 make: passed")
	s.Write("bom.txt", "else\n")
	s.Agent.OnDisk([]string{"bom.txt"})
	s.WantTrials(1, "t1 make: passed, of an earlier text")
}

// When the plan is applied, the comment that requested it is removed, also from the texts of
// earlier trials: the result applies to what the plan proposes.
func TestTrialOfACommentRequest(t *testing.T) {
	text := "package a\n\n// redline: add a constant\nvar x = 1\n"
	for name, file := range map[string]string{"in the file that is edited": "a.go", "in another": "b.go"} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"a.go": text, "b.go": "package a\n\nvar x = 1\n"})
			var tried []string
			s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
				for _, change := range c.World.Changes {
					tried = append(tried, string(change.Text))
				}
				return runner.Outcome{End: runner.Exited}
			})
			s.Restart()
			s.Open("a.go")
			request, ok := chat.FindRequest(edits.NewLines(text), 2)
			if !ok {
				t.Fatal("the comment was not found")
			}
			s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit(file, "var x = 1\n", "const Answer = 42\n")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("go vet ./...")}}, agenttest.Reply{Text: "Done."})
			turn := s.Say(conversation.Message{Text: request.Text, Path: "a.go", Lines: &[2]int{2, 2}, Comment: &request})
			s.WantTrials(s.Agent.Conversations.PlanOf(turn.Turn), "t1 go vet ./...: passed")
			if got := strings.Join(tried, "\n"); strings.Contains(got, "redline:") || !strings.Contains(got, "Answer") {
				t.Errorf("it was tried on\n%s", got)
			}
		})
	}
}

// A result is not about files that another program, or the user by saving, has changed since.
func TestTrialsBeforeAChangeOnDisk(t *testing.T) {
	for name, change := range map[string]func(s *agenttest.Session){
		"another program": func(s *agenttest.Session) { s.Write("notes.txt", "other\n"); s.Agent.OnDisk([]string{"notes.txt"}) },
		"a new file":      func(s *agenttest.Session) { s.Write("new.sh", "exit 1\n"); s.Agent.OnDisk([]string{"new.sh"}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := tryingSession(t, map[string]string{"sum.sh": "echo $(($1 + $2))\n", "notes.txt": "saved\n", ".gitignore": "out\n"})
			s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("sum.sh", "$1 + $2", "$2 + $1")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("test $(sh sum.sh 2 3) = 5")}}, agenttest.Reply{Text: "Done."})
			s.Plan("turn the sum round")
			s.WantTrials(1, "t1 test $(sh sum.sh 2 3) = 5: passed")
			s.Write("out", "built\n")
			// Ignored files do not count, and the plan's own are compared by their texts.
			s.Workspace.ChangedOnDisk([]string{"out", ".redline/plans/x.md", ".git/index", "sum.sh"}, time.Now().Add(time.Minute))
			s.WantTrials(1, "t1 test $(sh sum.sh 2 3) = 5: passed")
			change(s)
			s.Until("the result is of an earlier text", func() bool { return !s.PlanNow(1).Trials[0].Current })
		})
	}
}
