package commands

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFailures(t *testing.T) {
	for output, want := range map[string][]string{
		"=== RUN TestA\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b_c (0.01s)\nFAIL\n":                {"TestA", "TestA/b_c"},
		"FAILED tests/test_a.py::test_x[1-2] - assert 1 == 2\nERROR tests/test_b.py::test_y\n1 failed\n": {"tests/test_a.py::test_x[1-2]", "tests/test_b.py::test_y"},
		"FAIL: test_x (app.tests.T)\n======\n":                                                           {"test_x (app.tests.T)"},
		"test sum::adds ... FAILED\ntest sum::more ... ok\n":                                             {"sum::adds"},
		"  ✕ adds two numbers (3 ms)\n  ✓ subtracts (1 ms)\n":                                            {"adds two numbers"},
		"not ok 3 - reads a file # time=3ms\nok 4 - x\n":                                                 {"reads a file"},
		"rspec ./spec/a_spec.rb:3 # A does\n":                                                            {"./spec/a_spec.rb:3"},
		"all is well\r\n--- FAIL: TestA (0.00s)\r\n--- FAIL: TestA (0.02s)\n":                            {"TestA"},
		"error: it does not compile\n":                                                                   nil,
	} {
		if got := Failures(output); !slices.Equal(got, want) {
			t.Errorf("%q names %q, want %q", output, got, want)
		}
	}
}

// runners has the tests that the outputs in testdata/failures name. Each is what a runner printed for
// a small project, without the places of the machine that it ran on.
var excerptRunners = map[string][]string{
	"go":     {"TestPanics", "TestSum", "TestSum/below_zero", "shop/b [build failed]", "shop/c [build failed]"},
	"cargo":  {"src/lib.rs - add", "tests::adds", "tests::errs", "tests::panics"},
	"ctest":  {"a", "crashes", "gone", "late", "sum.negative"},
	"pytest": {"tests/test_sum.py::Old::test_sub", "tests/test_sum.py::TestTotal::test_total", "tests/test_sum.py::test_adds[1-2]", "tests/test_sum.py::test_shop", "tests/test_sum.py::test_subtests", "tests/test_sum.py::test_words[a - b]", "tests/test_sum.py::test_words[two words]"},

	"pytest-broken": {"tests/test_broken.py"},

	"unittest": {"tearDownClass (old_tests.Old)", "test_broken (unittest.loader._FailedTest.test_broken)", "test_err (old_tests.Old.test_err)", "test_sub (old_tests.Old.test_sub) [value] (i=0)", "test_sub (old_tests.Old.test_sub) [value] (i=2)"},

	"jest":           {"src/broken.test.js", "src/sum.test.js > slow one", "src/sum.test.js > sum > adds two numbers", "src/sum.test.js > sum > with negative numbers > 1 + 2 is 3", "src/sum.test.js > sum > with negative numbers > adds (both below zero)"},
	"jest-one-file":  {"src/sum.test.js > slow one", "src/sum.test.js > sum > adds two numbers", "src/sum.test.js > sum > with negative numbers > 1 + 2 is 3", "src/sum.test.js > sum > with negative numbers > adds (both below zero)"},
	"vitest":         {"vt/broken.test.mjs", "vt/sum.test.mjs > slow one", "vt/sum.test.mjs > sum > adds two numbers", "vt/sum.test.mjs > sum > with negative numbers > 1 + 2 is 3", "vt/sum.test.mjs > sum > with negative numbers > adds (both below zero)"},
	"vitest-verbose": {"vt/broken.test.mjs", "vt/sum.test.mjs > slow one", "vt/sum.test.mjs > sum > adds two numbers", "vt/sum.test.mjs > sum > with negative numbers > 1 + 2 is 3", "vt/sum.test.mjs > sum > with negative numbers > adds (both below zero)"},
	"mocha":          {"sum > adds two numbers", `sum > hooks > "before all" hook: connect for "reads"`, "sum > with negative numbers > adds (both below zero)", "totals 1) a list"},
	"mocha-dot":      {"sum > adds two numbers", `sum > hooks > "before all" hook: connect for "reads"`, "sum > with negative numbers > adds (both below zero)", "totals 1) a list"},
	"node-tap":       {"sum > adds two numbers", "sum > negative > adds below zero", "top > inner # 1"},
	"node-spec":      {"sum > adds two numbers", "sum > negative > adds below zero", "top > inner # 1"},

	"surefire-2.12.4": {"addsTwoNumbers(shop.SumTest)", "throwsUp(shop.SumTest)"},
	"surefire-2.22.2": {"addsBelowZero", "addsTwoNumbers", "table{int, int, int}[1]", "throwsUp"},
	"surefire-3.5.2":  {"shop.SumTest$Negative.addsBelowZero", "shop.SumTest.addsTwoNumbers", "shop.SumTest.table(int, int, int)[1]", "shop.SumTest.throwsUp"},
}

func TestFailuresOfRunners(t *testing.T) {
	files, err := filepath.Glob("testdata/failures/*.txt")
	if err != nil || len(files) != len(excerptRunners) {
		t.Fatalf("there are %d outputs (%v), and names for %d", len(files), err, len(excerptRunners))
	}
	for name, want := range excerptRunners {
		t.Run(name, func(t *testing.T) {
			output, err := os.ReadFile("testdata/failures/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			if got := Failures(string(output)); !slices.Equal(got, want) {
				t.Errorf("it names\n%q, want\n%q", got, want)
			}
		})
	}
}
