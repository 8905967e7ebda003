package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/audit"
	"redline/agent/commands"
	"redline/agent/decision"
	"redline/agent/model"
	"redline/agent/refusal"
	"redline/agent/rules"
	"redline/agent/state"
	"redline/internal/leaktest"
	"redline/internal/ramtemp"
	"redline/workspace/runner"
)

func TestMain(m *testing.M) {
	if runner.IsHelper(os.Args) {
		os.Exit(runner.Help())
	}
	os.Exit(leaktest.After(ramtemp.Around(m)).Run())
}

func command(line string, more ...any) model.Call {
	args := map[string]any{"command": line}
	for i := 0; i+1 < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return call("run_command", args)
}

// commandsOf is how the commands of a plan stand: "o2:failed:1".
func commandsOf(p state.Plan) string {
	var out []string
	for _, c := range p.Commands {
		s := c.ID + ":" + c.Status
		if c.ExitCode != nil {
			s += fmt.Sprintf(":%d", *c.ExitCode)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func (s *session) wantCommands(n int, state, want string) {
	s.t.Helper()
	if p := s.state1(n); p.State != state || commandsOf(p) != want {
		s.t.Errorf("plan %d is %s with %s, want %s with %s", n, p.State, commandsOf(p), state, want)
	}
}

// allow approves a plan with its commands and waits until they have ended.
func (s *session) allow(d decision.Request) state.Turn {
	s.t.Helper()
	d.AllowCommands = d.Operation == ""
	r := s.approve(d)
	if r.Turn == "" {
		s.t.Fatalf("no turn runs the commands: %+v", r)
	}
	return s.wait(r.Turn)
}

func TestCommandsRunAfterTheirEdits(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "sub/b.txt": ""})
	s.model.stages(edit("a.txt", "one", "1"), command("cat a.txt; echo problem >&2"), command("pwd; echo two > made.txt", "cwd", "sub"))
	p := s.plan("figures")
	s.ed.mu.Lock()
	s.ed.events = nil
	s.ed.mu.Unlock()

	turn := s.allow(decision.Request{Plan: 1, Hash: p.Hash})
	s.wantCommands(1, "completed", "o2:succeeded:0 o3:succeeded:0")
	if turn.State != "done" || turn.Answer == nil || !strings.Contains(*turn.Answer, "exit code 0") {
		t.Errorf("turn %+v", turn)
	}
	if out, errs := s.ed.printed("o2", "stdout"), s.ed.printed("o2", "stderr"); out != "1\n" || errs != "problem\n" {
		t.Errorf("printed %q and %q", out, errs)
	}
	now := s.state1(1)
	if got := now.Commands[0].Output; !strings.Contains(got, "1\n") || !strings.Contains(got, "problem\n") {
		t.Errorf("output %q", got)
	}
	if now.Steps[0].Status != "completed" {
		t.Errorf("step %s", now.Steps[0].Status)
	}
	s.wantFile("sub/made.txt", "two\n")
	s.restart()
	s.wantCommands(1, "completed", "o2:succeeded:0 o3:succeeded:0")
}

// Without allowCommands the edits are applied, and the commands wait; then each
// can be allowed by itself.
func TestCommandsOneByOne(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(edit("a.txt", "one", "1"), command("echo 2 > two"), command("echo 3 > three"))
	s.plan("figures")
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Operation: "o2"})
	s.wantRefused(err, refusal.WrongState) // its edit is not applied
	if r := s.approve(decision.Request{Plan: 1}); r.Turn != "" || r.State != "reviewing" {
		t.Errorf("%+v", r)
	}
	s.wantCommands(1, "reviewing", "o2:pending o3:pending")
	_, err = s.agent.Approve(s.ctx(), decision.Request{Plan: 1})
	s.wantRefused(err, refusal.NotAllowed) // all that is left is commands
	s.allow(decision.Request{Plan: 1, Operation: "o3"})
	s.wantCommands(1, "reviewing", "o2:pending o3:succeeded:0")
	if _, err := os.Stat(filepath.Join(s.dir, "two")); err == nil {
		t.Error("a command ran that nobody has approved")
	}
	for _, decide := range []func() error{
		func() error {
			_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Operation: "o3"})
			return err
		},
		func() error {
			_, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Operation: "o3"})
			return err
		},
	} {
		s.wantRefused(decide(), refusal.WrongState)
	}
	if _, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Operation: "o2", Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	s.wantCommands(1, "completed", "o2:rejected o3:succeeded:0")
}

func TestAFailedCommandStopsThePlan(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(edit("a.txt", "one", "1"), command("echo x >> ran; true"), command("echo why >&2; test -e fixed"), command("echo y >> ran"))
	s.plan("figures")
	turn := s.allow(decision.Request{Plan: 1})
	s.wantCommands(1, "failed", "o2:succeeded:0 o3:failed:1 o4:skipped")
	if turn.State != "failed" || turn.Error == nil {
		t.Fatalf("turn %+v", turn)
	}
	for _, want := range []string{"exit code 0", "stopped at the command o3", "exit code 1", "Not run: o4"} {
		if !strings.Contains(*turn.Error, want) {
			t.Errorf("%q does not say %q", *turn.Error, want)
		}
	}
	s.wantFile("a.txt", "1\n") // what was done stays
	// It goes on at the one that failed; what has succeeded is not run again.
	s.writeFile("fixed", "")
	s.restart()
	s.allow(decision.Request{Plan: 1})
	s.wantCommands(1, "completed", "o2:succeeded:0 o3:succeeded:0 o4:succeeded:0")
	s.wantFile("ran", "x\ny\n")
}

func TestARuleOfThePlanGoesOn(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(command("exit 3", "on_failure", "continue"), command("echo y > ran"))
	s.plan("figures")
	turn := s.allow(decision.Request{Plan: 1})
	s.wantCommands(1, "completed", "o1:failed:3 o2:succeeded:0")
	if turn.State != "done" {
		t.Errorf("%+v", turn)
	}
}

func TestWhatFailedIsReworked(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(command("echo the reason; exit 3"), command("true"))
	s.plan("figures")
	s.allow(decision.Request{Plan: 1})
	s.wantCommands(1, "failed", "o1:failed:3 o2:skipped")
	p := s.rework(edit("a.txt", "one", "1"))
	if got := commandsOf(p); p.State != "awaiting_approval" || got != "o1:pending o2:pending" {
		t.Errorf("%s, %s", p.State, got)
	}
	s.model.mu.Lock()
	asked := fmt.Sprintf("%+v", s.model.asked[len(s.model.asked)-2]) // the one that led to the new revision
	s.model.mu.Unlock()
	if !strings.Contains(asked, "exit code 3") || !strings.Contains(asked, "the reason") {
		t.Errorf("the model is not told what came of it: %s", asked)
	}
}

func TestACommandWaitsForTheSave(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.model.stages(edit("a.txt", "one", "1"), command("cat a.txt"), command("cat b.txt"))
	s.plan("figures")
	s.approve(decision.Request{Plan: 1})
	s.open("a.txt")
	s.typeAt("a.txt", "1", "typed\n")
	r := s.approve(decision.Request{Plan: 1, AllowCommands: true})
	s.until("it waits", func() bool { return commandsOf(s.state1(1)) == "o2:waiting_for_save o3:pending" })
	said := func() int {
		return len(slices.DeleteFunc(s.ed.notices(), func(text string) bool { return !strings.Contains(text, "waits until you have saved a.txt") }))
	}
	s.until("it is said", func() bool { return said() > 0 })
	b, _ := s.ws.Buffer("a.txt")
	text := b.Lines.Text()
	s.writeFile("a.txt", text)
	s.ws.Saved(b.URI, &text)
	s.wait(r.Turn)
	if said() != 1 {
		t.Errorf("said %q", s.ed.notices())
	}
	if p := s.state1(1); commandsOf(p) != "o2:succeeded:0 o3:succeeded:0" || p.Commands[0].Output != text {
		t.Errorf("%+v", p.Commands)
	}
}

func TestAWaitingCommandRunsWhenItIsApprovedAgain(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(edit("a.txt", "one", "1"), command("echo now"))
	s.plan("figures")
	s.approve(decision.Request{Plan: 1})
	s.open("a.txt")
	s.typeAt("a.txt", "1", "typed\n")
	r := s.approve(decision.Request{Plan: 1, Operation: "o2"})
	s.until("it waits", func() bool { return commandsOf(s.state1(1)) == "o2:waiting_for_save" })
	again := s.approve(decision.Request{Plan: 1, Operation: "o2"})
	if again.Turn != r.Turn {
		t.Errorf("another turn: %+v", again)
	}
	s.wait(r.Turn)
	s.wantCommands(1, "completed", "o2:succeeded:0")
}

// What waits can be cancelled, rejected, and ends with the session; none of it
// is run then.
func TestAWaitingCommandThatIsNotRun(t *testing.T) {
	for name, end := range map[string]struct {
		do          func(*session, string)
		state, want string
	}{
		"cancelled": {func(s *session, turn string) { s.agent.Cancel(turn); s.wait(turn) }, "reviewing", "o2:pending"},
		"rejected": {func(s *session, turn string) {
			if _, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Operation: "o2"}); err != nil {
				s.t.Fatal(err)
			}
			s.wait(turn)
		}, "completed", "o2:rejected"},
		"the end of the session": {func(s *session, _ string) { s.restart() }, "reviewing", "o2:pending"},
		"another revision": {func(s *session, turn string) {
			s.rework(edit("a.txt", "1", "2"))
			s.wait(turn)
		}, "awaiting_approval", "o2:pending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, map[string]string{"a.txt": "one\n"})
			s.model.stages(edit("a.txt", "one", "1"), command("touch ran"))
			s.plan("figures")
			s.approve(decision.Request{Plan: 1})
			s.open("a.txt")
			s.typeAt("a.txt", "1", "typed\n")
			r := s.approve(decision.Request{Plan: 1, Operation: "o2"})
			s.until("it waits", func() bool { return commandsOf(s.state1(1)) == "o2:waiting_for_save" })
			end.do(s, r.Turn)
			s.wantCommands(1, end.state, end.want)
			if _, err := os.Stat(filepath.Join(s.dir, "ran")); err == nil {
				t.Error("it was run")
			}
		})
	}
}

// blocked is a runner whose command runs until its context is done.
func blocked(began chan<- struct{}) commands.Options {
	return commands.Options{Run: func(ctx context.Context, c runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
		began <- struct{}{}
		<-ctx.Done()
		return runner.Outcome{End: runner.Cancelled, ExitCode: -1}, nil
	}}
}

func TestCancellingARunningCommand(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.agent.Close()
	s.store.Close()
	began := make(chan struct{}, 1)
	s.commands = blocked(began)
	s.start()
	s.model.stages(command("sleep 1000"), command("true"))
	s.plan("figures")
	r := s.approve(decision.Request{Plan: 1, AllowCommands: true})
	<-began
	s.wantCommands(1, "executing", "o1:running o2:pending")
	// Nothing else of the plan can be decided meanwhile.
	_, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1})
	s.wantRefused(err, refusal.Busy)
	s.agent.Cancel(r.Turn)
	if turn := s.wait(r.Turn); turn.State != "cancelled" {
		t.Errorf("%+v", turn)
	}
	s.wantCommands(1, "failed", "o1:failed o2:skipped")
	if reason := s.state1(1).Commands[0].Reason; !strings.Contains(reason, "cancelled") {
		t.Errorf("reason %q", reason)
	}
}

// A fault where a command is run is that command's failure, and no more.
func TestAFaultWhileACommandRuns(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.agent.Close()
	s.store.Close()
	s.commands = commands.Options{Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		panic("a fault")
	}}
	s.start()
	s.model.stages(command("true"), command("false"))
	s.plan("figures")
	s.allow(decision.Request{Plan: 1})
	s.wantCommands(1, "failed", "o1:failed o2:skipped")
}

// The end of a session ends what it runs, and says so.
func TestTheEndOfASessionWhileACommandRuns(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	began := make(chan struct{}, 1)
	s.agent.Close()
	s.store.Close()
	s.commands = blocked(began)
	s.start()
	s.model.stages(command("sleep 1000"))
	s.plan("figures")
	s.approve(decision.Request{Plan: 1, AllowCommands: true})
	<-began
	s.restart()
	s.wantCommands(1, "failed", "o1:failed")
	if reason := s.state1(1).Commands[0].Reason; !strings.Contains(reason, "Redline was ended while it ran") {
		t.Errorf("reason %q", reason)
	}
}

// What is running when a process is gone has failed, and is never run again by
// itself.
func TestAProcessThatWasKilledWhileACommandRan(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	began := make(chan struct{}, 1)
	s.agent.Close()
	s.store.Close()
	s.commands = blocked(began)
	s.start()
	s.model.stages(command("sleep 1000"), command("true"))
	s.plan("figures")
	s.approve(decision.Request{Plan: 1, AllowCommands: true})
	<-began
	s.killed()
	s.commands = commands.Options{Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		t.Error("a command is run again")
		return runner.Outcome{}, nil
	}}
	s.start()
	if err := s.agent.Recover(s.ctx()); err != nil {
		t.Fatal(err)
	}
	s.wantCommands(1, "failed", "o1:failed o2:pending")
	if reason := s.state1(1).Commands[0].Reason; reason != "Redline was ended while it ran; it is not known how it ended" {
		t.Errorf("reason %q", reason)
	}
}

// killed leaves the session as one that was killed: its store, with nobody who
// holds a lease. The session itself ends with the test.
func (s *session) killed() {
	s.t.Helper()
	was, its := s.agent, s.store
	s.t.Cleanup(func() { was.Close(); its.Close() })
	copied := s.t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(s.state)); err != nil {
		s.t.Fatal(err)
	}
	s.state = copied
}

// The audit log has the command as it was run, what came of it and who has
// allowed it.
func TestCommandsInTheAuditLog(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(command("exit  3 # <&>"))
	s.plan("figures")
	s.allow(decision.Request{Plan: 1, Client: "Helix"})
	var approved, executed audit.Record
	err := s.store.AuditLog(s.ctx(), s.dir, func(e audit.Entry) error {
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

// A folder that was one when the command was staged, and is a link when it is to run,
// is refused, wherever the link leads.
func TestWhereACommandRuns(t *testing.T) {
	for name, to := range map[string]string{"out of the workspace": t.TempDir(), "inside": "other"} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"sub/b.txt": "", "other/c.txt": ""})
			s.model.stages(command("touch ran", "cwd", "./sub/."))
			if p := s.plan("figures"); p.Commands[0].Cwd != "sub" {
				t.Errorf("the folder is %q", p.Commands[0].Cwd)
			}
			sub := filepath.Join(s.dir, "sub")
			if err := os.RemoveAll(sub); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, sub); err != nil {
				t.Skipf("symbolic links cannot be made here: %v", err)
			}
			turn := s.allow(decision.Request{Plan: 1})
			s.wantCommands(1, "failed", "o1:failed")
			if turn.Error == nil || !strings.Contains(*turn.Error, "`touch ran` in sub: It was not started") {
				t.Errorf("%+v", turn)
			}
		})
	}
}

// A rule of the user's own allows a command with the plan, up to the first that
// it does not allow, and is recorded as who has; what it denies nobody allows.
func TestRules(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.agent.Close()
	s.store.Close()
	own, wrong := rules.New(rules.AtRoot("echo", "cat"), rules.AtRoot("rm"))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	s.commands.Rules = own
	s.start()
	s.model.stages(edit("a.txt", "one", "1"), command("cat a.txt && echo x"), command("cat a.txt > b.txt"), command("echo last"))
	p := s.plan("figures")
	if p.Commands[0].Rule != "cat, echo" || p.Commands[1].Rule != "" {
		t.Errorf("%+v", p.Commands)
	}
	// A part of the plan is no approval of it.
	if r := s.approve(decision.Request{Plan: 1, Hunks: []string{"h1"}}); r.Turn != "" {
		t.Errorf("a hunk: %+v", r)
	}
	r := s.approve(decision.Request{Plan: 1})
	s.wait(r.Turn)
	s.wantCommands(1, "reviewing", "o2:succeeded:0 o3:pending o4:pending")
	decisions, err := s.store.Decisions(s.ctx(), s.dir, 1)
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
	s.allow(decision.Request{Plan: 1, Operation: "o3"})
	s.wait(s.approve(decision.Request{Plan: 1}).Turn)
	s.wantCommands(1, "completed", "o2:succeeded:0 o3:succeeded:0 o4:succeeded:0")

	s.model.stages(command("echo a"), command("sudo rm -rf x"))
	s.plan("tidy")
	for _, d := range []decision.Request{{Plan: 2, AllowCommands: true}, {Plan: 2, Operation: "o2"}} {
		_, err := s.agent.Approve(s.ctx(), d)
		s.wantRefused(err, refusal.NotAllowed)
	}
	s.wantCommands(2, "awaiting_approval", "o1:pending o2:pending")
}
