package decide_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"redline/agent/decide"
	"redline/agent/view"
	"redline/workspace/runner"
)

// The commands of one approval end together at a limit, whatever each may take by itself: the one
// that runs is ended, and no other begins.
func TestCommandsOfAnApprovalHaveALimitTogether(t *testing.T) {
	const words = "the commands of one approval may take "
	for name, c := range map[string]struct {
		wall, each time.Duration
		within     time.Duration // the most that the runner may be given
		says       string
		ran        int
	}{
		"it ends while one runs": {time.Hour, 2 * time.Hour, time.Hour, "It was ended after 1h0m0s: " + words + "1h0m0s together (commands.wall_seconds)", 1},
		"nothing is left":        {time.Nanosecond, time.Hour, 0, "It was not run: " + words + "1ns together (commands.wall_seconds)", 0},
		"the command's own":      {2 * time.Hour, time.Hour, time.Hour, "It was ended after 1h0m0s, its time limit", 1},
		"there is none":          {0, time.Hour, time.Hour, "It was ended after 1h0m0s, its time limit", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "one\n"})
			var given []time.Duration
			s.Commands = decide.ExecutorOptions{Wall: c.wall, Command: runner.Command{Limits: runner.Limits{Time: c.each}}, Run: func(_ context.Context, command runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
				given = append(given, command.Limits.Time)
				return runner.Outcome{End: runner.TimedOut, Took: time.Hour, ExitCode: -1}, nil
			}}
			s.Restart()
			s.Plan("figures", command("a"), command("b"))
			turn := s.Allow(view.Request{Plan: 1})
			if turn.Error == nil || !strings.Contains(*turn.Error, c.says) {
				t.Errorf("turn: %+v, want %q", turn, c.says)
			}
			if len(given) != c.ran || c.ran > 0 && (given[0] <= 0 || given[0] > c.within) {
				t.Errorf("the runner was given %v", given)
			}
			s.WantCommands(1, "failed", "o1:failed o2:skipped")
		})
	}
}
