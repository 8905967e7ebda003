package excerpt

import (
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
