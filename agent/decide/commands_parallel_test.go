package decide_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/view"
	"redline/workspace/runner"
)

// hand is a runner whose commands a test ends by hand: each tells that it has begun, and ends with
// the exit code that it is sent, or with its context.
type hand struct {
	began chan string
	codes map[string]chan int
}

func byHand(lines ...string) hand {
	h := hand{began: make(chan string, len(lines)), codes: map[string]chan int{}}
	for _, line := range lines {
		h.codes[line] = make(chan int)
	}
	return h
}

func (h hand) options(parallel int) decide.ExecutorOptions {
	return decide.ExecutorOptions{Parallel: parallel, Run: func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error) {
		h.began <- c.Line
		select {
		case code := <-h.codes[c.Line]:
			tell(runner.Stdout, "out of "+c.Line)
			return runner.Outcome{End: runner.Exited, ExitCode: code}, nil
		case <-ctx.Done():
			return runner.Outcome{End: runner.Cancelled, ExitCode: -1}, nil
		}
	}}
}

// parallelSession is a session with a plan of commands that run at the same time, at most limit of
// them at once.
func parallelSession(t *testing.T, limit int, lines ...string) (*session, hand) {
	s, h := newSession(t, map[string]string{"a.txt": "one\n"}), byHand(lines...)
	s.Commands, s.Parallel = h.options(limit), true
	s.Restart()
	var calls []decidetest.Call
	for _, line := range lines {
		calls = append(calls, command(line))
	}
	s.Plan("figures", calls...)
	return s, h
}

// Each of two commands waits for what the other writes: they end only if they run at the same time.
func TestCommandsRunAtTheSameTime(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Commands, s.Parallel = decide.ExecutorOptions{Parallel: 2}, true
	s.Restart()
	each := "echo %[1]s; touch %[1]s; while [ ! -e %[2]s ]; do sleep 0.01; done"
	p := s.Plan("figures", command(fmt.Sprintf(each, "x", "y")), command(fmt.Sprintf(each, "y", "x")))
	if got := fmt.Sprint(p.Commands[0].Alongside, p.Commands[1].Alongside); got != "[o2] [o1]" {
		t.Errorf("at the same time run %s", got)
	}
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "completed", "o1:succeeded:0 o2:succeeded:0")
	if x, y := s.printed("o1", "stdout"), s.printed("o2", "stdout"); x != "x\n" || y != "y\n" {
		t.Errorf("printed %q and %q", x, y)
	}
	s.Restart()
	s.WantCommands(1, "completed", "o1:succeeded:0 o2:succeeded:0")
}

// With a limit the next begins when one has ended; the command after the group waits for all.
func TestHowManyRunAtTheSameTime(t *testing.T) {
	s, h := parallelSession(t, 2, "a", "b", "c")
	r := s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	if got := <-h.began + <-h.began; got != "ab" && got != "ba" {
		t.Errorf("%s have begun", got)
	}
	s.WantCommands(1, "executing", "o1:running o2:running o3:pending")
	h.codes["b"] <- 0
	if got := <-h.began; got != "c" {
		t.Errorf("%s has begun", got)
	}
	s.WantCommands(1, "executing", "o1:running o2:succeeded:0 o3:running")
	h.codes["a"] <- 0
	h.codes["c"] <- 0
	s.Wait(r.Turn)
	s.WantCommands(1, "completed", "o1:succeeded:0 o2:succeeded:0 o3:succeeded:0")
}

// A failure stops what has not begun; the others go on to their end.
func TestOneOfSeveralFails(t *testing.T) {
	s, h := parallelSession(t, 2, "a", "b", "c")
	r := s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	<-h.began
	<-h.began
	h.codes["a"] <- 1
	s.Editor.Until(t, "a has failed", func() bool { return decidetest.Commands(s.PlanNow(1)) == "o1:failed:1 o2:running o3:skipped" })
	h.codes["b"] <- 0
	turn := s.Wait(r.Turn)
	s.WantCommands(1, "failed", "o1:failed:1 o2:succeeded:0 o3:skipped")
	if turn.State != "failed" || turn.Error == nil || !strings.Contains(*turn.Error, "`a` failed (exit code 1)") || !strings.Contains(*turn.Error, "`b`: exit code 0") {
		t.Errorf("%+v", turn)
	}
	if got := s.printed("o2", "stdout"); got != "out of b" {
		t.Errorf("printed %q", got)
	}
}

func TestCancellingSeveral(t *testing.T) {
	s, h := parallelSession(t, 4, "a", "b")
	r := s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	<-h.began
	<-h.began
	s.cancel(r.Turn)
	s.Wait(r.Turn)
	s.WantCommands(1, "failed", "o1:failed o2:failed")
}

// After a crash those that ran have failed, and the plan waits for a decision.
func TestSeveralRanWhenTheProcessWasKilled(t *testing.T) {
	s, h := parallelSession(t, 2, "a", "b", "c")
	r := s.MustApprove(view.Request{Plan: 1, AllowCommands: true})
	<-h.began
	<-h.began
	h.codes["a"] <- 0
	<-h.began
	before := s.Conversations
	s.Kill()
	s.Must(s.Board.Follower.Recover(s.Context()))
	s.WantCommands(1, "failed", "o1:succeeded:0 o2:failed o3:failed")
	h.codes["b"] <- 0 // the session that was left behind ends too
	h.codes["c"] <- 0
	_, err := before.Wait(s.Context(), r.Turn)
	s.Must(err)
}
