package agent_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/chat"
	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace/runner"
)

// try is a call of a model that tries a command.
func try(line string, more ...any) model.Call {
	c := command(line, more...)
	c.Name = "try_command"
	return c
}

// tryingSession is a session in which commands are tried in worlds.
func tryingSession(t *testing.T, files map[string]string) *session {
	t.Helper()
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	s := newSession(t, files)
	s.trials = trial.Options{Mode: trial.On, Home: t.TempDir()}
	s.restart()
	return s
}

// fakeRuns returns trial options with a runner that checks what it is to run.
func fakeRuns(run func(c runner.Command, tell func(runner.Stream, string)) runner.Outcome) trial.Options {
	return trial.Options{
		Mode: trial.On, Worlds: func() error { return nil },
		Home: os.DevNull, // no home folder, and so no user settings
		Run: func(_ context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error) {
			return run(c, tell), nil
		},
	}
}

// answered returns the answers of the tools in the model's last request.
func (s *session) answered() string {
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	messages := s.model.asked[len(s.model.asked)-1].Messages
	return messages[len(messages)-1].Content
}

// trialsOf returns the trials of plan n: "t1 go test: passed".
func (s *session) trialsOf(n int) []string {
	s.t.Helper()
	var all []string
	for _, one := range s.state1(n).Trials {
		text := one.ID + " " + one.Command + ": " + one.Result
		if !one.Current {
			text += ", of an earlier text"
		}
		all = append(all, text)
	}
	return all
}

func (s *session) wantTrials(n int, want ...string) {
	s.t.Helper()
	if got := s.trialsOf(n); strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.t.Errorf("the trials of plan %d are\n%s\nwant\n%s", n, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A model tries what it has staged, including the user's unsaved text, sees that the edit broke it,
// and fixes it in the same turn. Nothing of that is on disk, and the plan shows the trials.
func TestModelTriesAndMends(t *testing.T) {
	s := tryingSession(t, map[string]string{"sum.sh": "echo $(($1 + $2))\n", "check.sh": "test $(sh sum.sh 2 3) = 5 && grep -q typed notes.txt && touch done\n", "notes.txt": "saved\n"})
	s.open("notes.txt")
	s.typeAt("notes.txt", "saved", "typed ")
	s.model.will(
		reply{calls: []model.Call{edit("sum.sh", "+", "-")}}, reply{calls: []model.Call{try("sh check.sh")}},
		reply{calls: []model.Call{edit("sum.sh", "$1 - $2", "$2 + $1")}}, reply{calls: []model.Call{try("sh check.sh")}},
		reply{text: "Done."},
	)
	s.plan("turn the sum round")
	s.wantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed")
	s.wantFile("sum.sh", "echo $(($1 + $2))\n")
	s.wantFile("notes.txt", "saved\n")
	s.wantFile("done", "")

	var told []string
	s.model.mu.Lock()
	for _, r := range s.model.asked {
		if last := r.Messages[len(r.Messages)-1]; strings.Contains(last.Content, "with your staged edits") {
			told = append(told, last.Content)
		}
	}
	s.model.mu.Unlock()
	if len(told) != 2 || !strings.HasPrefix(told[0], "exit code 1 after ") || !strings.Contains(told[0], "without your edits: exit code 0: your edits broke it") || !strings.HasPrefix(told[1], "exit code 0 after ") {
		t.Errorf("the model was told %q", told)
	}

	// The result applies to these texts: not after the user types, and again when that is undone.
	s.typeAt("notes.txt", "typed", "x")
	s.wantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed, of an earlier text")
	b, _ := s.ws.Buffer("notes.txt")
	s.ws.Open(b.URI, "", 9, "typed saved\n")
	s.wantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed")
	s.save("notes.txt") // the same text, on disk
	s.wantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed")

	s.restart()
	s.open("notes.txt")
	s.wantTrials(1, "t1 sh check.sh: fails now, of an earlier text", "t2 sh check.sh: passed")
}

// A failure that was there before is not blamed on the plan; the run without the plan's edits is
// remembered.
func TestFailedBefore(t *testing.T) {
	runs := 0
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.trials = fakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		runs++
		return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "--- FAIL: TestA\n--- FAIL: TestB\n"}
	})
	s.restart()
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{calls: []model.Call{try("go test ./...")}}, reply{calls: []model.Call{edit("a.txt", "1", "2")}}, reply{calls: []model.Call{try("go test ./...")}}, reply{text: "Done."})
	s.plan("figures")
	if got := s.answered(); !strings.Contains(got, "without your edits: exit code 1 too, the same 2 failures") {
		t.Errorf("the model was told %q", got)
	}
	if runs != 3 {
		t.Errorf("it ran %d times, want 3: twice, and once without the edits", runs)
	}
	s.wantTrials(1, "t1 go test ./...: failed, as it did before, of an earlier text", "t2 go test ./...: failed, as it did before")
}

// A trial has the files as they would be on disk, including deleted, created and moved ones, and no
// secrets.
func TestTrialHasTheFilesOfThePlan(t *testing.T) {
	var ran runner.Command
	s := newSession(t, map[string]string{"a.txt": "one\n", "gone.txt": "x", "old.sh": "echo\n", "bom.txt": "\uFEFFone\n", ".env": "KEY=1\n", "sub/x": ""})
	s.trials = fakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		ran = c
		return runner.Outcome{End: runner.Exited}
	})
	s.restart()
	s.model.will(reply{calls: []model.Call{
		edit("bom.txt", "one", "1"), call("delete_file", map[string]any{"path": "gone.txt"}),
		call("rename_file", map[string]any{"path": "old.sh", "new_path": "new/new.sh"}), call("write_file", map[string]any{"path": "b.txt", "content": "b"}),
	}}, reply{calls: []model.Call{try("make", "cwd", "sub", "timeout_seconds", 7)}}, reply{text: "Done."})
	s.plan("do it")
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
	ok := fakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited}
	})
	offered := func(s *session, send string, mode string) bool {
		s.model.will(reply{text: "Well."})
		s.say(conversation.Message{Text: send, Client: "test", Mode: mode})
		s.model.mu.Lock()
		defer s.model.mu.Unlock()
		for _, tool := range s.model.asked[len(s.model.asked)-1].Tools {
			if tool.Name == "try_command" {
				return true
			}
		}
		return false
	}
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	if offered(s, "change a.txt", "") {
		t.Error("it is offered where trials are off")
	}
	s.trials = ok
	s.trials.Mode = trial.Ask
	s.restart()
	if offered(s, "change a.txt", "") {
		t.Error("it is offered before the user has said so")
	}
	if err := s.agent.Trials.Allow(s.ctx()); err != nil {
		t.Fatal(err)
	}
	s.restart()
	if !offered(s, "change a.txt", "") {
		t.Error("it is not offered though the user has said so")
	}
	if offered(s, "what is in a.txt?", "ask") {
		t.Error("it is offered to a turn that may stage nothing")
	}
	if err := s.agent.Trials.Forbid(s.ctx()); err != nil {
		t.Fatal(err)
	}
	if offered(s, "change a.txt", "") {
		t.Error("it is offered after the user has taken it back")
	}
	s.trials.Mode, s.trials.Most = trial.On, 2
	s.trials.Rules, _ = commands.New(nil, []commands.Rule{{Command: "rm"}})
	s.restart()
	s.model.will(reply{calls: []model.Call{try("rm x"), try("make a"), try("make b"), try("make c")}}, reply{text: "Done."})
	s.say(conversation.Message{Text: "change a.txt", Client: "test"})
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	messages := s.model.asked[len(s.model.asked)-1].Messages
	var answers []string
	for _, m := range messages[len(messages)-4:] {
		line, _, _ := strings.Cut(m.Content, "\n")
		answers = append(answers, line)
	}
	if !strings.Contains(answers[0], `rule "rm" denies it`) || !strings.HasPrefix(answers[1], "exit code 0") || !strings.Contains(answers[2], "limit (trials.max)") {
		t.Errorf("the answers are %q", answers)
	}
}

// trialEvents is a turn in which a command is tried.
func trialEvents(t *testing.T) *session {
	s := newSession(t, map[string]string{"go.mod": "module shop\n", "sum.go": "package sum\n\nfunc Sum(a, b int) int { return a + b }\n"})
	s.trials = fakeRuns(func(_ runner.Command, tell func(runner.Stream, string)) runner.Outcome {
		tell(runner.Stdout, "ok  \tshop/sum\t0.004s\n")
		return runner.Outcome{End: runner.Exited, Took: 2300e6, Output: "ok  \tshop/sum\t0.004s\n"}
	})
	s.restart()
	s.model.will(reply{calls: []model.Call{edit("sum.go", "a + b", "b + a")}}, reply{calls: []model.Call{try("go test ./...")}}, reply{text: "Done."})
	s.plan("turn the sum round")
	var ended *state.Trial
	for _, e := range s.events(state.TrialRan) {
		if e.Trial != nil {
			ended = e.Trial
		}
	}
	if ended == nil || ended.Verdict != "passed" {
		t.Errorf("the trial is %+v", ended)
	}
	s.agent.Trials.Standing()
	s.until("whether there are trials", func() bool { return len(s.events(state.TrialsStand)) > 0 })
	return s
}

// The model gets the checks of the project, and those that have passed here.
func TestModelKnowsTheChecks(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "go.mod": "module x\n", "gradlew": "", "build.zig": ""})
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip("go is not on PATH")
	}
	t.Setenv("PATH", filepath.Dir(program)) // Zig is not installed
	s.trials = fakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		if c.Line == "go vet ./..." {
			return runner.Outcome{End: runner.Exited, ExitCode: 1}
		}
		return runner.Outcome{End: runner.Exited}
	})
	s.restart()
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{calls: []model.Call{try("sh check.sh"), try("go vet ./...")}}, reply{text: "Done."}, reply{text: "Well."})
	s.plan("figures")
	s.say(conversation.Message{Text: "and now?", Client: "test", New: true})
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	for _, tool := range s.model.asked[len(s.model.asked)-1].Tools {
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
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	passed, failed := "", ""
	for i := range 50 {
		passed += fmt.Sprintf("--- PASS: Test%d (0.00s)\n", i)
		failed += fmt.Sprintf("--- FAIL: Test%d (0.0%ds)\n    a_test.go:7: no figure\n", i, i%10)
	}
	s.trials = fakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		switch c.Line {
		case "pass":
			return runner.Outcome{End: runner.Exited, Output: passed + "PASS\n"}
		case "fail":
			return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: failed + "FAIL\n"}
		}
		return runner.Outcome{End: runner.TimedOut, Took: c.Limits.Time}
	})
	s.trials.TimeSet = true
	s.restart()
	s.model.will(reply{calls: []model.Call{try("pass"), try("fail"), try("hang", "timeout_seconds", 5000)}}, reply{text: "Done."})
	s.say(conversation.Message{Text: "try it", Client: "test"})
	var answers []string
	for _, m := range s.newestRequest().Messages {
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
		s := newSession(t, map[string]string{"a.txt": "one\n"})
		s.trials = o
		s.restart()
		s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{calls: []model.Call{try("make")}}, reply{text: "Done."})
		s.plan("figures")
		return s.answered()
	}
	o := fakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
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
	s := newSession(t, map[string]string{
		"mixed.txt": "one\r\ntwo\nthree\nfour\nfive\nsix", "gone.txt": "bye\n", "old.txt": "a\nb\n", "bom.txt": "\uFEFFa\n", "typed.txt": "x\n", "other.txt": "y\n",
	})
	s.trials = fakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		ran = c
		return runner.Outcome{End: runner.Exited}
	})
	s.restart()
	s.model.stages(
		edit("mixed.txt", "one", "ONE"), edit("mixed.txt", "three\n", ""), edit("mixed.txt", "four\n", "4\nand a half\n"), edit("mixed.txt", "six", "SIX\nseven"),
		edit("bom.txt", "a", "b"), edit("typed.txt", "x", "z"), call("delete_file", map[string]any{"path": "gone.txt"}), call("write_file", map[string]any{"path": "new.txt", "content": "new"}),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "sub/new.txt"}), edit("sub/new.txt", "b", "B"),
	)
	p := s.plan("do it")
	s.open("mixed.txt")
	s.typeAt("mixed.txt", "two", "and\n")
	s.typeAt("mixed.txt", "six", "x") // the hunk there is stale now
	s.open("other.txt")
	s.typeAt("other.txt", "y", "un")
	turn, err := s.agent.Trials.Try(s.ctx(), trial.Request{Plan: 1, Commands: []string{"make"}})
	if err != nil {
		t.Fatal(err)
	}
	s.wait(turn)

	s.save("mixed.txt")
	s.ws.Close(s.ws.URI("mixed.txt"))
	s.save("other.txt") // and stays open: the text of a closed file without a plan is known only after a look at the disk
	s.approve(view.Request{Plan: 1, Hash: p.Hash, SkipStale: true})
	seen := map[string]bool{}
	for _, c := range ran.World.Changes {
		rel, err := filepath.Rel(ran.World.Folders[0], c.Path)
		if err != nil {
			t.Fatal(err)
		}
		seen[filepath.ToSlash(rel)] = true
		data, err := os.ReadFile(filepath.Join(s.dir, rel))
		if c.Gone != (err != nil) || string(data) != string(c.Text) {
			t.Errorf("%s was tried as %q (gone: %v), and is %q", rel, c.Text, c.Gone, data)
		}
	}
	for _, want := range []string{"mixed.txt", "gone.txt", "old.txt", "sub/new.txt", "new.txt", "bom.txt", "typed.txt", "other.txt"} {
		if !seen[want] {
			t.Errorf("%s was tried as it was on disk", want)
		}
	}
	s.wantTrials(1, "t1 make: passed")
	s.writeFile("bom.txt", "else\n")
	s.agent.OnDisk([]string{"bom.txt"})
	s.wantTrials(1, "t1 make: passed, of an earlier text")
}

// typeAt inserts text into an open file before the first occurrence of a mark.
func (s *session) typeAt(name, mark, text string) {
	s.t.Helper()
	b, ok := s.ws.Buffer(name)
	if !ok {
		s.t.Fatalf("%s is not open", name)
	}
	at := strings.Index(b.Lines.Text(), mark)
	if at < 0 {
		s.t.Fatalf("%s has no %q", name, mark)
	}
	e := edits.Edit{Span: edits.Span{Start: at, End: at}, New: text}
	if err := s.ws.Update(b.URI, b.Version+1, b.Lines.Replace(e), []edits.Edit{e}); err != nil {
		s.t.Fatal(err)
	}
}

// When the plan is applied, the comment that requested it is removed, also from the texts of
// earlier trials: the result applies to what the plan proposes.
func TestTrialOfACommentRequest(t *testing.T) {
	text := "package a\n\n// redline: add a constant\nvar x = 1\n"
	for name, file := range map[string]string{"in the file that is edited": "a.go", "in another": "b.go"} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.go": text, "b.go": "package a\n\nvar x = 1\n"})
			var tried []string
			s.trials = fakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
				for _, change := range c.World.Changes {
					tried = append(tried, string(change.Text))
				}
				return runner.Outcome{End: runner.Exited}
			})
			s.restart()
			s.open("a.go")
			request, ok := chat.FindRequest(edits.NewLines(text), 2)
			if !ok {
				t.Fatal("the comment was not found")
			}
			s.model.will(reply{calls: []model.Call{edit(file, "var x = 1\n", "const Answer = 42\n")}}, reply{calls: []model.Call{try("go vet ./...")}}, reply{text: "Done."})
			turn := s.say(conversation.Message{Text: request.Text, Path: "a.go", Lines: &[2]int{2, 2}, Comment: &request})
			s.wantTrials(s.agent.Conversations.PlanOf(turn.Turn), "t1 go vet ./...: passed")
			if got := strings.Join(tried, "\n"); strings.Contains(got, "redline:") || !strings.Contains(got, "Answer") {
				t.Errorf("it was tried on\n%s", got)
			}
		})
	}
}

// A result is not about files that another program, or the user by saving, has changed since.
func TestTrialsBeforeAChangeOnDisk(t *testing.T) {
	for name, change := range map[string]func(s *session){
		"another program": func(s *session) { s.writeFile("notes.txt", "other\n"); s.agent.OnDisk([]string{"notes.txt"}) },
		"a new file":      func(s *session) { s.writeFile("new.sh", "exit 1\n"); s.agent.OnDisk([]string{"new.sh"}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := tryingSession(t, map[string]string{"sum.sh": "echo $(($1 + $2))\n", "notes.txt": "saved\n", ".gitignore": "out\n"})
			s.model.will(reply{calls: []model.Call{edit("sum.sh", "$1 + $2", "$2 + $1")}}, reply{calls: []model.Call{try("test $(sh sum.sh 2 3) = 5")}}, reply{text: "Done."})
			s.plan("turn the sum round")
			s.wantTrials(1, "t1 test $(sh sum.sh 2 3) = 5: passed")
			s.writeFile("out", "built\n")
			// Ignored files do not count, and the plan's own are compared by their texts.
			s.ws.ChangedOnDisk([]string{"out", ".redline/plans/x.md", ".git/index", "sum.sh"}, time.Now().Add(time.Minute))
			s.wantTrials(1, "t1 test $(sh sum.sh 2 3) = 5: passed")
			change(s)
			s.until("the result is of an earlier text", func() bool { return !s.state1(1).Trials[0].Current })
		})
	}
}
