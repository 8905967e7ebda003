package trial

import (
	"strings"
	"testing"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace/runner"
)

// Only a failure that is the same without the plan's edits, and is not what the plan is about, was
// there before. A run that lacked something in its world tells nothing.
func TestJudgeApproved(t *testing.T) {
	const goFails, other = "--- FAIL: TestSum (0.00s)\n    sum_test.go:12: got 3\nFAIL\tapp/sum\n", "--- FAIL: TestOther (0.00s)\nFAIL\tapp/sum\n"
	const rspec = "1) Store loads\n     Failure/Error: expect(load).to eq 3\n     # ./spec/store_spec.rb:4\nrspec ./spec/store_spec.rb:3 # Store loads\n"
	value := func(got string) string {
		return strings.Replace(rspec, "     #", "       expected: 3\n            got: "+got+"\n     #", 1)
	}
	for name, c := range map[string]struct {
		output, before string
		exit, was      int // exit codes; 0 for exit means 1
		end            runner.End
		unreached      int
		hidden         bool
		refused        string
		words          string
		changed        view.TriedTexts
		want           plan.Class
	}{
		"the same test":                {output: goFails, before: goFails, was: 1, words: "rename Total", want: plan.FailsAsBefore},
		"fewer tests":                  {output: goFails, before: goFails + other, was: 1, want: plan.FailsAsBefore},
		"another test":                 {output: goFails, before: other, was: 1, want: plan.FailsNow},
		"one test more":                {output: goFails + other, before: goFails, was: 1, want: plan.FailsNow},
		"it passed":                    {output: goFails, want: plan.FailsNow},
		"it passed without a network":  {output: goFails, unreached: 2, want: plan.FailsNow},
		"the user asked for the test":  {output: goFails, before: goFails, was: 1, words: "make TestSum pass", want: plan.StillFails},
		"the plan changes its file":    {output: goFails, before: goFails, was: 1, changed: view.TriedTexts{"sum/sum_test.go": {}}, want: plan.StillFails},
		"the test lacks a file there":  {output: goFails, before: "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: open /home/u/.config/app/store.json: no such file or directory\nFAIL\tapp/sum\n", was: 1},
		"it lacks it at the same line": {output: value("4"), before: strings.Replace(rspec, "     #", "     Errno::ENOENT:\n       No such file or directory\n     #", 1), was: 1},
		"the test has another value":   {output: value("4"), before: value("5"), was: 1},
		"the test has the same value":  {output: value("4"), before: value("4"), was: 1, want: plan.FailsAsBefore},
		"a test more passes":           {output: goFails + "1 failed, 3 passed in 0.10s\n", before: goFails + "1 failed, 2 passed in 0.12s\n", was: 1, want: plan.FailsAsBefore},
		"another test counts":          {output: value("4") + "3 examples, 1 failure\n", before: value("4") + "2 examples, 1 failure\n", was: 1, want: plan.FailsAsBefore},
		"it could not write there":     {output: goFails, before: goFails, was: 1, refused: "Trials can only read ~/.app."},
		"it fails more for that":       {output: goFails + other, before: goFails, was: 1, refused: "Trials can only read ~/.app."},
		"it does not compile now":      {output: "sum.go:3:1: undefined: x\n", before: goFails, was: 1},
		"it did not compile before":    {output: goFails, before: "sum.go:3:1: undefined: x\n", was: 1},
		"without output":               {was: 1, want: plan.FailsAsBefore},
		"another exit code":            {was: 2},
		"the same words":               {output: "old.c:3: error: no x\n", before: "old.c:4: error: no x\n", was: 1, want: plan.FailsAsBefore},
		"other words":                  {output: "old.c:3: error: no x\n", before: "mkdir: cannot create directory 'out': File exists\n", was: 1},
		"no network":                   {output: "connection refused\n", before: "connection refused\n", was: 1, unreached: 1},
		"no network, a test is named":  {output: goFails, before: goFails, was: 1, unreached: 1, want: plan.FailsAsBefore},
		"a secret was left out":        {output: "no key.pem\n", before: "no key.pem\n", was: 1, hidden: true},
		"no such program":              {output: "sh: 1: pnpm: not found\n", before: "sh: 1: pnpm: not found\n", exit: 127, was: 127},
		"no such program in the world": {output: "1 problem\n", before: "sh: 1: pnpm: not found\n", was: 127},
		"it did not end in the world":  {output: "1 problem\n", end: runner.TimedOut},
		"the world's memory was short": {output: "1 problem\n", end: runner.OutOfMemory},
	} {
		t.Run(name, func(t *testing.T) {
			if c.exit == 0 {
				c.exit = 1
			}
			if c.end == "" {
				c.end = runner.Exited
			}
			observe := func(end runner.End, code int, output string) commands.Observation {
				return commands.Observe(runner.Outcome{End: end, ExitCode: code, Output: output, Unreached: c.unreached}, nil)
			}
			failed, before := observe(runner.Exited, c.exit, c.output), observed{Observation: observe(c.end, c.was, c.before)}
			before.Refused = c.refused
			if got := judgeApproved(failed, before, c.hidden, about{c.words, c.changed}); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
