package decide_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/workspace/runner"
)

// comparing is what a session finds out about failed commands, by their lines. It takes until the
// test lets it end.
type comparing struct {
	began chan string
	end   chan struct{}
	known map[string]plan.Class
}

func (c comparing) compare(ctx context.Context, _ *board.Held, o *plan.Operation, _ commands.Observation) plan.Class {
	c.began <- o.Command
	select {
	case <-c.end:
		return c.known[o.Command]
	case <-ctx.Done():
		return ""
	}
}

// compares makes a session compare failed commands, which takes no time.
func (s *session) compares(known map[string]plan.Class) {
	s.Compare = func(_ context.Context, _ *board.Held, o *plan.Operation, _ commands.Observation) plan.Class {
		return known[o.Command]
	}
}

// A command that fails without the plan too does not make the plan failed: it is completed, or waits
// for a decision on the commands that come after. What else is known of a failure is said.
func TestFailuresThatWereThereBefore(t *testing.T) {
	before := plan.FailsAsBefore
	for name, c := range map[string]struct {
		lines       string // "a!" fails; "a?" fails, and the plan continues by its own rule
		known       map[string]plan.Class
		state, want string
		says        string
		failed      bool // the turn
	}{
		"alone":                       {"a!", map[string]plan.Class{"a": before}, "completed", "o2:failed:1", "`a` failed, as it does without this plan (exit code 1).", false},
		"the last":                    {"a b!", map[string]plan.Class{"b": before}, "completed", "o2:succeeded:0 o3:failed:1", "`b` failed, as it does without this plan (exit code 1).", false},
		"one is left":                 {"a! b", map[string]plan.Class{"a": before}, "reviewing", "o2:failed:1 o3:skipped", "`a` failed, as it does without this plan (exit code 1). Not run: o3. Approve the plan with its commands again to continue from there.", true},
		"the plan broke it":           {"a!", map[string]plan.Class{"a": plan.FailsNow}, "failed", "o2:failed:1", "`a` failed, because of this plan (exit code 1). Approve the plan with its commands again to run it again", true},
		"it is what the plan is for":  {"a!", map[string]plan.Class{"a": plan.StillFails}, "failed", "o2:failed:1", "`a` still fails, as without this plan, in what the plan is about (exit code 1).", true},
		"nothing is known":            {"a!", nil, "failed", "o2:failed:1", "`a` failed (exit code 1).", true},
		"the plan continues":          {"a? b", map[string]plan.Class{"a": before}, "completed", "o2:failed:1 o3:succeeded:0", "`a`: exit code 1. `b`: exit code 0.", false},
		"it did not end":              {"hang", map[string]plan.Class{"hang": before}, "failed", "o2:failed", "`hang` failed.", true},
		"two, after one another":      {"a! b!", map[string]plan.Class{"a": before, "b": before}, "reviewing", "o2:failed:1 o3:skipped", "Not run: o3.", true},
		"one before, and then a real": {"a? b!", map[string]plan.Class{"a": before}, "failed", "o2:failed:1 o3:failed:1", "`b` failed (exit code 1).", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "one\n"})
			fails := map[string]bool{}
			calls := []decidetest.Call{edit("a.txt", "one", "1")}
			for _, line := range strings.Fields(c.lines) {
				bare := strings.TrimRight(line, "!?")
				fails[bare] = bare != line
				if strings.HasSuffix(line, "?") {
					calls = append(calls, command(bare, "on_failure", "continue"))
				} else {
					calls = append(calls, command(bare))
				}
			}
			s.Commands = decide.ExecutorOptions{Run: func(_ context.Context, c runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
				switch {
				case c.Line == "hang":
					return runner.Outcome{End: runner.TimedOut, ExitCode: -1}, nil
				case fails[c.Line]:
					return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "no"}, nil
				}
				return runner.Outcome{End: runner.Exited}, nil
			}}
			s.compares(c.known)
			s.Restart()
			s.Plan("figures", calls...)
			turn := s.Allow(view.Request{Plan: 1})
			for _, when := range []string{"", " after a restart"} {
				if p := s.PlanNow(1); p.State != c.state || decidetest.Commands(p) != c.want {
					t.Errorf("the plan is %s with %s%s, want %s with %s", p.State, decidetest.Commands(p), when, c.state, c.want)
				}
				s.Restart()
			}
			said := ""
			for _, text := range []*string{turn.Answer, turn.Error} {
				if text != nil {
					said += *text
				}
			}
			if !strings.Contains(said, c.says) || (turn.State == "failed") != c.failed {
				t.Errorf("the turn is %s: %q, want %q", turn.State, said, c.says)
			}
		})
	}
}

// Approved again, the plan continues after the command that failed as before: that does not run
// again.
func TestAfterAFailureThatWasThereBefore(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	var ran []string
	s.Commands = decide.ExecutorOptions{Run: func(_ context.Context, c runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
		ran = append(ran, c.Line)
		if c.Line == "a" {
			return runner.Outcome{End: runner.Exited, ExitCode: 1}, nil
		}
		return runner.Outcome{End: runner.Exited}, nil
	}}
	s.compares(map[string]plan.Class{"a": plan.FailsAsBefore})
	s.Restart()
	s.Plan("figures", edit("a.txt", "one", "1"), command("a"), command("b"))
	s.Allow(view.Request{Plan: 1})
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "completed", "o2:failed:1 o3:succeeded:0")
	if got := strings.Join(ran, " "); got != "a b" {
		t.Errorf("%s ran", got)
	}
}

// After an undo a command that failed as before is pending again, since that was known of the edits
// that were taken back; approved again, it runs.
func TestAfterTheUndoOfAFailureThatWasThereBefore(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	ran := 0
	s.Commands = decide.ExecutorOptions{Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		ran++
		return runner.Outcome{End: runner.Exited, ExitCode: 1}, nil
	}}
	s.compares(map[string]plan.Class{"a": plan.FailsAsBefore})
	s.Restart()
	s.Plan("figures", edit("a.txt", "one", "1"), command("a"))
	s.Allow(view.Request{Plan: 1})
	s.MustUndo(view.Request{Plan: 1})
	s.WantCommands(1, "awaiting_approval", "o2:pending")
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "completed", "o2:failed:1")
	if ran != 2 {
		t.Errorf("it ran %d times", ran)
	}
}

// A comparison ends with the time of the commands of an approval.
func TestAComparisonThatTakesTooLong(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Commands = decide.ExecutorOptions{Wall: time.Second, Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		return runner.Outcome{End: runner.Exited, ExitCode: 1}, nil
	}}
	s.Compare = func(ctx context.Context, _ *board.Held, _ *plan.Operation, _ commands.Observation) plan.Class {
		<-ctx.Done()
		return ""
	}
	s.Restart()
	s.Plan("figures", edit("a.txt", "one", "1"), command("a"))
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "failed", "o2:failed:1")
}

// While it is found out what a failure means, the command counts as running and no other begins; the
// user can cancel that, and the command has failed then.
func TestWhileFailuresAreCompared(t *testing.T) {
	for name, known := range map[string]plan.Class{"it was there before": plan.FailsAsBefore, "the plan broke it": plan.FailsNow, "cancelled": ""} {
		t.Run(name, func(t *testing.T) {
			s, h := newSession(t, map[string]string{"a.txt": "one\n"}), byHand("a", "b", "c")
			s.Commands, s.Parallel = h.options(2), true
			c := comparing{began: make(chan string, 1), end: make(chan struct{}), known: map[string]plan.Class{"a": known}}
			s.Compare = c.compare
			s.Restart()
			s.Plan("figures", edit("a.txt", "one", "1"), command("a"), command("b"), command("c"))
			r := s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
			<-h.began
			<-h.began
			h.codes["a"] <- 1
			<-c.began
			h.codes["b"] <- 0
			s.Editor.Until(t, "b has ended", func() bool { return decidetest.Commands(s.PlanNow(1)) == "o2:running o3:succeeded:0 o4:pending" })
			told := false
			for _, e := range s.Editor.Events(state.ToolCalled) {
				told = told || e.Summary == "trying `a` without the plan's edits" && e.ID == "o2"
			}
			if !told {
				t.Error("nothing tells of it")
			}
			if known == "" {
				s.cancel(r.Turn)
			} else {
				close(c.end)
			}
			s.Wait(r.Turn)
			state := "failed"
			if known == plan.FailsAsBefore {
				state = "reviewing"
			}
			s.WantCommands(1, state, "o2:failed:1 o3:succeeded:0 o4:skipped")
			select {
			case line := <-h.began:
				t.Errorf("%s has begun", line)
			default:
			}
		})
	}
}

// A comparison that panics tells nothing.
func TestAComparisonThatPanics(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Commands = decide.ExecutorOptions{Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		return runner.Outcome{End: runner.Exited, ExitCode: 1}, nil
	}}
	s.Compare = func(context.Context, *board.Held, *plan.Operation, commands.Observation) plan.Class {
		panic("no")
	}
	s.Restart()
	s.Plan("figures", edit("a.txt", "one", "1"), command("a"))
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "failed", "o2:failed:1")
}

// If Redline is killed while it finds out what a failure means, the next session knows how the
// command ended.
func TestKilledWhileAFailureIsCompared(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Commands = decide.ExecutorOptions{Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		return runner.Outcome{End: runner.Exited, ExitCode: 3, Output: "no luck\n"}, nil
	}}
	c := comparing{began: make(chan string, 1), end: make(chan struct{})}
	s.Compare = c.compare
	s.Restart()
	s.Plan("figures", edit("a.txt", "one", "1"), command("a"), command("b"))
	r := s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	<-c.began
	if p := s.PlanNow(1); decidetest.Commands(p) != "o2:running o3:pending" || p.Commands[0].Output != "" {
		t.Errorf("the commands are %s, with the output %q", decidetest.Commands(p), p.Commands[0].Output)
	}
	before := s.Conversations
	s.Kill()
	s.Must(s.Board.Follower.Recover(s.Context()))
	s.WantCommands(1, "failed", "o2:failed:3 o3:pending")
	if one := s.PlanNow(1).Commands[0]; one.Reason != "" || one.Output != "no luck\n" {
		t.Errorf("it failed with %q, because %q", one.Output, one.Reason)
	}
	close(c.end) // the session that was left behind ends too
	_, err := before.Wait(s.Context(), r.Turn)
	s.Must(err)
}
