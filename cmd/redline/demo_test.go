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

var update = flag.Bool("update", false, "write what is made from the program: the demo's output, parts of pages")

// The block of the README that shows a part of the demo's output: the step that begins with
// demoFrom, up to demoTo.
const (
	demoBegin = "<!-- demo:begin -->\n"
	demoEnd   = "<!-- demo:end -->"
	demoFrom  = "\n2. "
	demoTo    = "\n3. "
)

// The demo prints the content of testdata/demo.txt, and the README shows a step of it.
func TestTheReadmeShowsTheDemo(t *testing.T) {
	awayFromUser(t)
	var out, said bytes.Buffer
	if exit := run(t.Context(), []string{"demo"}, streams{in: strings.NewReader(""), out: &out, err: &said}); exit != exitOK || said.Len() > 0 {
		t.Fatalf("exit status %d\n%s", exit, &said)
	}
	_, rest, begun := strings.Cut(out.String(), demoFrom)
	step, _, ended := strings.Cut(rest, demoTo)
	if !begun || !ended {
		t.Fatalf("the demo has no step between %q and %q:\n%s", demoFrom, demoTo, &out)
	}
	hold(t, filepath.Join("testdata", "demo.txt"), "", "", out.String())
	_, step, _ = strings.Cut(step, "\n\n")
	hold(t, filepath.Join("..", "..", "README.md"), demoBegin, demoEnd, "```text\n"+strings.TrimRight(step, "\n")+"\n```\n")
}

// hold compares the part of a file from begin to end ("" for the whole file) with want; with
// -update it writes want there.
func hold(t *testing.T, name, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && (!*update || begin != "") {
		t.Fatal(err)
	}
	before, shown, after := "", string(text), ""
	if begin != "" {
		var begun, ended bool
		before, shown, begun = strings.Cut(shown, begin)
		shown, after, ended = strings.Cut(shown, end)
		if !begun || !ended {
			t.Fatalf("%s has no block from %q to %q", name, begin, end)
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(shown, want); diff != "" {
		t.Errorf("%s does not show what the demo says; go test ./cmd/redline -run Readme -update writes it (-file +demo):\n%s", name, diff)
	}
}

// The tour leaves nothing behind: no folder, no state, no setting.
func TestTheDemoLeavesNothing(t *testing.T) {
	awayFromUser(t)
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
