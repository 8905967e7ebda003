package tool_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateMended = flag.Bool("update", false, "write testdata/mended.txt anew")

// Outcomes of an edit with a mistake.
const (
	atOnce    = "at once" // accepted as it was
	inOne     = "mended"  // accepted after one refusal
	inNone    = "not"     // refused again, or the refusal does not say what to do
	elsewhere = "wrong"   // accepted, with another text
)

// TestRefusalsLetAModelMendItsCall plays a model that does what a refusal says and
// nothing more, with every mistake, and counts what it fixes in one round. It knows its
// own call, which line it means, and the refusal. Refused edits and patches of other
// corpora count as fixed if they are accepted: their intent is not recorded. The counts
// are in testdata/mended.txt; go test ./agent/tool -run Mend -update rewrites it.
func TestRefusalsLetAModelMendItsCall(t *testing.T) {
	var kinds []string
	table := map[string]map[string]int{}
	count := func(kind, name, verdict, said string) {
		if table[kind] == nil {
			table[kind] = map[string]int{}
			kinds = append(kinds, kind)
		}
		table[kind][verdict]++
		if verdict == inNone || verdict == elsewhere {
			t.Logf("%s: %s: %s\n%s", kind, name, verdict, said)
		}
	}
	for _, c := range slices.Concat(mendCases(), nearMissCases(t)) {
		verdict, said := c.play(t)
		count(c.kind, c.name, verdict, said)
	}
	for _, c := range patchMends(t) {
		verdict, said := c.play(t)
		count(c.kind, c.name, verdict, said)
	}
	got := tabled("mistake", 40, 9, kinds, []string{atOnce, inOne, inNone, elsewhere}, table)
	if *updateMended {
		if err := os.WriteFile("testdata/mended.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/mended.txt")
	if err != nil || got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("testdata/mended.txt (%v) is not what came of it; if it is better, or rightly worse, write it anew:\n%s", err, got)
	}
}

// play makes the call and, if it is refused, the model's fixed call. It returns the
// verdict, and the calls with their answers.
func (c *mendCase) play(t *testing.T) (verdict, told string) {
	b := newBench(t, c.files)
	call := func(s said) (isError bool, text string) {
		made := c.call(s)
		args, err := json.Marshal(made.args)
		if err != nil {
			t.Fatal(err)
		}
		r := b.call(t, made.tool, string(args))
		return r.IsError, string(args) + "\n" + r.Text
	}
	verdict = atOnce
	isError, told := call(c.believed)
	if isError {
		_, refusal, _ := strings.Cut(told, "\n")
		next, ok := c.believed.mended(refusal)
		if !ok {
			return inNone, told
		}
		verdict = inOne
		again := ""
		isError, again = call(next)
		if told += "\n---\n" + again; isError {
			return inNone, told
		}
	}
	if c.want == nil {
		return verdict, told
	}
	for _, path := range slices.Sorted(maps.Keys(union(c.files, c.want))) {
		if got, _, err := b.env.Draft.Read(path); err != nil || got != c.want[path] {
			return elsewhere, fmt.Sprintf("%s\n%s: got %q, want %q", told, path, got, c.want[path])
		}
	}
	return verdict, told
}

// play plays a patch whose right result is unknown.
func (c *patchMend) play(t *testing.T) (verdict, told string) {
	b := newBench(t, c.files)
	patch := c.patch
	verdict = atOnce
	for range 2 {
		args, err := json.Marshal(map[string]string{"patch": patch})
		if err != nil {
			t.Fatal(err)
		}
		r := b.call(t, "apply_patch", string(args))
		if told += patch + "\n" + r.Text + "\n---\n"; !r.IsError {
			return verdict, told
		}
		next, ok := mendedPatch(patch, r.Text)
		if !ok {
			return inNone, told
		}
		verdict, patch = inOne, next
	}
	return inNone, told
}
