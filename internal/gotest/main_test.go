package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// once fails on its first run and leaves a file as a mark.
const once = `
func once(t *testing.T, name string) {
	if _, err := os.Stat(name); err != nil {
		os.WriteFile(name, nil, 0o600)
		t.Fatal("the first run of " + name)
	}
	t.Log("the second run of " + name)
}
`

// toy writes a module with one package for each of the given tests.
func toy(t *testing.T, tests map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module toy\n\ngo 1.26\n")
	for name, text := range tests {
		put(name+"/toy_test.go", "package toy\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Exit\n"+once+text)
	}
	return dir
}

// A failing test of a package that drives real programs is run again; no other is.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module for each case: run without -short")
	}
	const passing = "func TestPass(t *testing.T) {}\n"
	for name, c := range map[string]struct {
		tests  map[string]string
		status int
		says   []string
		not    []string
	}{
		"all pass": {
			map[string]string{"real": passing, "unit": passing}, 0,
			[]string{"ok  \ttoy/real", "ok  \ttoy/unit"}, []string{"flaky", "PASS", "=== RUN"},
		},
		"one fails once": {
			map[string]string{"real": passing + "func TestOnce(t *testing.T) { once(t, \"mark\") }\n", "unit": passing}, 0,
			[]string{"FAIL\ttoy/real", "ok  \ttoy/unit", "flaky: toy/real TestOnce\n--- first run\n", "the first run of mark", "--- second run\n", "the second run of mark", "flaky: 1 of"}, nil,
		},
		"a part fails once": {
			map[string]string{"real": "func TestParts(t *testing.T) {\n\tt.Run(\"a (b)\", func(t *testing.T) { once(t, \"mark\") })\n\tt.Run(\"c\", func(t *testing.T) { t.Log(\"not again\") })\n}\n"}, 0,
			[]string{"flaky: toy/real TestParts/a_(b)"}, nil,
		},
		"one fails always": {
			map[string]string{"real": passing + "func TestAlways(t *testing.T) { t.Fatal(\"always\") }\nfunc TestOnce(t *testing.T) { once(t, \"mark\") }\n"}, 1,
			[]string{"toy/real TestAlways has failed twice", "flaky: toy/real TestOnce"}, []string{"flaky: toy/real TestAlways"},
		},
		"one of another package fails once": {
			map[string]string{"real": passing, "unit": "func TestOnce(t *testing.T) { once(t, \"mark\") }\n"}, 1,
			[]string{"FAIL\ttoy/unit", "the first run of mark"}, []string{"flaky", "once more"},
		},
		"a race": {
			map[string]string{"real": "func TestRace(t *testing.T) {\n\tos.Stdout.WriteString(\"WARNING: DATA RACE\\n\")\n\tonce(t, \"mark\")\n}\n"}, 1,
			[]string{"WARNING: DATA RACE"}, []string{"flaky", "once more"},
		},
		"a panic": {
			map[string]string{"real": "func TestPanic(t *testing.T) {\n\tif _, err := os.Stat(\"mark\"); err != nil {\n\t\tos.WriteFile(\"mark\", nil, 0o600)\n\t\tpanic(\"boom\")\n\t}\n}\n"}, 1,
			[]string{"panic: boom"}, []string{"flaky", "once more"},
		},
		"an exit": {
			map[string]string{"real": "func TestExit(t *testing.T) { os.Exit(1) }\n"}, 1,
			[]string{"FAIL\ttoy/real"}, []string{"flaky", "once more"},
		},
		"the program fails, and no test": {
			map[string]string{"real": passing + "func TestMain(m *testing.M) { m.Run(); os.Exit(1) }\n"}, 1,
			[]string{"FAIL\ttoy/real"}, []string{"flaky", "once more"},
		},
		"no build": {
			map[string]string{"real": "func TestBroken(t *testing.T) { undefined() }\n", "unit": passing}, 1,
			[]string{"undefined: undefined", "FAIL\ttoy/real [build failed]", "ok  \ttoy/unit"}, []string{"flaky", "once more"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if status := run(toy(t, c.tests), []string{"toy/real"}, []string{"go", "test", "./..."}, &out); status != c.status {
				t.Errorf("exit status %d, want %d", status, c.status)
			}
			for _, want := range c.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it does not say %q", want)
				}
			}
			for _, not := range c.not {
				if strings.Contains(out.String(), not) {
					t.Errorf("it says %q", not)
				}
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}

// A test that times out is not run again.
func TestRunOutOfTime(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module: run without -short")
	}
	dir := toy(t, map[string]string{"real": "func TestStuck(t *testing.T) { select {} }\n"})
	var out strings.Builder
	if status := run(dir, []string{"toy/real"}, []string{"go", "test", "-timeout", "100ms", "./..."}, &out); status != 1 || strings.Contains(out.String(), "once more") {
		t.Errorf("exit status %d:\n%s", status, out.String())
	}
}

// A test that is run again gets the flags of the first run.
func TestRunAgainWithFlags(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module: run without -short")
	}
	dir := toy(t, map[string]string{"real": "func TestOther(t *testing.T) { t.Error(\"not asked for\") }\nfunc TestShort(t *testing.T) { if !testing.Short() { t.Skip(\"it is another test\") }; once(t, \"mark\") }\n"})
	var out strings.Builder
	if status := run(dir, []string{"toy/real"}, []string{"go", "test", "./real", "-run", "TestShort", "-short", "-timeout", "9m"}, &out); status != 0 || !strings.Contains(out.String(), "the second run of mark") {
		t.Errorf("exit status %d:\n%s", status, out.String())
	}
}

func TestRunRefusesOtherCommands(t *testing.T) {
	for _, command := range [][]string{nil, {"go"}, {"go", "vet", "./..."}} {
		if status := run(t.TempDir(), nil, command, &strings.Builder{}); status != 2 {
			t.Errorf("%q: exit status %d", command, status)
		}
	}
}
