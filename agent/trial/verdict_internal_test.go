package trial

import (
	"os"
	"testing"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace/runner"
)

// TestJudge holds what follows from a result, for each of the classes and for what is easily
// mistaken for another one. before is the output without the plan's edits.
func TestJudge(t *testing.T) {
	const goFails = "--- FAIL: TestSum (0.00s)\n    sum_test.go:12: got 3\nFAIL\tapp/sum\n"
	for name, c := range map[string]struct {
		output, before string
		exit           int
		end            runner.End
		passedBefore   bool
		unknownBefore  bool
		unreached      int
		hidden         []string
		refused        string
		words          string
		changed        view.TriedTexts
		want           plan.Class
		why            string
	}{
		"passed":                             {exit: 0, want: plan.TrialPassed},
		"passed without the plan":            {exit: 1, output: goFails, passedBefore: true, words: "fix TestSum", want: plan.FailsNow},
		"failed without the plan":            {exit: 1, output: goFails, before: goFails, words: "rename Total", want: plan.FailsAsBefore},
		"nothing known":                      {exit: 1, output: goFails, unknownBefore: true, want: plan.TrialFailed},
		"the user asks about it":             {exit: 1, output: goFails, before: goFails, words: "TestSum is wrong, please fix it", want: plan.StillFails},
		"the user asks about a longer name":  {exit: 1, output: goFails, before: goFails, words: "fix TestSummary", want: plan.FailsAsBefore},
		"the user names its file":            {exit: 1, output: goFails, before: goFails, words: "make sum_test.go pass", want: plan.StillFails},
		"the plan changes its file":          {exit: 1, output: goFails, before: goFails, changed: view.TriedTexts{"sum/sum_test.go": {}}, want: plan.StillFails},
		"the plan changes another file":      {exit: 1, output: goFails, before: goFails, changed: view.TriedTexts{"sum/my_sum_test.go": {}}, want: plan.FailsAsBefore},
		"the plan writes the test":           {exit: 1, output: "--- FAIL: TestSum (0.00s)\nFAIL\n", before: "--- FAIL: TestSum (0.00s)\nFAIL\n", changed: view.TriedTexts{"a.go": {Text: "func TestSum(t *testing.T) {}\n"}}, want: plan.StillFails},
		"one more test fails":                {exit: 1, output: goFails + "--- FAIL: TestNew (0.00s)\n", before: goFails, want: plan.FailsNow},
		"one test fewer fails":               {exit: 1, output: goFails, before: goFails + "--- FAIL: TestOld (0.00s)\n", want: plan.FailsAsBefore},
		"it does not compile any more":       {exit: 101, output: "error[E0425]: cannot find value `c`\n", before: "test sum::adds ... FAILED\n", want: plan.FailsNow},
		"a package's name is no test":        {exit: 1, output: "FAIL\tshop [setup failed]\n", before: "FAIL\tshop [setup failed]\n", changed: view.TriedTexts{"tools.go": {Text: "import \"shop.example/more\"\n"}}, words: "the shop", want: plan.FailsAsBefore},
		"it compiles now":                    {exit: 101, output: "test sum::adds ... FAILED\n", before: "error[E0425]: cannot find value `c`\n", want: plan.FailsAsBefore},
		"one more suite fails":               {exit: 1, output: "FAIL src/b.test.js\n  ● Test suite failed to run\n\nFAIL src/a.test.js\n  ● adds\n", before: "FAIL src/a.test.js\n  ● adds\n", want: plan.FailsNow},
		"maven, in a file of the plan":       {exit: 1, output: "[ERROR] /w/src/main/java/shop/Sum.java:[2,68] cannot find symbol\n", before: "[ERROR] /w/src/main/java/shop/A.java:[2,68] x\n", changed: view.TriedTexts{"src/main/java/shop/Sum.java": {}}, want: plan.StillFails},
		"pytest, by its file":                {exit: 1, output: "FAILED tests/test_a.py::test_x[1-2] - assert 1 == 2\n", before: "FAILED tests/test_a.py::test_x[1-2] - assert 1 == 2\n", changed: view.TriedTexts{"tests/test_a.py": {}}, want: plan.StillFails},
		"pytest, by its name":                {exit: 1, output: "FAILED tests/test_a.py::test_x[1-2] - no\n", before: "FAILED tests/test_a.py::test_x[1-2] - no\n", words: "why does test_x fail?", want: plan.StillFails},
		"cargo, by the place of the panic":   {exit: 101, output: "test sum::adds ... FAILED\nthread 'sum::adds' panicked at src/sum.rs:7:9:\n", before: "test sum::adds ... FAILED\n", changed: view.TriedTexts{"src/sum.rs": {}}, want: plan.StillFails},
		"jest, by its file":                  {exit: 1, output: "FAIL src/sum.test.ts\n  ✕ adds two numbers (3 ms)\n    at Object.<anonymous> (src/sum.test.ts:4:17)\n", before: "  ✕ adds two numbers (3 ms)\n", words: "sum.test.ts fails", want: plan.StillFails},
		"a compiler, in a file of the plan":  {exit: 2, output: "src/sum.c:3:5: error: unknown type name 'in'\n", before: "src/sum.c:9:1: error: x\n", changed: view.TriedTexts{"src/sum.c": {}}, want: plan.StillFails},
		"no program":                         {exit: 127, output: "sh: 1: pnpm: not found\n", before: "x", want: plan.CouldNotRun, why: "there is no program pnpm"},
		"no program, by env":                 {exit: 127, output: "/usr/bin/env: ‘node’: No such file or directory\n", before: "x", want: plan.CouldNotRun, why: "there is no program node"},
		"no program, and no word of it":      {exit: 126, output: "", before: "x", want: plan.CouldNotRun, why: "there is no such program"},
		"the plan takes the program away":    {exit: 127, output: "sh: 1: ./run: not found\n", passedBefore: true, want: plan.FailsNow},
		"no network":                         {exit: 1, output: "dial tcp: lookup proxy.example: no such host\n", before: "x", unreached: 2, want: plan.CouldNotRun, why: "no network"},
		"words about a network, and no try":  {exit: 1, output: "dial tcp: lookup proxy.example: no such host\n", before: "x", want: plan.FailsAsBefore},
		"a try, but tests that fail without": {exit: 1, output: goFails, before: goFails, unreached: 3, want: plan.FailsAsBefore},
		"a try in silence":                   {exit: 1, output: "", before: "x", unreached: 1, want: plan.CouldNotRun, why: "no network"},
		"no network, in what was asked":      {exit: 1, output: goFails + "network is unreachable\n", before: goFails, unreached: 1, words: "fix TestSum", want: plan.StillFails},
		"a secret file":                      {exit: 1, output: "open testdata/key.pem: no such file\n", before: "x", hidden: []string{"testdata/key.pem"}, want: plan.CouldNotRun, why: "testdata/key.pem was left out as a possible secret (trials.show)"},
		"a refused write":                    {exit: 1, output: "touch: cannot touch '/opt/x': Read-only file system\n", before: "x", refused: "Trials can only read /opt/x.", want: plan.CouldNotRun, why: "it writes outside of the workspace (trials.read)"},
		"a refused write by the plan alone":  {exit: 1, output: "x", passedBefore: true, refused: "Trials can only read /opt/x.", want: plan.FailsNow},
		"no time":                            {end: runner.TimedOut, want: plan.CouldNotRun, why: "it ran out of time"},
		"no memory":                          {end: runner.OutOfMemory, want: plan.CouldNotRun, why: "it ran out of memory"},
		"no disk":                            {end: runner.Overfull, want: plan.CouldNotRun, why: "it ran out of disk"},
		"a signal":                           {end: runner.Signalled, want: plan.TrialFailed},
	} {
		t.Run(name, func(t *testing.T) {
			var seen observed
			seen.Output, seen.Unreached, seen.Refused, seen.End = c.output, c.unreached, c.refused, c.end
			if c.end == "" {
				seen.End, seen.ExitCode = runner.Exited, &c.exit
			}
			code := 1
			before := &baseline{exitCode: &code, failures: commands.Failures(c.before)}
			if c.passedBefore {
				*before.exitCode = 0
			}
			if c.unknownBefore || c.end != "" {
				before = nil
			}
			r := &Result{failures: commands.Failures(c.output), hidden: c.hidden}
			if before != nil {
				r.before = before.failures
			}
			class, why := r.judge(seen, before, about{c.words, c.changed})
			if class != c.want || why != c.why {
				t.Errorf("%s (%s), want %s (%s)", class, why, c.want, c.why)
			}
		})
	}
}

// A file that is mentioned is not a file that is missing.
func TestMissingFiles(t *testing.T) {
	for output, want := range map[string]bool{
		"open testdata/key.pem: no such file or directory\n":                   true,
		"Error: ENOENT: no such file or directory, open '/w/testdata/key.pem'": true,
		"FileNotFoundError: [Errno 2] 'key.pem'":                               true,
		"ok  testdata/key.pem\n":                                               false,
		"open testdata/monkey.pem: no such file\n":                             false,
		"key.pem\nopen other: no such file\n":                                  false,
	} {
		if got := namesFile(output, "key.pem"); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}

// A failing test in the real output of a runner is known by what the user calls it, and by its file.
func TestJudgeRunners(t *testing.T) {
	for name, c := range map[string]struct{ words, other, file string }{
		"go":              {words: "fix TestSum", other: "fix TestSu", file: "a_test.go"},
		"cargo":           {words: "why does errs fail?", other: "why does err fail?", file: "src/lib.rs"},
		"ctest":           {words: "fix sum.negative", other: "fix the sums"},
		"pytest":          {words: "make TestTotal pass", other: "make Total pass", file: "tests/test_sum.py"},
		"pytest-broken":   {words: "test_broken.py does not load", other: "test_brok does not load", file: "tests/test_broken.py"},
		"unittest":        {words: "fix test_err", other: "fix test_er", file: "old_tests.py"},
		"jest":            {words: "sum.test.js fails", other: "sum.js fails", file: "src/sum.test.js"},
		"jest-one-file":   {words: `"adds two numbers" fails`, other: "add two numbers", file: "src/sum.test.js"},
		"vitest":          {words: "make broken.test.mjs load", other: "make it load", file: "vt/broken.test.mjs"},
		"vitest-verbose":  {words: "fix the slow one", other: "fix the slow ones", file: "vt/sum.test.mjs"},
		"mocha":           {words: `"adds two numbers" fails`, other: "it adds too many", file: "spec/sum.js"},
		"mocha-dot":       {words: "adds (both below zero) fails", other: "it adds too many", file: "spec/sum.js"},
		"node-tap":        {words: "adds below zero fails", other: "it adds", file: "a.test.js"},
		"node-spec":       {words: "adds below zero fails", other: "it adds", file: "a.test.js"},
		"surefire-2.12.4": {words: "fix SumTest", other: "fix Sum", file: "src/test/java/shop/SumTest.java"},
		"surefire-2.22.2": {words: "fix addsTwoNumbers", other: "fix addsTwo", file: "src/test/java/shop/SumTest.java"},
		"surefire-3.5.2":  {words: "make SumTest pass", other: "make Sum pass", file: "src/test/java/shop/SumTest.java"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("../commands/testdata/failures/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			code := 1
			var seen observed
			seen.Output, seen.End, seen.ExitCode = string(text), runner.Exited, &code
			names := commands.Failures(seen.Output)
			judge := func(words string, changed view.TriedTexts) plan.Class {
				class, _ := (&Result{failures: names, before: names}).judge(seen, &baseline{exitCode: &code, failures: names}, about{words, changed})
				return class
			}
			if got := judge(c.words, nil); got != plan.StillFails {
				t.Errorf("%q: %s", c.words, got)
			}
			if got := judge(c.other, view.TriedTexts{"README": {Text: c.other}}); got != plan.FailsAsBefore {
				t.Errorf("%q: %s", c.other, got)
			}
			if c.file == "" {
				return
			}
			if got := judge("tidy up", view.TriedTexts{c.file: {}}); got != plan.StillFails {
				t.Errorf("a plan that changes %s: %s", c.file, got)
			}
		})
	}
}
