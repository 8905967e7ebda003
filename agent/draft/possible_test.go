package draft_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits/patch"
)

// Each file of a patch is all or nothing by itself; files that depend on each other are
// all or nothing together.
func TestPossible(t *testing.T) {
	const good = "*** Update File: good\n-1\n+one\n"
	for _, test := range []struct{ name, patch, possible, not string }{
		{"one has no place", good + "*** Update File: c\n-1\n+2\n", "good", "c: c, chunk 1 of 1: The text to replace was not found"},
		{"one of two chunks has no place", good + "*** Update File: twice\n@@\n-1\n+x\n@@\n-nope\n+y\n", "good", "twice: twice, chunk "},
		{"one is not there", "*** Update File: nope\n-1\n+2\n" + good, "good", "nope: nope does not exist"},
		{"one exists", good + "*** Add File: c\n+c\n", "good", "c: c exists already"},
		{"one contradicts itself", good + "*** Delete File: d\n*** Update File: d\n-4\n+5\n", "good", "d: d: Two parts of the patch contradict"},
		{"all", "*** Update File: c\n-1\n+2\n*** Delete File: nope\n", "", "c: c, chunk|nope: nope does not exist"},
		{"none", good + "*** Delete File: c\n*** Add File: n\n+n\n", "good c n", ""},

		// A file that makes room for another is removed only if that one comes.
		{"deleted for a file that cannot be", good + "*** Delete File: c\n*** Add File: c\n+\x00\n", "good", "c: c would hold a NUL byte"},
		{"deleted for a move that cannot be", good + "*** Delete File: c\n*** Update File: d\n*** Move to: c\n-nope\n+x\n", "good", "c: with d|d: d, chunk 1 of 1"},
		{"moved away for one that cannot be", good + "*** Update File: c\n*** Move to: z\n*** Add File: c\n+\x00\n", "good", "c: c would hold a NUL byte"},
		{"trade places", "*** Update File: c\n*** Move to: d\n*** Update File: d\n*** Move to: c\n" + good, "c d good", ""},
		{"trade places, one has no place", "*** Update File: c\n*** Move to: d\n*** Update File: d\n*** Move to: c\n-nope\n+x\n" + good, "good", "c: with d|d: d, chunk 1 of 1"},
		{"a chain that ends badly", "*** Update File: c\n*** Move to: d\n*** Update File: d\n*** Move to: twice\n" + good, "good", "c: with d|d: twice exists already"},
		{"a chain", "*** Update File: c\n*** Move to: d\n*** Update File: d\n*** Move to: z\n" + good, "c d good", ""},
		{"a folder in the place of a file", "*** Add File: c/m\n+m\n*** Delete File: c\n" + good, "c/m c good", ""},
		{"a folder in the place of a file that stays", "*** Add File: c/m\n+m\n*** Update File: c\n-nope\n+x\n" + good, "good", "c/m: with c|c: c, chunk 1 of 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := memory{"good": "1\n", "c": "3\n", "d": "4\n", "twice": "1\n2\n1\n"}
			d := draft.New(m)
			files := begin(t, test.patch)
			possible, not := d.Possible(files)
			var names, refused []string
			for _, f := range possible {
				names = append(names, f.Path)
			}
			for _, n := range not {
				if n.Err != nil {
					refused = append(refused, fmt.Sprintf("%s: %s", n.Path, n.Err))
				} else {
					refused = append(refused, fmt.Sprintf("%s: with %s", n.Path, n.With))
				}
			}
			if got := strings.Join(names, " "); got != test.possible {
				t.Errorf("possible are %q, want %q", got, test.possible)
			}
			want := strings.Split(test.not, "|")
			if test.not == "" {
				want = nil
			}
			same := len(want) == len(refused)
			for i := range want {
				same = same && strings.HasPrefix(refused[i], want[i])
			}
			if !same {
				t.Errorf("not possible are\n%s\nwant\n%s", strings.Join(refused, "\n"), strings.Join(want, "\n"))
			}
			if len(d.Operations()) > 0 || len(d.Paths()) != 0 {
				t.Errorf("the draft has %v", d.Paths())
			}
			if len(possible) == 0 {
				return
			}
			if _, err := d.Patch(possible, op("apply_patch")); err != nil {
				t.Error(err)
			}
		})
	}
}

// parsed reads a patch.
func parsed(t *testing.T, text string) []patch.File {
	t.Helper()
	files, err := patch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A deletion with wrong content is refused, and with it the file that was to take its
// place.
func TestPossibleWhereADeletionIsRefused(t *testing.T) {
	d := draft.New(memory{"good": "1\n", "c": "3\n"})
	possible, not := d.Possible(parsed(t, "--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-4\n--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+new\n--- a/good\n+++ b/good\n@@ -1 +1 @@\n-1\n+one\n"))
	if len(possible) != 1 || possible[0].Path != "good" || len(not) != 1 || not[0].Path != "c" {
		t.Errorf("possible %+v, not %+v", possible, not)
	}
}

// A refusal is recorded until something is staged for the file, by anybody, and is kept
// when a draft is restored.
func TestRefusedFilesAreMended(t *testing.T) {
	var refused []draft.Undone
	for _, path := range []string{"a", "b", "c"} {
		refused = append(refused, draft.Undone{Refused: plan.Refused{Path: path, Reason: "x"}})
	}
	names := func(d *draft.Draft) (all string) {
		for _, r := range d.Refused(true) {
			all += r.Path
		}
		return all
	}
	for line, want := range map[string]string{
		"edit a|1|one": "bc", "write b|whole": "ac", "delete c": "ab", "rename a|z": "bc", "run make": "abc",
		"write other|text": "abc",
	} {
		d := draft.New(memory{"a": "1\n", "b": "2\n", "c": "3\n"})
		d.Refuse(refused...)
		d.Told()
		if err := do(t, d, line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := names(d); got != want {
			t.Errorf("after %q refused are %q, want %q", line, got, want)
		}
		again, lost, err := draft.Unpark(memory{"a": "1\n", "b": "2\n", "c": "3\n"}, d.Park(), func(w draft.Reader) (*draft.Draft, error) { return draft.New(w), nil },
			func(d *draft.Draft, o plan.Operation) ([]draft.Staged, error) {
				return []draft.Staged{}, do(t, d, line)
			})
		if err != nil || len(lost) > 0 || names(again) != want {
			t.Errorf("parked after %q: %q, want %q; lost %v, %v", line, names(again), want, lost, err)
		}
	}

	// Two specialists work at the same time: the work of one does not settle refusals of
	// the other.
	d := draft.New(memory{"a": "1\n", "b": "2\n", "c": "3\n"})
	d.Refuse(refused[0])
	d.Told()
	one, two := d.Fork(), d.Fork()
	if err := do(t, one, "edit a|1|one"); err != nil {
		t.Fatal(err)
	}
	two.Refuse(refused[1])
	two.Told()
	if err := do(t, one, "edit b|2|two"); err != nil {
		t.Fatal(err)
	}
	d.Join([]draft.Part{{Draft: one, Step: "s1"}, {Draft: two, Step: "s2"}}, nil)
	if diff := cmp.Diff("b", names(d)); diff != "" {
		t.Error(diff)
	}
}
