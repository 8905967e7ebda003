package commands

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPassed(t *testing.T) {
	for output, want := range map[string]string{
		"": "", "ok\n": "ok\n", "ok  \tapp\t0.1s": "ok  \tapp\t0.1s",
		strings.Repeat("a\n", 12):                                       strings.Repeat("a\n", 12),
		"b\n" + strings.Repeat("a\n", 12):                               "… 1 line left out, since it passed …\n" + strings.Repeat("a\n", 12),
		strings.Repeat(strings.Repeat("x", 299)+"\n", 9):                "… 6 lines left out, since it passed …\n" + strings.Repeat(strings.Repeat("x", 299)+"\n", 3),
		"a\n" + strings.Repeat("x", 100_000) + "\nPASS\n":               "",
		strings.Repeat("=== RUN x\n--- PASS: x\n", 2000) + "PASS\nok\n": "… 3990 lines left out, since it passed …\n" + strings.Repeat("=== RUN x\n--- PASS: x\n", 5) + "PASS\nok\n",
	} {
		got := Passed(output)
		if want != "" && got != want || len(got) > maxPassed+100 || !strings.HasSuffix(got, output[max(0, len(output)-5):]) {
			t.Errorf("%.40q: %q, want %q", output, got, want)
		}
	}
}

// Failures that are the same are shown once, with their number and the names of the others.
func TestFolded(t *testing.T) {
	cases := func(form string, n int) (out string) {
		for i := range n {
			out += strings.ReplaceAll(form, "#", fmt.Sprint(i+1))
		}
		return out
	}
	for name, c := range map[string]struct{ output, want string }{
		"go": {
			"--- FAIL: TestSum (0.00s)\n" + cases("    --- FAIL: TestSum/case_# (0.0#s)\n        sum_test.go:14: got 0, want 1\n", 8) + "FAIL\nFAIL\tapp/sum\t0.02s\n",
			"--- FAIL: TestSum (0.00s)\n    --- FAIL: TestSum/case_1 (0.01s)\n        sum_test.go:14: got 0, want 1\n" +
				"… the same in 7 more: TestSum/case_2, TestSum/case_3, TestSum/case_4, TestSum/case_5, TestSum/case_6, 2 more tests …\nFAIL\nFAIL\tapp/sum\t0.02s\n",
		},
		"pytest": {
			cases("FAILED tests/test_a.py::test_x[#] - ValueError: no\n", 3) + "3 failed in 0.1s\n",
			"FAILED tests/test_a.py::test_x[1] - ValueError: no\n… the same in 2 more: tests/test_a.py::test_x[2], tests/test_a.py::test_x[3] …\n3 failed in 0.1s\n",
		},
		"unittest": {
			cases("FAIL: test_x# (app.T)\n----\nTraceback (most recent call last):\n  File \"t.py\", line 3, in test_x#\n    self.fail()\nAssertionError: None\n\n", 2) + "----\nRan 2 tests in 0.000s\n",
			"FAIL: test_x1 (app.T)\n----\nTraceback (most recent call last):\n  File \"t.py\", line 3, in test_x1\n    self.fail()\nAssertionError: None\n… the same in 1 more: test_x2 (app.T) …\n\n\n----\nRan 2 tests in 0.000s\n",
		},
		"cargo": {
			cases("---- t::a# stdout ----\nthread 't::a#' (8#) panicked at src/lib.rs:9:5:\nboom\n\n", 3) + "\nfailures:\n    t::a1\n",
			"---- t::a1 stdout ----\nthread 't::a1' (81) panicked at src/lib.rs:9:5:\nboom\n… the same in 2 more: t::a2, t::a3 …\n\n\n\n\nfailures:\n    t::a1\n",
		},
		"other values":  {cases("--- FAIL: Test# (0.00s)\n    a_test.go:3: got #\n", 3), ""},
		"nothing said":  {cases("--- FAIL: Test# (0.00s)\n", 3) + "FAIL\n", ""},
		"cargo's list":  {"test a ... FAILED\ntest b ... FAILED\ntest c ... FAILED\n", ""},
		"twice":         {"error: x\nerror: x\n", ""},
		"three times":   {"error: x\nerror: x\nerror: x\nend", "error: x\n… 2 times more …\nend"},
		"several lines": {strings.Repeat("retry\n  refused\n", 9) + "retry\n", "retry\n  refused\n… 8 times more …\nretry\n"},
		"empty lines":   {"a\n\n\n\n\nb\n", ""},
	} {
		if c.want == "" {
			c.want = c.output
		}
		if got := Folded(c.output); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// Folding leaves out nothing that is not there before it, and counts what it leaves out.
func TestFoldedLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"--- FAIL: TestA (0.1s)", "--- FAIL: TestB (0.2s)", "--- FAIL: TestC", "  x.go:3: bad", "  y.go:4: worse", "", "ok", "FAILED a.py::t - no"})).Draw(t, "lines")
		output := strings.Join(lines, "\n")
		got := Folded(output)
		if len(got) > len(output)+60*len(lines) {
			t.Fatalf("it has become longer: %q", got)
		}
		for _, line := range lines {
			steady := strings.TrimSpace(line)
			if strings.HasPrefix(steady, "---") || strings.HasPrefix(steady, "FAILED") {
				steady = strings.Fields(strings.TrimPrefix(steady, "---"))[1]
			}
			if !strings.Contains(got, steady) {
				t.Fatalf("%q is not in\n%s\nof\n%s", steady, got, output)
			}
		}
	})
}
