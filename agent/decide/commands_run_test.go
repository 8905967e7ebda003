package decide_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/audit"
	"redline/agent/commands"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace/runner"
)

func TestCommandsRunAfterTheirEdits(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "sub/b.txt": ""})
	p := s.Plan("figures", edit("a.txt", "one", "1"), command("cat a.txt; echo problem >&2"), command("pwd; echo two > made.txt", "cwd", "sub"))

	turn := s.Allow(view.Request{Plan: 1, Hash: p.Hash})
	s.WantCommands(1, "completed", "o2:succeeded:0 o3:succeeded:0")
	if turn.State != "done" || turn.Answer == nil || !strings.Contains(*turn.Answer, "exit code 0") {
		t.Errorf("turn %+v", turn)
	}
	if out, errs := s.printed("o2", "stdout"), s.printed("o2", "stderr"); out != "1\n" || errs != "problem\n" {
		t.Errorf("printed %q and %q", out, errs)
	}
	now := s.PlanNow(1)
	if got := now.Commands[0].Output; !strings.Contains(got, "1\n") || !strings.Contains(got, "problem\n") {
		t.Errorf("output %q", got)
	}
	if now.Steps[0].Status != "completed" {
		t.Errorf("step %s", now.Steps[0].Status)
	}
	s.WantFile("sub/made.txt", "two\n")
	s.Restart()
	s.WantCommands(1, "completed", "o2:succeeded:0 o3:succeeded:0")
}

// Without AllowCommands the edits are applied and the commands stay pending. Each can then be
// approved alone.
func TestCommandsOneByOne(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Plan("figures", edit("a.txt", "one", "1"), command("echo 2 > two"), command("echo 3 > three"))
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Operation: "o2"})
	s.WantRefused(err, plan.WrongState) // its edit is not applied
	if r := s.MustApprove(view.Request{Plan: 1}); r.Turn != "" || r.State != "reviewing" {
		t.Errorf("%+v", r)
	}
	s.WantCommands(1, "reviewing", "o2:pending o3:pending")
	_, err = s.Approve(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.NotAllowed) // only commands are left
	s.Allow(view.Request{Plan: 1, Operation: "o3"})
	s.WantCommands(1, "reviewing", "o2:pending o3:succeeded:0")
	if _, err := os.Stat(filepath.Join(s.Dir, "two")); err == nil {
		t.Error("a command ran that nobody has approved")
	}
	for _, decide := range []func() error{
		func() error {
			_, err := s.Approve(s.Context(), view.Request{Plan: 1, Operation: "o3"})
			return err
		},
		func() error {
			_, err := s.Reject(s.Context(), view.Request{Plan: 1, Operation: "o3"})
			return err
		},
	} {
		s.WantRefused(decide(), plan.WrongState)
	}
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Operation: "o2", Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	s.WantCommands(1, "completed", "o2:rejected o3:succeeded:0")
}

func TestAFailedCommandStopsThePlan(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Plan("figures", edit("a.txt", "one", "1"), command("echo x >> ran; true"), command("echo why >&2; test -e fixed"), command("echo y >> ran"))
	turn := s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "failed", "o2:succeeded:0 o3:failed:1 o4:skipped")
	if turn.State != "failed" || turn.Error == nil {
		t.Fatalf("turn %+v", turn)
	}
	for _, want := range []string{"exit code 0", "`echo why >&2; test -e fixed` failed (exit code 1).", "Not run: o4"} {
		if !strings.Contains(*turn.Error, want) {
			t.Errorf("%q does not say %q", *turn.Error, want)
		}
	}
	s.WantFile("a.txt", "1\n") // applied edits stay
	// It continues at the command that failed; those that succeeded are not run again.
	s.Write("fixed", "")
	s.Restart()
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "completed", "o2:succeeded:0 o3:succeeded:0 o4:succeeded:0")
	s.WantFile("ran", "x\ny\n")
}

func TestARuleOfThePlanGoesOn(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Plan("figures", command("exit 3", "on_failure", "continue"), command("echo y > ran"))
	turn := s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "completed", "o1:failed:3 o2:succeeded:0")
	if turn.State != "done" {
		t.Errorf("%+v", turn)
	}
}

func TestACommandWaitsForTheSave(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.Plan("figures", edit("a.txt", "one", "1"), command("cat a.txt"), command("cat b.txt"))
	s.MustApprove(view.Request{Plan: 1})
	s.Open("a.txt")
	s.TypeAt("a.txt", "1", "typed\n")
	r := s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	s.Until("it waits", func() bool { return decidetest.Commands(s.PlanNow(1)) == "o2:waiting_for_save o3:pending" })
	said := func() int {
		return len(slices.DeleteFunc(s.Editor.Notices(), func(text string) bool { return !strings.Contains(text, "waits until you have saved a.txt") }))
	}
	s.Until("it is said", func() bool { return said() > 0 })
	b, _ := s.Workspace.Buffer("a.txt")
	text := b.Lines.Text()
	s.Write("a.txt", text)
	s.Workspace.Saved(b.URI, &text)
	s.Wait(r.Turn)
	if said() != 1 {
		t.Errorf("said %q", s.Editor.Notices())
	}
	if p := s.PlanNow(1); decidetest.Commands(p) != "o2:succeeded:0 o3:succeeded:0" || p.Commands[0].Output != text {
		t.Errorf("%+v", p.Commands)
	}
}

func TestAWaitingCommandRunsWhenItIsApprovedAgain(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Plan("figures", edit("a.txt", "one", "1"), command("echo now"))
	s.MustApprove(view.Request{Plan: 1})
	s.Open("a.txt")
	s.TypeAt("a.txt", "1", "typed\n")
	r := s.MustApprove(view.Request{Plan: 1, Operation: "o2"})
	s.Until("it waits", func() bool { return decidetest.Commands(s.PlanNow(1)) == "o2:waiting_for_save" })
	again := s.MustApprove(view.Request{Plan: 1, Operation: "o2"})
	if again.Turn != r.Turn {
		t.Errorf("another turn: %+v", again)
	}
	s.Wait(r.Turn)
	s.WantCommands(1, "completed", "o2:succeeded:0")
}

// A waiting command can be cancelled or rejected, and ends with the session: it is not run.
func TestAWaitingCommandThatIsNotRun(t *testing.T) {
	for name, end := range map[string]struct {
		do          func(*session, string)
		state, want string
	}{
		"cancelled": {func(s *session, turn string) { s.cancel(turn); s.Wait(turn) }, "reviewing", "o2:pending"},
		"rejected": {func(s *session, turn string) {
			if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Operation: "o2"}); err != nil {
				s.t.Fatal(err)
			}
			s.Wait(turn)
		}, "completed", "o2:rejected"},
		"the end of the session": {func(s *session, _ string) { s.Restart() }, "reviewing", "o2:pending"},
		"another revision": {func(s *session, turn string) {
			s.Rework(edit("a.txt", "1", "2"))
			s.Wait(turn)
		}, "awaiting_approval", "o2:pending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, map[string]string{"a.txt": "one\n"})
			s.Plan("figures", edit("a.txt", "one", "1"), command("touch ran"))
			s.MustApprove(view.Request{Plan: 1})
			s.Open("a.txt")
			s.TypeAt("a.txt", "1", "typed\n")
			r := s.MustApprove(view.Request{Plan: 1, Operation: "o2"})
			s.Until("it waits", func() bool { return decidetest.Commands(s.PlanNow(1)) == "o2:waiting_for_save" })
			end.do(s, r.Turn)
			s.WantCommands(1, end.state, end.want)
			if _, err := os.Stat(filepath.Join(s.Dir, "ran")); err == nil {
				t.Error("it was run")
			}
		})
	}
}

// blocked returns a runner whose commands run until their context is done.
func blocked(began chan<- struct{}) decide.ExecutorOptions {
	return decide.ExecutorOptions{Run: func(ctx context.Context, c runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
		began <- struct{}{}
		<-ctx.Done()
		return runner.Outcome{End: runner.Cancelled, ExitCode: -1}, nil
	}}
}

func TestCancellingARunningCommand(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	began := make(chan struct{}, 1)
	s.Commands = blocked(began)
	s.Restart()
	s.Plan("figures", command("sleep 1000"), command("true"))
	r := s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	<-began
	s.WantCommands(1, "executing", "o1:running o2:pending")
	// Nothing else in the plan can be decided meanwhile.
	_, err := s.Reject(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.Busy)
	s.cancel(r.Turn)
	if turn := s.Wait(r.Turn); turn.State != "cancelled" {
		t.Errorf("%+v", turn)
	}
	s.WantCommands(1, "failed", "o1:failed o2:skipped")
	if reason := s.PlanNow(1).Commands[0].Reason; !strings.Contains(reason, "cancelled") {
		t.Errorf("reason %q", reason)
	}
}

// A panic while a command runs is a failure of that command, and nothing more.
func TestAFaultWhileACommandRuns(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Commands = decide.ExecutorOptions{Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		panic("a fault")
	}}
	s.Restart()
	s.Plan("figures", command("true"), command("false"))
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "failed", "o1:failed o2:skipped")
}

// The end of a session ends its running command, and records that.
func TestTheEndOfASessionWhileACommandRuns(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	began := make(chan struct{}, 1)
	s.Commands = blocked(began)
	s.Restart()
	s.Plan("figures", command("sleep 1000"))
	s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	<-began
	s.Restart()
	s.WantCommands(1, "failed", "o1:failed")
	if reason := s.PlanNow(1).Commands[0].Reason; !strings.Contains(reason, "Redline was ended while it ran") {
		t.Errorf("reason %q", reason)
	}
}

// A command that was running when the process was killed has failed, and is not run again by
// itself.
func TestAProcessThatWasKilledWhileACommandRan(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	began := make(chan struct{}, 1)
	s.Commands = blocked(began)
	s.Restart()
	s.Plan("figures", command("sleep 1000"), command("true"))
	s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	<-began
	s.Commands = decide.ExecutorOptions{Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		t.Error("a command is run again")
		return runner.Outcome{}, nil
	}}
	s.Kill()
	if err := s.Board.Follower.Recover(s.Context()); err != nil {
		t.Fatal(err)
	}
	s.WantCommands(1, "failed", "o1:failed o2:pending")
	if reason := s.PlanNow(1).Commands[0].Reason; reason != "Redline was ended while it ran; it is not known how it ended" {
		t.Errorf("reason %q", reason)
	}
}

// The audit log has the command as it was run, its outcome, and who approved it.
func TestCommandsInTheAuditLog(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Plan("figures", command("exit  3 # <&>"))
	s.Allow(view.Request{Plan: 1, Client: "Helix"})
	var approved, executed audit.Record
	err := s.Store.AuditLog(s.Context(), s.Dir, func(e audit.Entry) error {
		r, err := e.Decode()
		switch r.Event {
		case audit.Approved:
			approved = r
		case audit.Executed:
			executed = r
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(approved.Scope.Commands) != 1 || approved.Scope.Commands[0].Command != "exit  3 # <&>" {
		t.Errorf("approved %+v", approved.Scope)
	}
	c := executed.Outcome.Commands
	if len(c) != 1 || c[0].Command != "exit  3 # <&>" || c[0].Status != "failed" || *c[0].ExitCode != 3 || executed.Who != "user" || executed.Client != "Helix" {
		t.Errorf("executed %+v by %s", c, executed.Who)
	}
}

// If a folder was replaced by a link after the command was staged, the command is refused,
// wherever the link leads.
func TestWhereACommandRuns(t *testing.T) {
	for name, to := range map[string]string{"out of the workspace": t.TempDir(), "inside": "other"} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"sub/b.txt": "", "other/c.txt": ""})
			if p := s.Plan("figures", command("touch ran", "cwd", "./sub/.")); p.Commands[0].Cwd != "sub" {
				t.Errorf("the folder is %q", p.Commands[0].Cwd)
			}
			sub := filepath.Join(s.Dir, "sub")
			if err := os.RemoveAll(sub); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, sub); err != nil {
				t.Skipf("symbolic links cannot be made here: %v", err)
			}
			turn := s.Allow(view.Request{Plan: 1})
			s.WantCommands(1, "failed", "o1:failed")
			if turn.Error == nil || !strings.Contains(*turn.Error, "`touch ran` in sub failed. It was not started") {
				t.Errorf("%+v", turn)
			}
		})
	}
}

// The user's own rules approve commands with the plan, up to the first that they do not allow,
// and are recorded as who approved. Nobody can approve a command that they deny.
func TestRules(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	own, wrong := commands.New([]commands.Rule{{Command: "echo"}, {Command: "cat"}}, []commands.Rule{{Command: "rm"}})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	s.Commands.Rules = own
	s.Restart()
	p := s.Plan("figures", edit("a.txt", "one", "1"), command("cat a.txt && echo x"), command("cat a.txt > b.txt"), command("echo last"))
	if p.Commands[0].Rule != "cat, echo" || p.Commands[1].Rule != "" {
		t.Errorf("%+v", p.Commands)
	}
	// An approval of a part does not approve commands.
	if r := s.MustApprove(view.Request{Plan: 1, Hunks: []string{"h1"}}); r.Turn != "" {
		t.Errorf("a hunk: %+v", r)
	}
	r := s.MustApprove(view.Request{Plan: 1})
	s.Wait(r.Turn)
	s.WantCommands(1, "reviewing", "o2:succeeded:0 o3:pending o4:pending")
	decisions, err := s.Store.Decisions(s.Context(), s.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if last := decisions[len(decisions)-1]; last.Who != "rule: cat, echo" || !slices.Equal(last.Commands, []string{"o2"}) {
		t.Errorf("allowed by %+v", last)
	}
	for _, d := range decisions[:len(decisions)-1] {
		if len(d.Commands) > 0 {
			t.Errorf("the user has allowed %v", d.Commands)
		}
	}
	s.Allow(view.Request{Plan: 1, Operation: "o3"})
	s.Wait(s.MustApprove(view.Request{Plan: 1}).Turn)
	s.WantCommands(1, "completed", "o2:succeeded:0 o3:succeeded:0 o4:succeeded:0")

	s.Plan("tidy", command("echo a"), command("sudo rm -rf x"))
	for _, d := range []view.Request{{Plan: 2, AllowCommands: true}, {Plan: 2, Operation: "o2"}} {
		_, err := s.Approve(s.Context(), d)
		s.WantRefused(err, plan.NotAllowed)
	}
	s.WantCommands(2, "awaiting_approval", "o1:pending o2:pending")
}

// Commands run with the list of Redline's own paths and with the setting that says how
// to protect them.
func TestCommandsAreKeptFromOwnFiles(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Commands.Own, s.Commands.OwnFolders, s.Commands.Namespaces = []string{"/own/config.toml"}, []string{"/own"}, runner.NamespacesOff
	var got runner.Command
	s.Commands.Run = func(_ context.Context, c runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
		got = c
		return runner.Outcome{End: runner.Exited, Confined: true}, nil
	}
	s.Restart()
	p := s.Plan("build", command("make"))
	s.Wait(s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, AllowCommands: true}).Turn)
	if !slices.Equal(got.Own, s.Commands.Own) || !slices.Equal(got.OwnFolders, s.Commands.OwnFolders) || got.Namespaces != runner.NamespacesOff {
		t.Errorf("%+v", got)
	}
}

// A cache that a variable puts into the workspace is written there only: a link of the workspace
// opens no folder elsewhere, and has none created.
func TestCachesByWayOfTheWorkspace(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	home := t.TempDir()
	t.Setenv("HOME", home)
	at := func(name string) string { return filepath.Join(s.Dir, name) }
	for name, to := range map[string]string{"pkg": filepath.Join(home, "settings"), ".cargo": home} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(home, "settings"), 0o755); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(home, "cache")
	s.Commands.Caches = func() []string {
		return []string{at("pkg"), at("pkg/mod"), at(".cargo/registry"), at("none/x"), cache}
	}
	var got runner.Command
	s.Commands.Run = func(_ context.Context, c runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
		got = c
		return runner.Outcome{End: runner.Exited, Confined: true}, nil
	}
	s.Restart()
	p := s.Plan("build", command("make"))
	s.Wait(s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, AllowCommands: true}).Turn)
	if want := []string{s.Dir, cache}; !slices.Equal(got.Write, want) {
		t.Errorf("it may write %q, want %q", got.Write, want)
	}
	var names []string
	entries, err := os.ReadDir(home)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || !slices.Equal(names, []string{"cache", "settings"}) {
		t.Errorf("the home folder has %q, %v", names, err)
	}
}
