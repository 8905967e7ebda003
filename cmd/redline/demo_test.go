package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the demo's output into the README")

// The block of the README that holds the demo's output.
const (
	demoBegin = "<!-- demo:begin -->\n"
	demoEnd   = "<!-- demo:end -->"
)

func TestTheReadmeShowsTheDemo(t *testing.T) {
	outside(t)
	var out, said bytes.Buffer
	if exit := run(t.Context(), []string{"demo"}, streams{in: strings.NewReader(""), out: &out, err: &said}); exit != exitOK || said.Len() > 0 {
		t.Fatalf("exit status %d\n%s", exit, &said)
	}
	readme := filepath.Join("..", "..", "README.md")
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), demoBegin)
	shown, after, ended := strings.Cut(rest, demoEnd)
	if !begun || !ended {
		t.Fatalf("README.md has no block from %q to %q", demoBegin, demoEnd)
	}
	want := "```text\n" + strings.TrimLeft(out.String(), "\n") + "```\n"
	if *update {
		if err := os.WriteFile(readme, []byte(before+demoBegin+want+demoEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(shown, want); diff != "" {
		t.Errorf("README.md does not show what the demo says; go test ./cmd/redline -run Readme -update writes it (-README +demo):\n%s", diff)
	}
}

// The tour leaves nothing behind: no folder, no state, no setting.
func TestTheDemoLeavesNothing(t *testing.T) {
	outside(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var out bytes.Buffer
	if err := tour(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{temp, os.Getenv("REDLINE_STATE_DIR")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			t.Errorf("%s is left", e.Name())
		}
	}
}
