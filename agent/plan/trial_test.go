package plan_test

import (
	"testing"

	"redline/agent/plan"
)

func TestVerdicts(t *testing.T) {
	code := func(n int) *int { return &n }
	for _, c := range []struct {
		exit, baseline *int
		want           string
	}{
		{code(0), nil, plan.TrialPassed},
		{code(1), nil, "failed"},
		{code(1), code(2), "failed, as it did before"},
		{code(1), code(0), "fails now"},
		{nil, nil, "did not end"},
		{code(127), code(127), plan.TrialNotRun},
		{code(126), nil, plan.TrialNotRun},
		{code(127), code(0), "fails now"}, // the plan took the program away
	} {
		trial := plan.Trial{ExitCode: c.exit}
		if c.baseline != nil {
			trial.Baseline = &plan.Baseline{ExitCode: c.baseline}
		}
		if got := trial.Verdict(); got != c.want {
			t.Errorf("%v, without the edits %v: %q, want %q", c.exit, c.baseline, got, c.want)
		}
	}
}
