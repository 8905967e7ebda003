package model

import (
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "rename a to b in *.go", `replace "a" with "b"`, `replace /a(b)\// with "$1" in c`, `insert "a" before "b" in c`,
		`create a with "b\n"`, "delete `a b`", "move a to b/", "run go test ./... then run x", "run if a; then delete b then c",
		strings.Repeat("run a then ", 60) + "run a", `run "a then delete b" then delete c`, "rename a to b, then delete c",
		"try go test ./... then try `x` then run y",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		steps, err := parse(text)
		if (err == nil) == (len(steps) == 0) || len(steps) > maxInstructions {
			t.Fatalf("%d instructions and the error %v", len(steps), err)
		}
		if err != nil && help(err) == "" {
			t.Fatal("no help")
		}
	})
}

// The time to parse a text does not grow out of proportion with its number of commands.
func BenchmarkParseCommands(b *testing.B) {
	text := strings.Repeat("run a then delete b then ", 2000) + "nonsense"
	for b.Loop() {
		_, _ = parse(text)
	}
}

func TestUsageNamesEveryVerb(t *testing.T) {
	for _, form := range builtinUsage() {
		verb, _, _ := strings.Cut(form, " ")
		if _, err := parse(verb + " ?"); err == nil {
			continue
		} else if strings.Contains(err.Error(), errNoInstruction.Error()) {
			t.Errorf("%q is offered and not understood", form)
		}
	}
}
