package draft

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/plan"
	"redline/workspace"
)

// files is a workspace of a few files.
type files map[string]string

func (f files) Read(path string) (workspace.File, error) {
	text, ok := f[path]
	return workspace.File{Text: text, Exists: ok, Mode: 0o644}, nil
}

func (f files) live(path string) (string, bool, uint32, error) {
	text, ok := f[path]
	return text, ok, 0o644, nil
}

// call is an operation in the form of these tests: what to do, and on what.
func callOf(args ...string) plan.Operation {
	raw, _ := json.Marshal(args)
	return plan.Operation{Step: "s1", Tool: args[0], Args: raw}
}

// stageCall is a Replay of such calls.
func stageCall(d *Draft, o plan.Operation) ([]Staged, error) {
	var a []string
	if err := json.Unmarshal(o.Args, &a); err != nil {
		return nil, err
	}
	var s Staged
	var err error
	switch a[0] {
	case "edit":
		s, err = d.Edit(a[1], a[2], a[3], false, o)
	case "write":
		s, err = d.Write(a[1], a[2], o)
	case "delete":
		s, err = d.Delete(a[1], o)
	case "rename":
		s, err = d.Rename(a[1], a[2], o)
	case "run":
		s, err = d.Command(a[1], "", o)
	default:
		err = errors.New("no such call")
	}
	return []Staged{s}, err
}

func mustStage(t *testing.T, d *Draft, calls ...plan.Operation) {
	t.Helper()
	for _, c := range calls {
		if _, err := stageCall(d, c); err != nil {
			t.Fatalf("%s: %v", c.Args, err)
		}
	}
}

// parkedThen parks a draft in its stored form, and restores it in w.
func parkedThen(t interface{ Fatal(...any) }, d *Draft, w Reader) (*Draft, []Lost) {
	raw, err := json.Marshal(d.Park())
	if err != nil {
		t.Fatal(err)
	}
	var p Parked
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	again, lost, err := Unpark(w, p, func(w Reader) (*Draft, error) { return New(w), nil }, stageCall)
	if err != nil {
		t.Fatal(err)
	}
	return again, lost
}

// A restored draft equals the parked one, for random operations.
func TestParkedDraftIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := files{"a": "one\ntwo\nthree\n", "b": "bee\nsee\n", "c": ""}
		d := New(w)
		names := []string{"a", "b", "c", "d"}
		words := []string{"one", "two\n", "three\n", "bee", "x", "y\n", ""}
		for range rapid.IntRange(0, 8).Draw(t, "calls") {
			name, other := rapid.SampledFrom(names).Draw(t, "name"), rapid.SampledFrom(names).Draw(t, "other")
			old, word := rapid.SampledFrom(words).Draw(t, "old"), rapid.SampledFrom(words).Draw(t, "new")
			c := rapid.SampledFrom([]plan.Operation{
				callOf("edit", name, old, word), callOf("write", name, word+"!\n"), callOf("delete", name), callOf("rename", name, other), callOf("run", "go "+name),
			}).Draw(t, "call")
			_, _ = stageCall(d, c) // an impossible one is not staged
		}
		again, lost := parkedThen(t, d, w)
		if len(lost) > 0 {
			t.Fatalf("lost %+v", lost)
		}
		want, err := d.Seal(w.live)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Seal(w.live)
		if err != nil {
			t.Fatal(err)
		}
		want.Name(0)
		got.Name(0)
		if diff := cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What the user types meanwhile stays, and staged edits move with their lines, even to a
// text that by then occurs several times.
func TestParkedDraftFollowsTheText(t *testing.T) {
	d := New(files{"a": "one\ntwo\nthree\n"})
	mustStage(t, d, callOf("edit", "a", "two", "2"))
	now := files{"a": "two\none\ntwo\nthree\n"}
	again, lost := parkedThen(t, d, now)
	if text, _, _ := again.Read("a"); len(lost) > 0 || text != "two\none\n2\nthree\n" {
		t.Errorf("%q, lost %+v", text, lost)
	}
	if _, err := stageCall(again, callOf("edit", "a", "three", "3")); err != nil {
		t.Error(err)
	}
	sealed, err := again.Seal(now.live)
	if err != nil || len(sealed.Changes) != 1 || sealed.Texts[sealed.Changes[0].Proposed] != "two\none\n2\n3\n" || len(sealed.Notes) > 0 {
		t.Errorf("%+v, %v", sealed, err)
	}
}

// A change whose own lines were touched stays as staged, and is stale.
func TestParkedDraftWhoseLinesWereChanged(t *testing.T) {
	d := New(files{"a": "one\ntwo\n", "b": "bee\n"})
	mustStage(t, d, callOf("edit", "a", "two", "2"), callOf("edit", "b", "bee", "B"))
	now := files{"a": "one\nTWO\n", "b": "above\nbee\n"}
	again, lost := parkedThen(t, d, now)
	sealed, err := again.Seal(now.live)
	if err != nil || len(lost) > 0 || len(sealed.Changes) != 2 {
		t.Fatalf("%+v, %v, lost %+v", sealed, err, lost)
	}
	if base := sealed.Texts[sealed.Changes[0].Base]; base != "one\ntwo\n" || !slices.ContainsFunc(sealed.Notes, func(n string) bool { return strings.Contains(n, "stale") }) {
		t.Errorf("base %q, notes %q", base, sealed.Notes)
	}
	if text := sealed.Texts[sealed.Changes[1].Proposed]; text != "above\nB\n" {
		t.Errorf("b is %q", text)
	}
}

// A file that was only read is read again, and a missing one is reported when the draft is
// sealed.
func TestParkedDraftLooksAgain(t *testing.T) {
	d := New(files{"a": "one\n", "b": "bee\n"})
	if _, _, err := d.Read("b"); err != nil {
		t.Fatal(err)
	}
	mustStage(t, d, callOf("edit", "a", "one", "1"))
	if n := len(d.Park().Files); n != 1 {
		t.Errorf("%d files are parked", n)
	}
	again, _ := parkedThen(t, d, files{"b": "B\n"})
	if text, _, _ := again.Read("b"); text != "B\n" {
		t.Errorf("b is %q", text)
	}
	sealed, err := again.Seal(files{"b": "B\n"}.live)
	if err != nil || len(sealed.Notes) != 1 || !strings.Contains(sealed.Notes[0], "was deleted") {
		t.Errorf("%q, %v", sealed.Notes, err)
	}
}

// Operations that cannot be staged again are reported, and the others stay.
func TestParkedDraftThatCannotBeWhole(t *testing.T) {
	w := files{"a": "one\ntwo\n"}
	d := New(w)
	mustStage(t, d, callOf("edit", "a", "one", "1"), callOf("edit", "a", "two", "2"))
	p := d.Park()
	p.Operations[0].Tool, p.Operations[0].Args = "gone", json.RawMessage(`["gone"]`)
	again, lost, err := Unpark(w, p, func(w Reader) (*Draft, error) { return New(w), nil }, stageCall)
	if err != nil || len(lost) != 1 || lost[0].Operation.Tool != "gone" {
		t.Fatalf("lost %+v, %v", lost, err)
	}
	if text, _, _ := again.Read("a"); text != "one\n2\n" || len(again.News()) != 1 {
		t.Errorf("%q with %d operations", text, len(again.News()))
	}
}
