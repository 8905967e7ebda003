package draft_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/draft"
	"redline/edits"
	"redline/edits/patch"
)

// begin reads a patch given without its first and last line.
func begin(t *testing.T, lines string) []patch.File {
	t.Helper()
	files, err := patch.Parse("*** Begin Patch\n" + lines + "*** End Patch\n")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPatch checks the result of a patch of several files, and that it is one operation.
func TestPatch(t *testing.T) {
	d := draft.New(memory{"a": "1\n2\n", "b": "x\n", "gone": "g\n", "old": "p\nq\n"})
	staged, err := d.Patch(begin(t, `*** Update File: a
-1
+one
*** Add File: dir/new
+n
*** Delete File: gone
*** Update File: old
*** Move to: moved
@@
-q
+Q
*** Update File: b
*** Move to: c
`), op("apply_patch"))
	if err != nil {
		t.Fatal(err)
	}
	want := []draft.Staged{
		{Path: "a", Action: draft.Update, Step: "exact", Lines: [2]int{1, 1}, Added: 1, Removed: 1},
		{Path: "dir/new", Action: draft.Create, Lines: [2]int{1, 1}, Added: 1},
		{Path: "gone", Action: draft.Delete, Removed: 1},
		{Path: "old", NewPath: "moved", Action: draft.Rename, Step: "exact", Lines: [2]int{2, 2}, Added: 1, Removed: 1},
		{Path: "b", NewPath: "c", Action: draft.Rename},
	}
	if diff := cmp.Diff(want, staged); diff != "" {
		t.Errorf("staged (-want +got):\n%s", diff)
	}
	if got := d.Operations(); len(got) != 1 || got[0].Path != "" || got[0].Tool != "apply_patch" {
		t.Errorf("operations are %+v", got)
	}
	s, err := d.Seal(memory{"a": "1\n2\n", "b": "x\n", "gone": "g\n", "old": "p\nq\n"}.live)
	if err != nil {
		t.Fatal(err)
	}
	s.Name(0)
	var changes []string
	for _, c := range s.Changes {
		changes = append(changes, fmt.Sprintf("%s %s %s %s", c.Action, c.Path, c.NewPath, c.Operations))
	}
	if diff := cmp.Diff([]string{"update a  [o1]", "rename b c [o1]", "create dir/new  [o1]", "delete gone  [o1]", "rename old moved [o1]"}, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// TestPatchAtOnce checks patches whose parts could not be applied one after the other.
func TestPatchAtOnce(t *testing.T) {
	for _, test := range []struct {
		name, patch string
		want        memory
	}{
		{"swap", "*** Update File: x\n*** Move to: y\n*** Update File: y\n*** Move to: x\n", memory{"x": "2\n", "y": "1\n"}},
		{"chain", "*** Update File: x\n*** Move to: y\n*** Update File: y\n*** Move to: z\n", memory{"y": "1\n", "z": "2\n"}},
		{"make room", "*** Add File: x\n+new\n*** Update File: x\n*** Move to: z\n", memory{"x": "new\n", "y": "2\n", "z": "1\n"}},
		{"anew", "*** Add File: x\n+new\n*** Delete File: x\n", memory{"x": "new\n", "y": "2\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := draft.New(memory{"x": "1\n", "y": "2\n"})
			if _, err := d.Patch(begin(t, test.patch), op("apply_patch")); err != nil {
				t.Fatal(err)
			}
			got := memory{}
			for _, path := range []string{"x", "y", "z"} {
				if text, exists, err := d.Read(path); err != nil {
					t.Error(err)
				} else if exists {
					got[path] = text
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPatchAllOrNothing checks that a patch with any impossible part leaves the draft
// unchanged.
func TestPatchAllOrNothing(t *testing.T) {
	const good = "*** Update File: a\n-1\n+one\n*** Delete File: b\n*** Add File: n\n+n\n*** Update File: e\n*** Move to: f\n"
	for _, test := range []struct{ name, bad, want string }{
		{"not there", "*** Update File: nope\n-1\n+2\n", "nope does not exist"},
		{"delete, not there", "*** Delete File: nope\n", "nope does not exist"},
		{"no place", "*** Update File: c\n-1\n+2\n", "c, chunk 1 of 1: The text to replace was not found"},
		{"two places", "*** Update File: twice\n-1\n+2\n", "twice, chunk 1 of 1: The text to replace was found in 2 places"},
		{"exists", "*** Add File: c\n+c\n", "c exists already"},
		{"moved onto another", "*** Update File: c\n*** Move to: d\n", "d exists already"},
		{"a folder", "*** Update File: c\n*** Move to: c/d\n", "c/d cannot be created: c is a file"},
		{"inside a file", "*** Add File: n/m\n+m\n", " is a f"}, // a file or a folder: the first one is staged
		{"NUL", "*** Add File: m\n+\x00\n", "would hold a NUL byte"},
		{"contradiction", "*** Delete File: a\n", "a: Two parts of the patch contradict each other"},
		{"too large", "*** Add File: m\n+" + strings.Repeat("x", 1<<20) + "\n*** Update File: big\n-x\n+" + strings.Repeat("y", 6<<20) + "\n", "big would have 10485761 bytes, and a file may have 8388608 at most"},
	} {
		for _, whole := range []string{good + test.bad, test.bad + good} {
			d := draft.New(memory{"a": "1\n", "b": "2\n", "c": "3\n", "d": "4\n", "e": "5\n", "twice": "1\n1\n", "big": "x\n" + strings.Repeat("z\n", 2<<20)})
			if _, err := d.Edit("e", "5", "five", false, op("edit_file")); err != nil {
				t.Fatal(err)
			}
			staged, err := d.Patch(begin(t, whole), op("apply_patch"))
			if err == nil || !strings.Contains(err.Error(), test.want) || staged != nil {
				t.Errorf("%s: %v, %v, want %q", test.name, staged, err, test.want)
			}
			if n := len(d.Operations()); n != 1 {
				t.Errorf("%s: %d operations", test.name, n)
			}
			s, err := d.Seal(memory{"e": "5\n"}.live)
			if err != nil || len(s.Changes) != 1 || s.Changes[0].Path != "e" {
				t.Errorf("%s: the draft has come to %+v, %v", test.name, s.Changes, err)
			}
		}
	}
	var refusal *patch.Refusal
	_, err := draft.New(memory{"a": "1\n"}).Patch(begin(t, "*** Update File: a\n-2\n+3\n"), op("apply_patch"))
	if !errors.As(err, &refusal) || refusal.Path != "a" || refusal.Chunk != 1 {
		t.Errorf("the refusal is %#v", err)
	}
}

// TestPatchMode checks that the change has the mode that a patch names for a new file, even
// when the file is edited, moved and resumed.
func TestPatchMode(t *testing.T) {
	d := draft.New(memory{})
	files := []patch.File{{Path: "run", Kind: edits.Create, Text: "echo 1\n", Mode: 0o755}}
	if _, err := d.Patch(files, op("apply_patch")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"edit run|1|2", "rename run|go"} {
		if err := do(t, d, line); err != nil {
			t.Fatal(err)
		}
	}
	s, err := d.Seal(memory{}.live)
	if err != nil || len(s.Changes) != 1 || s.Changes[0].Path != "go" || s.Changes[0].Mode != 0o755 {
		t.Errorf("%+v, %v", s.Changes, err)
	}
}

// TestPatchPath checks when the operation of a patch has a path.
func TestPatchPath(t *testing.T) {
	d := draft.New(memory{"a": "1\n2\n"})
	if _, err := d.Patch(begin(t, "*** Update File: a\n-1\n+one\n*** Update File: a\n-2\n+two\n"), op("apply_patch")); err != nil {
		t.Fatal(err)
	}
	if got := d.Operations()[0].Path; got != "a" {
		t.Errorf("the path is %q", got)
	}
	if text, _, _ := d.Read("a"); text != "one\ntwo\n" {
		t.Errorf("a is %q", text)
	}
}

// TestNumbersOfChangedText checks that line numbers distinguish equal places only in a file
// that no operation of the turn has touched.
func TestNumbersOfChangedText(t *testing.T) {
	files := memory{"a": "x\nrow\nrow\nend\n", "b": "x\nrow\nrow\nend\n"}
	third := func(path string) []patch.File {
		files, err := patch.Parse(fmt.Sprintf("--- a/%s\n+++ b/%[1]s\n@@ -3 +3 @@\n-row\n+ROW\n", path))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	const want = "found in 2 places"
	d := draft.New(files)
	if err := do(t, d, "edit a|x|x\ny"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Patch(third("a"), op("apply_patch")); err == nil || !strings.Contains(err.Error(), want+", on lines 3 and 4") {
		t.Errorf("a: %v", err)
	}
	if _, err := d.Patch(third("b"), op("apply_patch")); err != nil {
		t.Errorf("b: %v", err)
	}
	if text, _, _ := d.Read("b"); text != "x\nrow\nROW\nend\n" {
		t.Errorf("b is %q", text)
	}
	if err := do(t, d, "rename b|c"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Patch(third("c"), op("apply_patch")); err != nil { // but only one such line is left
		t.Errorf("c: %v", err)
	}
	// In a new turn the model sees the text of the revision.
	p, text := planOf(t, d, files)
	if d, err := draft.Resume(files, p, text); err != nil {
		t.Error(err)
	} else if _, err = d.Patch(third("a"), op("apply_patch")); err != nil {
		t.Errorf("resumed: %v", err)
	} else if text, _, _ := d.Read("a"); text != "x\ny\nROW\nrow\nend\n" {
		t.Errorf("resumed, a is %q", text)
	}
}

// TestPatchNames checks that a patch removes files from their paths only as other calls do:
// a link stays, and a rename may change only the case of a name.
func TestPatchNames(t *testing.T) {
	files := folding{memory{"a.txt": "one\n", "link.txt": "one\n"}}
	const move = "*** Update File: a.txt\n*** Move to: A.txt\n"
	for _, test := range []struct{ patch, want string }{
		{move, ""},
		{"*** Delete File: link.txt\n", "is a symbolic link"},
		{"*** Update File: link.txt\n*** Move to: c.txt\n", "is a symbolic link"},
		{"*** Update File: link.txt\n-one\n+two\n", ""},
		{move + "*** Add File: link.txt\n+x\n", "exists already"},
	} {
		d := draft.New(files)
		_, err := d.Patch(begin(t, test.patch), op("apply_patch"))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.patch, err, test.want)
		}
		if err == nil {
			continue
		}
		// Nothing of it is left behind.
		if _, exists, err := d.Read("A.txt"); !exists || err != nil {
			t.Errorf("%s: A.txt: %v, %v", test.patch, exists, err)
		}
	}
}
