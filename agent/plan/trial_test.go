package plan_test

import (
	"testing"

	"redline/agent/plan"
)

// A trial that an earlier version stored has no class.
func TestVerdicts(t *testing.T) {
	code := func(n int) *int { return &n }
	for _, c := range []struct {
		exit, baseline *int
		want           string
	}{
		{code(0), nil, "passed"},
		{code(1), nil, "failed"},
		{code(1), code(2), "failed, as it did before"},
		{code(1), code(0), "fails now"},
		{nil, nil, "could not be run"},
		{code(127), code(127), "could not be run"},
		{code(126), nil, "could not be run"},
		{code(127), code(0), "fails now"}, // the plan took the program away
	} {
		trial := plan.Trial{ExitCode: c.exit}
		if c.baseline != nil {
			trial.Baseline = &plan.Baseline{ExitCode: c.baseline}
		}
		if got := trial.Words(); got != c.want {
			t.Errorf("%v, without the edits %v: %q, want %q", c.exit, c.baseline, got, c.want)
		}
	}
}
