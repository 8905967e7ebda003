package trial_test

import (
	"strings"
	"testing"
	"time"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/workspace/runner"
)

// timed is a session in which a command takes what takes says, unless it is ended first. given has
// the time that each run got.
func timed(t *testing.T, takes map[string]time.Duration) (s *agenttest.Session, given *[]time.Duration) {
	t.Helper()
	s, given = agenttest.New(t, map[string]string{"a.txt": "one\n"}), new([]time.Duration)
	s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		*given = append(*given, c.Limits.Time)
		if takes[c.Line] > c.Limits.Time {
			return runner.Outcome{End: runner.TimedOut, ExitCode: -1, Took: c.Limits.Time}
		}
		return runner.Outcome{End: runner.Exited, Took: takes[c.Line]}
	})
	return s, given
}

// tryAll has the model try commands in one turn, and returns what it is told of each.
func tryAll(s *agenttest.Session, calls ...model.Call) (answers []string) {
	s.T.Helper()
	all := append([]model.Call{agenttest.Edit("a.txt", "one", "1")}, calls...)
	for _, c := range all {
		s.Model.Will(agenttest.Reply{Calls: []model.Call{c}})
	}
	s.Model.Will(agenttest.Reply{Text: "Done."})
	s.Say(conversation.Message{Text: "try it", Client: "test", New: true})
	for _, m := range s.LastRequest().Messages {
		if m.Role == model.RoleTool && !strings.Contains(m.Content, "a.txt") {
			answers = append(answers, m.Content)
		}
	}
	return answers
}

func wantTimes(t *testing.T, given []time.Duration, want ...time.Duration) {
	t.Helper()
	if len(given) != len(want) {
		t.Fatalf("the runs got %v, want %v", given, want)
	}
	for i := range want {
		if given[i] != want[i] {
			t.Errorf("run %d got %v, want %v", i, given[i], want[i])
		}
	}
}

// A trial that runs out of time says what helps, to the model and to the user, and gets more time
// when it is tried again, also in a later session.
func TestColdTrials(t *testing.T) {
	s, given := timed(t, map[string]time.Duration{"cargo test": 7 * time.Minute})
	s.Restart()
	told := tryAll(s, agenttest.Try("cargo test"), agenttest.Try("cargo test"))
	const help = "Cold: build once outside: `cargo test --no-run`, or raise `trials.timeout_seconds`."
	if len(told) != 2 || !strings.Contains(told[0], "It was ended after 2m0s, its time limit after 2m0s (with your staged edits)\n") ||
		!strings.Contains(told[0], help+" timeout_seconds may be 600; without it, the next try gets 240.\n") || !strings.Contains(told[1], "the next try gets 480.\n") {
		t.Errorf("the model was told %q", told)
	}
	shown := s.PlanNow(1).Trials[0]
	if want := "It was ended after 2m0s, its time limit. " + help; shown.Problem != want || shown.Result != "could not be run: it ran out of time" {
		t.Errorf("the user sees %q, %q, want %q", shown.Result, shown.Problem, want)
	}
	s.Restart()
	if told = tryAll(s, agenttest.Try("cargo test")); !strings.Contains(strings.Join(told, ""), "exit code 0") {
		t.Errorf("the model was told %q", told)
	}
	wantTimes(t, *given, 2*time.Minute, 4*time.Minute, 8*time.Minute)
}

// The model's limit is no less than twice what the command is known to take, and no more than ten
// minutes. A command that is known to end soon is not called cold.
func TestTrialsAskForTime(t *testing.T) {
	takes := map[string]time.Duration{"cargo test": 90 * time.Second}
	s, given := timed(t, takes)
	s.Restart()
	tryAll(s, agenttest.Try("cargo test", "timeout_seconds", 300), agenttest.Try("cargo test", "timeout_seconds", 30), agenttest.Try("cargo test"), agenttest.Try("other", "timeout_seconds", 5000))
	takes["cargo test"] = time.Hour
	told := tryAll(s, agenttest.Try("cargo test"))
	if want := "It has ended here after 1m30s before: it may wait for something."; len(told) != 1 || !strings.Contains(told[0], want) {
		t.Errorf("the model was told %q", told)
	}
	wantTimes(t, *given, 5*time.Minute, 3*time.Minute, 270*time.Second, 10*time.Minute, 270*time.Second)
}

// A time that the user has set is the most, whatever is known or asked for.
func TestTimeOfTheUser(t *testing.T) {
	s, given := timed(t, map[string]time.Duration{"python -m pytest": time.Hour})
	s.Trials.TimeSet, s.Trials.Limits.Time = true, time.Minute
	s.Restart()
	told := tryAll(s, agenttest.Try("python -m pytest"), agenttest.Try("python -m pytest", "timeout_seconds", 20), agenttest.Try("python -m pytest", "timeout_seconds", 100))
	for i, want := range []string{
		"Try a part of it, or raise `trials.timeout_seconds`.\n",
		"Try a part of it, or raise `trials.timeout_seconds`. timeout_seconds may be 60.\n",
		"Try a part of it, or raise `trials.timeout_seconds`. timeout_seconds was 100, and 60 are the most here (trials.timeout_seconds).\n",
	} {
		if i >= len(told) || !strings.Contains(told[i], want) {
			t.Errorf("told %d is %q, want %q in it", i, told, want)
		}
	}
	wantTimes(t, *given, time.Minute, 20*time.Second, time.Minute)
}
