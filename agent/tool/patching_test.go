package tool_test

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
	"redline/agent/tool"
	_ "redline/internal/seed"
)

// patchArgs returns the arguments of a patch given without its first and last line.
func patchArgs(t testing.TB, lines string) string {
	t.Helper()
	args, err := json.Marshal(map[string]string{"patch": "*** Begin Patch\n" + lines + "*** End Patch\n"})
	if err != nil {
		t.Fatal(err)
	}
	return string(args)
}

// The refused files of a patch are named to the model and recorded for the plan until
// something is staged for them. What is in the draft already does not count as refused.
func TestRefusedInPart(t *testing.T) {
	const bad = "*** Update File: dir/b.txt\n-nope\n+x\n"
	good := patchArgs(t, "*** Update File: a.go\n-type T struct{}\n+type U struct{}\n"+bad+"*** Add File: n.txt\n+n\n")
	b := newBench(t, files)
	r := b.call(t, "apply_patch", good)
	if r.IsError || len(r.Staged) != 2 || r.Refused != 1 {
		t.Errorf("staged %v, refused %d, error %v", r.Staged, r.Refused, r.IsError)
	}
	want := []plan.Refused{{Path: "dir/b.txt", Reason: "chunk 1 of 1: The text to replace was not found, and nothing in the file is much like it.", Tool: "apply_patch"}}
	if diff := cmp.Diff(want, b.env.Draft.Refused(true)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}

	// The same patch again: the part that is already staged is refused, but not recorded.
	if r := b.call(t, "apply_patch", good); !r.IsError || len(b.env.Draft.Operations()) != 1 {
		t.Errorf("once more: %s", r.Text)
	}
	if diff := cmp.Diff(want, b.env.Draft.Refused(true)); diff != "" {
		t.Errorf("refused once more (-want +got):\n%s", diff)
	}
	if r := b.call(t, "edit_file", `{"path":"dir/b.txt","old_string":"beta","new_string":"x"}`); r.IsError {
		t.Fatal(r.Text)
	}
	if left := b.env.Draft.Refused(true); left != nil {
		t.Errorf("mended, and still refused: %v", left)
	}

	// A path that is refused as such is recorded under the name in the patch, and nothing
	// more.
	b.call(t, "apply_patch", patchArgs(t, "*** Add File: ../x\n+x\n*** Add File: m.txt\n+m\n"))
	if left := b.env.Draft.Refused(true); len(left) != 1 || left[0].Path != "../x" {
		t.Errorf("refused: %v", left)
	}
}

// A very long name that is no path is shortened, so that the plan can be exported and
// imported.
func TestLongNamesOfRefusedFiles(t *testing.T) {
	b := newBench(t, files)
	b.call(t, "apply_patch", patchArgs(t, "*** Add File: ../"+strings.Repeat("x", 1<<20)+"\n+x\n*** Add File: m.txt\n+m\n"))
	left := b.env.Draft.Refused(true)
	if len(left) != 1 || len(left[0].Path) > 4<<10 || len(left[0].String()) > 1<<10 || !strings.HasPrefix(left[0].Path, "../xxx") {
		t.Errorf("refused: %.3000v", left)
	}
}

// A file that does not change is passed over, even if two parts of the patch contradict
// each other on another file.
func TestANoteBesideAContradiction(t *testing.T) {
	b := newBench(t, files)
	r := b.call(t, "apply_patch", patchArgs(t, "*** Update File: a.go\n type T struct{}\n"+
		"*** Add File: m.txt\n+m\n"+
		"*** Update File: dir/b.txt\n-beta\n+x\n*** Delete File: dir/b.txt\n"))
	left := b.env.Draft.Refused(true)
	if r.IsError || len(r.Staged) != 1 || r.Refused != 1 || len(left) != 1 || left[0].Path != "dir/b.txt" {
		t.Errorf("refused %v: %s", left, r.Text)
	}
}

// A recorded operation names the files that were staged, in all their spellings.
func TestOperationHoldsWhatWasTaken(t *testing.T) {
	b := newBench(t, files)
	r := b.call(t, "apply_patch", patchArgs(t, "*** Update File: dir/b.txt\n-beta\n+BETA\n*** Update File: a.go\n-nope\n+x\n*** Update File: ./dir/b.txt\n@@\n beta\n-alpha\n+last\n*** Add File: n.txt\n+n\n"))
	o := b.env.Draft.Operations()
	if len(o) != 1 || r.Refused == 0 {
		t.Fatalf("operations %v, %s", o, r.Text)
	}
	again := newBench(t, files)
	again.env.Again = true
	if s := again.call(t, "apply_patch", string(o[0].Args)); s.IsError {
		t.Fatal(s.Text)
	}
	for _, path := range []string{"dir/b.txt", "a.go", "n.txt"} {
		was, _, err1 := b.env.Draft.Read(path)
		is, _, err2 := again.env.Draft.Read(path)
		if was != is || err1 != nil || err2 != nil {
			t.Errorf("%s is %q, staged again %q", path, was, is)
		}
	}
	if left := again.env.Draft.Refused(true); left != nil {
		t.Errorf("staged again, refused: %v", left)
	}

	// When it is staged again, a patch is all or nothing, and no refusals are recorded.
	strict := newBench(t, map[string]string{"dir/b.txt": "other\n"})
	strict.env.Again = true
	if s := strict.call(t, "apply_patch", string(o[0].Args)); !s.IsError || len(strict.env.Draft.Operations()) > 0 || strict.env.Draft.Refused(true) != nil {
		t.Errorf("%s, refused %v", s.Text, strict.env.Draft.Refused(true))
	}
	for _, only := range []string{`[]`, `["other"]`} {
		bad := strings.Replace(string(o[0].Args), `"only":[`, `"only":`+only+`,"x":[`, 1)
		if s := newBench(t, files).call(t, "apply_patch", bad); !s.IsError {
			t.Errorf("only %s: %s", only, s.Text)
		}
	}
}

// partOfPatch draws a change of a file that depends on no other file.
func partOfPatch(t *rapid.T, i int) string {
	path := fmt.Sprintf("f%d.txt", i)
	update := "*** Update File: " + path + "\n"
	return rapid.SampledFrom([]string{
		"", "", // not in the patch
		update + "-one\n+1\n",
		update + "@@\n-one\n+1\n@@\n-three\n+3\n",
		update + "@@\n-one\n+1\n@@\n-nope\n+3\n",
		update + "-nope\n+1\n",
		update + "-two\n+2\n", // in two places
		update + "*** Move to: moved/" + path + "\n",
		update + "*** Move to: moved/" + path + "\n-three\n+3\n",
		update + "*** Move to: moved/" + path + "\n-nope\n+3\n",
		"*** Add File: " + path + "\n+there\n",
		"*** Add File: new/" + path + "\n+new\n",
		"*** Add File: ../" + path + "\n+new\n",
		"*** Delete File: " + path + "\n",
		"*** Delete File: none/" + path + "\n",
		"*** Delete File: " + path + "\n*** Delete File: " + path + "\n",
	}).Draw(t, path)
}

// Staging a patch of independent files equals staging each of them alone; staging its
// recorded operation again gives the same result.
func TestPatchIsItsFiles(t *testing.T) {
	texts := map[string]string{}
	for i := range 6 {
		texts[fmt.Sprintf("f%d.txt", i)] = "one\ntwo\nmid\ntwo\nthree\n"
	}
	b := newBench(t, texts)
	type outcome struct {
		Files   map[string]string
		Refused []plan.Refused
	}
	outcomeOf := func(d *draft.Draft) outcome {
		o := outcome{map[string]string{}, d.Refused(true)}
		for _, dir := range []string{"", "new/", "moved/"} {
			for name := range texts {
				if text, exists, err := d.Read(dir + name); err == nil && exists {
					o.Files[dir+name] = text
				}
			}
		}
		slices.SortFunc(o.Refused, func(a, b plan.Refused) int { return strings.Compare(a.Path, b.Path) })
		return o
	}
	fresh := func(again bool) *tool.Env {
		return &tool.Env{Draft: draft.New(b.ws), Workspace: b.ws, Again: again}
	}
	run := func(env *tool.Env, args string) tool.Result {
		found, _ := tool.Find(tool.All(), "apply_patch")
		return found.Run(t.Context(), env, json.RawMessage(args))
	}
	rapid.Check(t, func(rt *rapid.T) {
		var parts []string
		for i := range len(texts) {
			if p := partOfPatch(rt, i); p != "" {
				parts = append(parts, p)
			}
		}
		if len(parts) == 0 {
			return
		}
		parts = rapid.Permutation(parts).Draw(rt, "order")
		whole, alone := fresh(false), fresh(false)
		r := run(whole, patchArgs(t, strings.Join(parts, "")))
		for _, p := range parts {
			run(alone, patchArgs(t, p))
		}
		want := outcomeOf(alone.Draft)
		if diff := cmp.Diff(want, outcomeOf(whole.Draft)); diff != "" {
			rt.Fatalf("a patch of %q: alone (-), together (+)\n%s\n%s", parts, diff, r.Text)
		}
		if r.IsError != (len(whole.Draft.Operations()) == 0) || r.Refused != len(want.Refused) {
			rt.Fatalf("error %v, refused %d of %v", r.IsError, r.Refused, want.Refused)
		}
		for _, f := range want.Refused {
			if !strings.Contains(r.Text, f.Path) {
				rt.Fatalf("the model is not told of %s:\n%s", f.Path, r.Text)
			}
		}
		if len(whole.Draft.Operations()) == 0 {
			return
		}
		again := fresh(true)
		o := whole.Draft.Operations()
		if s := run(again, string(o[0].Args)); s.IsError || len(o) != 1 {
			rt.Fatalf("%d operations; staged again: %s", len(o), s.Text)
		}
		want.Refused = nil
		if diff := cmp.Diff(want, outcomeOf(again.Draft)); diff != "" {
			rt.Fatalf("staged again (+)\n%s", diff)
		}
		if args := again.Draft.Operations()[0].Args; string(args) != string(o[0].Args) {
			rt.Fatalf("recorded as\n%s\nthen as\n%s", o[0].Args, args)
		}
	})
}

// A patch names a file by a path that does not exist: it no longer counts as refused once
// the meant file is changed. A change of another file does not count, nor one made
// earlier.
func TestRefusedUnderAnotherPath(t *testing.T) {
	mend := func(path string) string {
		return `{"path":"` + path + `","old_string":"beta","new_string":"x"}`
	}
	for name, c := range map[string]struct {
		named, before, mends string
		left                 bool
	}{
		"another folder":            {named: "src/b.txt", mends: "dir/b.txt"},
		"a folder too few":          {named: "b.txt", mends: "dir/b.txt"},
		"absolute":                  {named: "/home/me/shop/dir/b.txt", mends: "dir/b.txt"},
		"below the workspace":       {named: "../shop/dir/b.txt", mends: "dir/b.txt"},
		"a file of another name":    {named: "src/c.txt", mends: "dir/b.txt", left: true},
		"another file, by its path": {named: "/home/me/c.txt", mends: "dir/b.txt", left: true},
		"changed before":            {named: "src/b.txt", before: "dir/b.txt", mends: "dir/b.txt", left: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, files)
			if c.before != "" {
				if r := b.call(t, "edit_file", `{"path":"`+c.before+`","old_string":"alpha\nbeta\n","new_string":"y\nbeta\n"}`); r.IsError {
					t.Fatal(r.Text)
				}
			}
			b.call(t, "apply_patch", patchArgs(t, "*** Update File: a.go\n-type T struct{}\n+type U struct{}\n*** Update File: "+c.named+"\n-beta\n+x\n"))
			if left := b.env.Draft.Refused(true); len(left) != 1 {
				t.Fatalf("refused: %v", left)
			}
			if r := b.call(t, "edit_file", mend(c.mends)); r.IsError {
				t.Fatal(r.Text)
			}
			if left := b.env.Draft.Refused(true); (len(left) > 0) != c.left {
				t.Errorf("still refused: %v", left)
			}
		})
	}
}

// A file's patch is refused because one chunk did not fit: each of its chunks counts as missing
// until it is made, to the letter or nearly so.
func TestRefusedChunks(t *testing.T) {
	edit := func(old, new string) string {
		return `{"path":"f.txt","old_string":"` + old + `","new_string":"` + new + `"}`
	}
	for name, c := range map[string]struct {
		edits []string
		left  string // in the reason
	}{
		"only the one that did not fit": {[]string{edit("three", "3")}, `the change of "one"`},
		"both":                          {[]string{edit("three", "3"), edit("one", "1")}, ""},
		"both, the other way around":    {[]string{edit("one", "1"), edit("three", "3")}, ""},
		"another way":                   {[]string{edit(`one\ntwo\nthree`, "1, 2, 3")}, ""},
		"only the one that fits":        {[]string{edit("one", "1")}, `the change of "threee"`},
		"another place":                 {[]string{edit("two", "2")}, "chunk 2 of 2"},
		"refused once more":             {[]string{edit("three", "3"), "", edit("one", "1")}, ""},
		"refused once more, then made":  {[]string{"", edit("three", "3"), edit("one", "1")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f.txt": "one\ntwo\nthree\n", "g.txt": "g\n"})
			b.call(t, "apply_patch", patchArgs(t, "*** Update File: g.txt\n-g\n+h\n*** Update File: f.txt\n@@\n-one\n+1\n@@\n-threee\n+3\n"))
			for _, args := range c.edits {
				if args == "" {
					b.call(t, "apply_patch", patchArgs(t, "*** Update File: f.txt\n@@\n-one\n+1\n@@\n-threee\n+3\n"))
				} else if r := b.call(t, "edit_file", args); r.IsError {
					t.Fatal(r.Text)
				}
			}
			left := b.env.Draft.Refused(true)
			if (len(left) > 0) != (c.left != "") || len(left) > 0 && !strings.Contains(left[0].Reason, c.left) {
				t.Errorf("still refused: %v", left)
			}
		})
	}
}
