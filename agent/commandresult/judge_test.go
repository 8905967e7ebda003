package commandresult

import (
	"errors"
	"testing"
	"time"

	"redline/workspace/runner"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name    string
		outcome runner.Outcome
		err     error
		goesOn  bool
		ending  string
		want    Verdict
	}{
		{"success", runner.Outcome{End: runner.Exited}, nil, false, "exit code 0", Verdict{Succeeded: true, Continue: true}},
		{"failure", runner.Outcome{End: runner.Exited, ExitCode: 2}, nil, false, "exit code 2", Verdict{}},
		{"failure that is allowed", runner.Outcome{End: runner.Exited, ExitCode: 2}, nil, true, "exit code 2", Verdict{Continue: true}},
		{"signal", runner.Outcome{End: runner.Signalled, ExitCode: -1, Signal: "killed"}, nil, true, "It was ended by a signal (killed)", Verdict{}},
		{"too long", runner.Outcome{End: runner.TimedOut, Took: 1512 * time.Millisecond}, nil, true, "It was ended after 1.5s, its time limit", Verdict{}},
		{"cancelled", runner.Outcome{End: runner.Cancelled}, nil, true, "It was cancelled while it ran", Verdict{}},
		{"lost", runner.Outcome{End: runner.Lost}, nil, true, "The process that watched it is gone, so it is not known how it ended", Verdict{}},
		{"not started", runner.Outcome{}, errors.New("no such folder"), true, "It was not started: no such folder", Verdict{}},
	} {
		o := Observe(c.outcome, c.err)
		if got := o.Ending(); got != c.ending {
			t.Errorf("%s: %q, want %q", c.name, got, c.ending)
		}
		if got := Judge(o, c.goesOn, func() bool { return false }); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		awaited := c.want
		if c.name == "failure" { // only what has ended by itself is what a step can wait for
			awaited = Verdict{Continue: true}
		}
		if got := Judge(o, c.goesOn, func() bool { return true }); got != awaited {
			t.Errorf("%s, awaited: %+v, want %+v", c.name, got, awaited)
		}
	}
}
