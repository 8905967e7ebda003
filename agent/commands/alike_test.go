package commands

import "testing"

func TestAlike(t *testing.T) {
	for name, c := range map[string]struct {
		output, other string
		want          bool
	}{
		"nothing":                     {"", "", true},
		"the same":                    {"a\nb\n", "a\nb\n", true},
		"numbers differ":              {"building\na.c:7: error: no x at 0x7f12 (0.31 s)\n", "a.c:9: error: no x at 0x8a (12 s)\n", true},
		"places and times differ":     {"12:03:04 a.go:7:3: error: no x on line 8\nb.cs(7,3): error (2.5 sec)\n", "14:13:14 a.go:9:12: error: no x on line 10\nb.cs(8,1): error (12 seconds)\n", true},
		"another file":                {"a.go:7: error\n", "b.go:7: error\n", false},
		"another case":                {"error: case 13\n", "error: case 12\n", false},
		"another value":               {"error: expected 200, got 500\n", "error: expected 200, got 404\n", false},
		"another number of problems":  {"30 problems (30 errors)\n", "1 problems (1 errors)\n", false},
		"another number at the end":   {"1 problems found\n", "0 problems found\n", false},
		"colours":                     {"\x1b[31merror: x\x1b[0m\n", "error: x\n", true},
		"another error":               {"error: x\n", "error: y\n", false},
		"one more":                    {"a.c:7: bad\na.c:9: bad\n", "a.c:7: bad\n", false},
		"one less":                    {"a.c:7: bad\n", "a.c:7: bad\na.c:9: bad\n", true},
		"the last lines are the same": {"one\nno luck\n", "two\nno luck\n\n", true},
		"the last lines differ":       {"one\nno luck\n", "one\nbad luck\n", false},
		"nothing, and something":      {"", "no luck\n", false},
		"a line about no failure":     {"all is well\nerror: x\nmore\n", "error: x\nless\n", true},
		"the other has no failure":    {"error: x\n", "x\n", false},
	} {
		if got := alike(c.output, c.other); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
