package commandresult

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"redline/workspace/runner"
)

func TestFeedback(t *testing.T) {
	goesOn := Rule{OnFailure: Continue}
	for _, c := range []struct {
		name    string
		outcome runner.Outcome
		err     error
		rule    Rule
		ending  string
		want    Verdict
	}{
		{"success", runner.Outcome{End: runner.Exited}, nil, Rule{}, "exit code 0", Verdict{Succeeded: true, Continue: true}},
		{"failure", runner.Outcome{End: runner.Exited, ExitCode: 2}, nil, Rule{}, "exit code 2", Verdict{}},
		{"failure that is allowed", runner.Outcome{End: runner.Exited, ExitCode: 2}, nil, goesOn, "exit code 2", Verdict{Continue: true}},
		{"signal", runner.Outcome{End: runner.Signalled, ExitCode: -1, Signal: "killed"}, nil, goesOn, "It was ended by a signal (killed)", Verdict{}},
		{"too long", runner.Outcome{End: runner.TimedOut, Took: 1512 * time.Millisecond}, nil, goesOn, "It was ended after 1.5s, its time limit", Verdict{}},
		{"cancelled", runner.Outcome{End: runner.Cancelled}, nil, goesOn, "It was cancelled while it ran", Verdict{}},
		{"lost", runner.Outcome{End: runner.Lost}, nil, goesOn, "The process that watched it is gone, so it is not known how it ended", Verdict{}},
		{"not started", runner.Outcome{}, errors.New("no such folder"), goesOn, "It was not started: no such folder", Verdict{}},
	} {
		o := Observe(c.outcome, c.err)
		if got := o.Ending(); got != c.ending {
			t.Errorf("%s: %q, want %q", c.name, got, c.ending)
		}
		if got := Judge(o, c.rule, func() bool { return false }); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		awaited := c.want
		if c.name == "failure" { // only what has ended by itself is what a step can wait for
			awaited = Verdict{Continue: true, EndsStep: true}
		}
		if got := Judge(o, c.rule, func() bool { return true }); got != awaited {
			t.Errorf("%s, awaited: %+v, want %+v", c.name, got, awaited)
		}
	}
}

func TestRuleOf(t *testing.T) {
	for args, want := range map[string]Rule{
		`{"command":"x"}`: {OnFailure: Stop},
		`{"cwd":"a/b","timeout_seconds":1.5,"on_failure":"continue"}`: {Cwd: "a/b", Timeout: 1500 * time.Millisecond, OnFailure: Continue},
		`{"timeout_seconds":-1,"on_failure":"never"}`:                 {OnFailure: Stop},
		`{"timeout_seconds":"2"}`:                                     {Timeout: 2 * time.Second, OnFailure: Stop},
		`{"timeout_seconds":"x"}`:                                     {OnFailure: Stop},
		`nonsense`:                                                    {OnFailure: Stop},
	} {
		if got := RuleOf(json.RawMessage(args)); got != want {
			t.Errorf("%s: %+v, want %+v", args, got, want)
		}
	}
}
