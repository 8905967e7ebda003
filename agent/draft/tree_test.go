package draft_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/draft"
	"redline/agent/plan"
)

// tree is the simplest possible file system, the model for a draft.
type tree map[string]string

func (t tree) isDir(path string) bool {
	for p := range t {
		if strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return false
}

// free reports whether a file can be put at path.
func (t tree) free(path string) bool {
	for i, c := range path {
		if _, ok := t[path[:i]]; c == '/' && ok {
			return false
		}
	}
	return !t.isDir(path)
}

func (t tree) act(verb, path, other, text string) (ok bool) {
	was, exists := t[path]
	switch verb {
	case "edit":
		if ok = exists && strings.Count(was, "l1\n") == 1; ok {
			t[path] = strings.Replace(was, "l1\n", text, 1)
		}
	case "write":
		if ok = t.free(path) && !(exists && was == text); ok {
			t[path] = text
		}
	case "delete":
		ok = exists
		delete(t, path)
	case "rename":
		_, taken := t[other]
		if ok = exists && !taken && t.free(other) && !strings.HasPrefix(other, path+"/"); ok {
			delete(t, path)
			t[other] = was
		}
	}
	return ok
}

// carryOut applies the changes to base, each by itself.
func carryOut(t *rapid.T, base memory, s draft.Sealed) tree {
	out := tree(maps.Clone(base))
	seen := map[string]bool{}
	for _, c := range s.Changes {
		for _, path := range []string{c.Path, c.NewPath} {
			if path != "" && seen[path] {
				t.Fatalf("%s is in two changes", path)
			}
			seen[path] = true
		}
		was, exists := base[c.Path]
		if exists != c.BaseExists || s.Texts[c.Base] != was || plan.BlobOf(was) != c.Base {
			t.Fatalf("%s: the base is not what the workspace has", c.Path)
		}
		text, _ := plan.Reference(was, s.Texts[c.Proposed], c.Hunks, func(string) bool { return true })
		if text != s.Texts[c.Proposed] {
			t.Fatalf("%s: the hunks lead to %q, not to %q", c.Path, text, s.Texts[c.Proposed])
		}
		delete(out, c.Path)
		switch c.Action {
		case plan.Rename:
			out[c.NewPath] = text
		case plan.Create, plan.Update:
			out[c.Path] = text
		}
	}
	return out
}

var (
	names  = []string{"a", "b", "c", "d/e", "d/f", "g"}
	bodies = []string{"", "l1\n", "l1\nl2\nl3\n", "l2\nl1\nl1\n", "l2", "x\nl1\ny"}
)

func drawFiles(t *rapid.T) memory {
	files := memory{}
	for _, name := range []string{"a", "b", "d/e"} {
		if rapid.Bool().Draw(t, "has "+name) {
			files[name] = rapid.SampledFrom(bodies).Draw(t, name)
		}
	}
	return files
}

// act applies random operations to the draft and to the tree.
func act(t *rapid.T, d *draft.Draft, want tree) (done int) {
	for i := range rapid.IntRange(0, 12).Draw(t, "operations") {
		verb := rapid.SampledFrom([]string{"edit", "edit", "write", "delete", "rename", "rename"}).Draw(t, "verb")
		path := rapid.SampledFrom(names).Draw(t, "path")
		other := rapid.SampledFrom(names).Draw(t, "other")
		text := fmt.Sprintf("%s%d\n", rapid.SampledFrom([]string{"l1\n", "n\n", ""}).Draw(t, "text"), i)
		var err error
		switch verb {
		case "edit":
			_, err = d.Edit(path, "l1\n", text, false, op("edit_file"))
		case "write":
			_, err = d.Write(path, text, op("write_file"))
		case "delete":
			_, err = d.Delete(path, op("delete_file"))
		case "rename":
			_, err = d.Rename(path, other, op("rename_file"))
		}
		ok := want.act(verb, path, other, text)
		if ok != (err == nil) {
			t.Fatalf("%s %s %s %q: error %v, want ok %v", verb, path, other, text, err, ok)
		}
		if ok {
			done++
		}
	}
	return done
}

func sameTree(t *rapid.T, what string, want, got tree) {
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// TestDraftIsAFileSystem checks that the draft reads like a file system with the staged
// operations applied, and that its changes lead from the workspace to exactly that.
func TestDraftIsAFileSystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := drawFiles(t)
		d, want := draft.New(files), tree(maps.Clone(files))
		done := act(t, d, want)
		if n := len(d.Operations()); n != done {
			t.Fatalf("%d operations, want %d", n, done)
		}
		got := tree{}
		for _, name := range names {
			if text, exists, err := d.Read(name); err != nil {
				t.Fatal(err)
			} else if exists {
				got[name] = text
			}
		}
		sameTree(t, "read", want, got)
		over := tree(maps.Clone(files))
		for path, o := range d.Overlay() {
			delete(over, path)
			if !o.Deleted {
				over[path] = o.Text
			}
		}
		sameTree(t, "overlay", want, over)
		s, err := d.Seal(files.live)
		if err != nil {
			t.Fatal(err)
		}
		s.Name(0)
		sameTree(t, "sealed", want, carryOut(t, files, s))
		checkNamed(t, s)
	})
}

// checkNamed checks that each operation belongs to a change and each change to an
// operation.
func checkNamed(t *rapid.T, s draft.Sealed) {
	used := map[string]bool{}
	for _, c := range s.Changes {
		if len(c.Operations) == 0 {
			t.Fatalf("no operation made the change of %s", c.Path)
		}
		for _, id := range c.Operations {
			used[id] = true
		}
	}
	for _, o := range s.Operations {
		if !used[o.ID] {
			t.Fatalf("operation %s of %s made no change", o.ID, o.Path)
		}
	}
}

// TestResumeIsAFileSystem checks the same for a draft that begins with an earlier revision
// without decisions.
func TestResumeIsAFileSystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := drawFiles(t)
		first, want := draft.New(files), tree(maps.Clone(files))
		act(t, first, want)
		p, texts := planOf(t, first, files)
		before := p.Latest()

		d, err := draft.Resume(files, p, texts)
		if err != nil {
			t.Fatal(err)
		}
		again := next(t, p, d, files)
		if diff := cmp.Diff(before.Changes, again.Changes); diff != "" {
			t.Fatalf("an untouched rework changes the plan (-was +is):\n%s", diff)
		}
		if diff := cmp.Diff(before.Operations, again.Operations); diff != "" {
			t.Fatalf("an untouched rework changes the operations (-was +is):\n%s", diff)
		}

		act(t, d, want)
		s, err := d.Seal(files.live)
		if err != nil {
			t.Fatal(err)
		}
		s.Name(p.NextOperation)
		sameTree(t, "sealed", want, carryOut(t, files, s))
		checkNamed(t, s)
	})
}

type failer interface {
	Helper()
	Fatal(...any)
}

var kept = map[plan.Blob]string{}

// planOf returns a plan made from a draft.
func planOf(t failer, d *draft.Draft, live memory) (*plan.Plan, func(plan.Blob) (string, error)) {
	p := &plan.Plan{Number: 1}
	next(t, p, d, live)
	return p, func(b plan.Blob) (string, error) { return kept[b], nil }
}

// next makes the plan's next revision from a draft.
func next(t failer, p *plan.Plan, d *draft.Draft, live memory) *plan.Revision {
	t.Helper()
	s, err := d.Seal(live.live)
	if err != nil {
		t.Fatal(err)
	}
	p.NextOperation = s.Name(p.NextOperation)
	maps.Copy(kept, s.Texts)
	return p.Add(plan.Revision{Operations: s.Operations, Changes: s.Changes}, func(b plan.Blob) string { return kept[b] })
}
