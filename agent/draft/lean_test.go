package draft_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/draft"
	"redline/agent/plan"
)

// called stages a tool's call, with its arguments as the tool has them. A step may come
// first: "s2: edit a|old|new".
func called(d *draft.Draft, line string) error {
	step := "s1"
	if before, after, ok := strings.Cut(line, ": "); ok {
		step, line = before, after
	}
	verb, rest, _ := strings.Cut(line, " ")
	args := append(strings.Split(rest, "|"), "", "")
	given := map[string]map[string]any{
		"edit":   {"path": args[0], "old_string": args[1], "new_string": args[2]},
		"all":    {"path": args[0], "old_string": args[1], "new_string": args[2], "replace_all": true},
		"write":  {"path": args[0], "content": args[1]},
		"delete": {"path": args[0]},
		"rename": {"path": args[0], "new_path": args[1]},
		"run":    {"command": args[0]},
	}[verb]
	tools := map[string]string{"edit": "edit_file", "all": "edit_file", "write": "write_file", "delete": "delete_file", "rename": "rename_file", "run": "run_command"}
	raw, err := json.Marshal(given)
	if err != nil {
		return err
	}
	_, err = asCalled(d, plan.Operation{Tool: tools[verb], Args: raw, Step: step})
	return err
}

// asCalled stages an operation again, from its arguments.
func asCalled(d *draft.Draft, o plan.Operation) ([]draft.Staged, error) {
	var a struct {
		Path    string `json:"path"`
		Old     string `json:"old_string"`
		New     string `json:"new_string"`
		All     bool   `json:"replace_all"`
		Content string `json:"content"`
		NewPath string `json:"new_path"`
		Command string `json:"command"`
	}
	if err := json.Unmarshal(o.Args, &a); err != nil {
		return nil, err
	}
	var s draft.Staged
	var err error
	switch o = (plan.Operation{Tool: o.Tool, Args: o.Args, Step: o.Step}); o.Tool {
	case "edit_file":
		s, err = d.Edit(a.Path, a.Old, a.New, a.All, o)
	case "write_file":
		s, err = d.Write(a.Path, a.Content, o)
	case "delete_file":
		s, err = d.Delete(a.Path, o)
	case "rename_file":
		s, err = d.Rename(a.Path, a.NewPath, o)
	case "run_command":
		s, err = d.Command(a.Command, "", o)
	}
	return []draft.Staged{s}, err
}

// outline returns the operations of a draft in short.
func outline(d *draft.Draft) string {
	var all []string
	for _, o := range d.Operations() {
		name := strings.TrimSuffix(o.Tool, "_file") + " " + o.Path
		if o.IsCommand() {
			name = "run " + o.Command
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

func TestLean(t *testing.T) {
	for _, test := range []struct {
		name, calls string // calls are separated by ";"
		want        string // in the form of outline
		left        int
	}{
		{"nothing to leave out", "edit a|1|one;edit b|x|y;run make", "edit a, edit b, run make", 0},
		{"written twice", "write n|1\n;write n|2\n", "write n", 1},
		{"written thrice", "write a|1\n;write a|2\n;edit b|x|y;write a|3\n", "edit b, write a", 2},
		{"edited, then written", "edit a|1|one;write a|9\n", "write a", 1},
		{"written, then edited", "write n|1\n2\n;edit n|1|one", "write n, edit n", 0},
		{"undone", "edit a|1|one;edit a|3|three;edit a|one|1", "edit a", 2},
		{"undone, and nothing else", "edit a|1|one;edit a|one|1;run make", "run make", 2},
		{"created and deleted", "write n|1\n;delete n;edit a|1|one", "edit a", 2},
		{"there and back", "rename a|c;rename c|a;edit b|x|y", "edit b", 2},
		{"there and back, edited there", "rename a|c;edit c|1|one;rename c|a", "rename a, edit c, rename c", 0},
		{"moved on", "rename a|c;rename c|d", "rename a, rename c", 0},
		{"edited, then deleted", "edit a|1|one;delete a", "delete a", 1},
		{"an edit of an edit", "edit a|1|one;edit a|one|uno", "edit a", 1},
		{"an edit around an edit", "edit a|2|two;edit a|1\ntwo\n|1\nzwei\n", "edit a, edit a", 0},
		{"edits of edits", "edit a|1|one;edit a|one|uno;edit a|uno|eins", "edit a", 2},
		{"an edit within an edit", "edit a|2|two\nmore;edit a|more|less", "edit a, edit a", 0},
		{"of other steps", "s1: edit a|1|one;s2: edit a|one|uno", "edit a, edit a", 0},
		{"every place", "all a|1|one;edit a|one|uno", "edit a, edit a", 0},
		{"a command twice", "run make;run make;run make", "run make", 2},
		{"a command, an edit, the command", "run make;edit a|1|one;run make", "run make, edit a, run make", 0},
		{"a command twice in two steps", "s1: run make;s2: run make", "run make, run make", 0},
		{"a command twice, with what comes to nothing between", "run make;write n|1\n;delete n;run make", "run make", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := draft.New(memory{"a": "1\n2\n3\n", "b": "x\n"})
			for _, line := range strings.Split(test.calls, ";") {
				if err := called(d, line); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
			lean, left := d.Lean(asCalled)
			if diff := cmp.Diff(test.want, outline(lean)); diff != "" || len(left) != test.left {
				t.Errorf("%d left out: %v (-want +got):\n%s", len(left), left, diff)
			}
			for _, l := range left {
				if l.Why == "" {
					t.Errorf("%+v has no reason", l)
				}
			}
		})
	}
}

// TestLeanKeepsEarlierRevisions checks that operations of an earlier revision are not left
// out, whatever a rework does to them.
func TestLeanKeepsEarlierRevisions(t *testing.T) {
	files := memory{"a": "1\n2\n3\n", "b": "x\n"}
	d := draft.New(files)
	for _, line := range []string{"edit a|1|one", "edit b|x|y"} {
		if err := called(d, line); err != nil {
			t.Fatal(err)
		}
	}
	p, text := planOf(t, d, files)
	d, err := draft.Resume(files, p, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"edit a|one|uno", "edit a|uno|eins", "edit b|y|z", "edit b|z|y"} {
		if err := called(d, line); err != nil {
			t.Fatal(err)
		}
	}
	lean, left := d.Lean(asCalled)
	if got := outline(lean); got != "edit a, edit b, edit a" || len(left) != 3 { // the last two edits of a become one
		t.Errorf("%q, left out: %v", got, left)
	}
	before := []string{p.Latest().Changes[0].Hunks[0].ID, p.Latest().Changes[1].Hunks[0].ID}
	r := next(t, p, lean, files)
	if r.Changes[1].Hunks[0].ID != before[1] {
		t.Errorf("hunk %s has become %s", before[1], r.Changes[1].Hunks[0].ID)
	}
	for _, c := range r.Changes {
		for i := range c.Hunks {
			for _, id := range c.MakersOf(&c.Hunks[i]) {
				if _, ok := r.Operation(id); !ok {
					t.Errorf("hunk %s is made by %s, which there is not", c.Hunks[i].ID, id)
				}
			}
		}
	}
}

// TestLeanChangesNothing checks for random operations that the files are the same without
// those left out; that nothing more is left out a second time; and that the sealed
// operations, staged again one by one on the base texts, give exactly the sealed texts.
func TestLeanChangesNothing(t *testing.T) {
	trimmed, validated := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		files := memory{"a": "l1\nl2\nl3\nl4\n", "b": "l1\nx\nl2\nx\n", "d/e": "l1\n"}
		d := draft.New(files)
		if rapid.Bool().Draw(t, "rework") {
			drawCalls(t, d, 4)
			p, text := planOf(t, d, files)
			if len(p.Latest().Operations) > 0 {
				resumed, err := draft.Resume(files, p, text)
				if err != nil {
					t.Fatal(err)
				}
				d = resumed
			} else {
				d = draft.New(files)
			}
		}
		fresh := len(d.Operations()) == 0
		drawCalls(t, d, 12)
		lean, left := d.Lean(asCalled)
		full, err := d.Seal(files.live)
		if err != nil {
			t.Fatal(err)
		}
		short, err := lean.Seal(files.live)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(comesTo(full), comesTo(short)); diff != "" {
			t.Fatalf("without %v the files come to something else (-want +got):\n%s", left, diff)
		}
		if len(lean.Operations())+len(left) != len(d.Operations()) {
			t.Fatalf("of %d operations %d are left and %d left out", len(d.Operations()), len(lean.Operations()), len(left))
		}
		if len(left) > 0 {
			trimmed++
		}
		if !fresh {
			return // the hunks of an earlier revision stay unchanged
		}
		validated++
		again := draft.New(files)
		for _, o := range short.Operations {
			if _, err := asCalled(again, o); err != nil {
				t.Fatalf("%s %s of the revision is not possible: %v", o.Tool, o.Path, err)
			}
		}
		s, err := again.Seal(files.live)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(comesTo(short), comesTo(s)); diff != "" {
			t.Fatalf("the operations of the revision do not come to its texts (-want +got):\n%s", diff)
		}
	})
	t.Logf("left something out %d times, validated %d times", trimmed, validated)
	if trimmed == 0 || validated == 0 {
		t.Error("nothing was shown")
	}
}

// comesTo returns the resulting state of each file.
func comesTo(s draft.Sealed) []string {
	var all []string
	for _, c := range s.Changes {
		all = append(all, fmt.Sprintf("%s %s %s %o %v: %q", c.Action, c.Path, c.NewPath, c.Mode, c.BOM, s.Texts[c.Proposed]))
	}
	slices.Sort(all)
	return all
}

// drawCalls draws calls and stages those that are possible.
func drawCalls(t *rapid.T, d *draft.Draft, most int) {
	for i := range rapid.IntRange(1, most).Draw(t, "calls") {
		verb := rapid.SampledFrom([]string{"edit", "edit", "edit", "edit", "all", "write", "write", "delete", "rename", "rename", "run"}).Draw(t, "verb")
		path := rapid.SampledFrom([]string{"a", "a", "b", "c", "d/e"}).Draw(t, "path")
		old := rapid.SampledFrom([]string{"l1", "l2", "l3", "x", "y", "l1\nl2"}).Draw(t, "old")
		text := rapid.SampledFrom([]string{"x", "y", "l1", "l2", "y\nx", fmt.Sprint("n", i)}).Draw(t, "text")
		line := verb + " " + path
		switch verb {
		case "edit", "all":
			line += "|" + old + "|" + text
		case "write":
			line += "|l1\n" + text + "\n"
		case "rename":
			line += "|" + rapid.SampledFrom([]string{"a", "b", "c", "d/e"}).Draw(t, "other")
		}
		_ = called(d, line) // a refusal is fine: nothing is staged
	}
}
