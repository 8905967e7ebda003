package draft_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// memory is a workspace of texts by path.
type memory map[string]string

func (m memory) Read(path string) (workspace.File, error) {
	text, ok := m[path]
	if !ok {
		return workspace.File{Path: path}, nil
	}
	text, bom := edits.CutBOM(text)
	return workspace.File{Path: path, Exists: true, Text: text, BOM: bom, Mode: modeOf(path)}, nil
}

func (m memory) live(path string) (string, bool, uint32, error) {
	text, ok := m[path]
	if !ok {
		return "", false, 0, nil
	}
	text, _ = edits.CutBOM(text)
	return text, true, uint32(modeOf(path)), nil
}

func modeOf(path string) fs.FileMode {
	if strings.HasSuffix(path, ".sh") {
		return 0o755
	}
	return 0o644
}

func op(tool string) plan.Operation {
	return plan.Operation{Tool: tool, Args: []byte(`{}`)}
}

// do carries out one operation, written "verb path …".
func do(t *testing.T, d *draft.Draft, line string) error {
	t.Helper()
	_, err := stage(t, d, line)
	return err
}

// stage is do that also returns the result of the operation.
func stage(t *testing.T, d *draft.Draft, line string) (draft.Staged, error) {
	t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	args := strings.Split(rest, "|")
	switch verb {
	case "edit":
		return d.Edit(args[0], args[1], args[2], false, op("edit_file"))
	case "write":
		return d.Write(args[0], args[1], op("write_file"))
	case "delete":
		return d.Delete(args[0], op("delete_file"))
	case "rename":
		return d.Rename(args[0], args[1], op("rename_file"))
	case "run":
		return d.Command(args[0], "", op("run_command"))
	}
	t.Fatalf("no verb %q", verb)
	return draft.Staged{}, nil
}

func seal(t *testing.T, d *draft.Draft, live memory) draft.Sealed {
	t.Helper()
	s, err := d.Seal(live.live)
	if err != nil {
		t.Fatal(err)
	}
	s.Name(0)
	return s
}

// rows returns the changes, one line each.
func rows(s draft.Sealed) []string {
	var out []string
	for _, c := range s.Changes {
		path := c.Path
		if c.NewPath != "" {
			path += ">" + c.NewPath
		}
		out = append(out, fmt.Sprintf("%s %s %q>%q %o %s", c.Action, path, s.Texts[c.Base], s.Texts[c.Proposed], c.Mode, strings.Join(c.Operations, ",")))
	}
	return out
}

func TestSealCollapses(t *testing.T) {
	files := memory{"a": "one\ntwo\n", "b.sh": "b\n", "dir/c": "c\n"}
	for _, test := range []struct {
		name       string
		do         []string
		want       []string
		operations int
	}{
		{"nothing", nil, nil, 0},
		{"edit", []string{"edit a|one|ONE"}, []string{`update a "one\ntwo\n">"ONE\ntwo\n" 644 o1`}, 1},
		{"edit and back", []string{"edit a|one|ONE", "edit a|ONE|one"}, nil, 0},
		{"create, edit", []string{"write n|x\n", "edit n|x|y"}, []string{`create n "">"y\n" 0 o1,o2`}, 2},
		{"create by an edit", []string{"edit n||x\n"}, []string{`create n "">"x\n" 0 o1`}, 1},
		{"create empty", []string{"write n|"}, []string{`create n "">"" 0 o1`}, 1},
		{"create, delete", []string{"write n|x\n", "delete n"}, nil, 0},
		{"edit, delete", []string{"edit a|one|ONE", "delete a"}, []string{`delete a "one\ntwo\n">"" 644 o1`}, 1},
		{"delete, write", []string{"delete a", "write a|new\n"}, []string{`update a "one\ntwo\n">"new\n" 644 o1,o2`}, 2},
		{"delete, write the same", []string{"delete a", "write a|one\ntwo\n"}, nil, 0},
		{"rename", []string{"rename b.sh|x/b.sh"}, []string{`rename b.sh>x/b.sh "b\n">"b\n" 755 o1`}, 1},
		{"rename, edit", []string{"rename a|n", "edit n|one|ONE"}, []string{`rename a>n "one\ntwo\n">"ONE\ntwo\n" 644 o1,o2`}, 2},
		{"edit, rename", []string{"edit a|one|ONE", "rename a|n"}, []string{`rename a>n "one\ntwo\n">"ONE\ntwo\n" 644 o1,o2`}, 2},
		{"rename chain", []string{"rename a|n", "rename n|m", "edit m|two|2"}, []string{`rename a>m "one\ntwo\n">"one\n2\n" 644 o1,o2,o3`}, 3},
		{"rename back", []string{"rename a|n", "rename n|a"}, nil, 0},
		{"rename, delete", []string{"rename a|n", "delete n"}, []string{`delete a "one\ntwo\n">"" 644 o1,o2`}, 2},
		{"create, rename", []string{"write n|x\n", "rename n|m"}, []string{`create m "">"x\n" 0 o1,o2`}, 2},
		{"rename onto a deleted one", []string{"delete a", "rename b.sh|a"}, []string{
			`update a "one\ntwo\n">"b\n" 644 o1,o2`, `delete b.sh "b\n">"" 755 o2`}, 2},
		{"swap", []string{"rename a|t", "rename b.sh|a", "rename t|b.sh"}, []string{
			`update a "one\ntwo\n">"b\n" 644 o1,o2`, `update b.sh "b\n">"one\ntwo\n" 755 o1,o2,o3`}, 3},
		{"rename and use the path again", []string{"rename b.sh|n", "write b.sh|new\n"}, []string{
			`update b.sh "b\n">"new\n" 755 o1,o2`, `create n "">"b\n" 755 o1`}, 2},
		{"command", []string{"run go test", "write n|x\n", "delete n"}, nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := draft.New(files)
			for _, line := range test.do {
				if err := do(t, d, line); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
			s := seal(t, d, files)
			if diff := cmp.Diff(test.want, rows(s)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if len(s.Operations) != test.operations {
				t.Errorf("%d operations, want %d: %v", len(s.Operations), test.operations, s.Operations)
			}
			if n := len(d.Operations()); n != len(test.do) {
				t.Errorf("the draft has %d operations, want all %d", n, len(test.do))
			}
		})
	}
}

func TestRefused(t *testing.T) {
	files := memory{"a": "one\none\n", "dir/c": "c\n"}
	for _, test := range []struct {
		before []string
		do     string
		want   string // part of the refusal
	}{
		{nil, "edit a|none|x", "not found"},
		{nil, "edit a|one|x", "2 places"},
		{nil, "edit a|c|c", "same as"},
		{nil, "edit nope|x|y", "does not exist"},
		{nil, "edit nope||", "does not exist"},
		{nil, "edit a||x", "is empty"},
		{nil, "write a|one\none\n", "nothing to change"},
		{nil, "write n|a\x00b", "NUL"},
		{nil, "edit dir/c|c|\x00", "NUL"},
		{nil, "write n|" + strings.Repeat("x", 8<<20+1), "8388608 at most (limits.max_file)"},
		{nil, "delete nope", "does not exist"},
		{nil, "rename nope|x", "does not exist"},
		{nil, "rename a|dir/c", "exists already"},
		{nil, "rename a|a", "has that name already"},
		{nil, "rename a|a/b", "a is a file"},
		{nil, "run  ", "empty"},
		{[]string{"write n|x"}, "write n/m|y", "n is a file"},
		{[]string{"write n|x"}, "edit n/m||y", "n is a file"},
		{[]string{"write n/m|x"}, "write n|y", "is a folder"},
		{[]string{"write n/m|x"}, "rename a|n", "is a folder"},
		{[]string{"delete a"}, "edit a|one|x", "does not exist"},
		{[]string{"rename a|n"}, "edit a|one|x", "does not exist"},
		{[]string{"write n|x"}, "rename a|n", "exists already"},
	} {
		d := draft.New(files)
		for _, line := range test.before {
			if err := do(t, d, line); err != nil {
				t.Fatal(err)
			}
		}
		err := do(t, d, test.do)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40q: error %v, want one with %q", test.do, err, test.want)
		}
		if n := len(d.Operations()); n != len(test.before) {
			t.Errorf("%.40q: %d operations staged, want %d", test.do, n, len(test.before))
		}
	}
}

func TestTooLargeByReplaceAll(t *testing.T) {
	d := draft.New(memory{"a": strings.Repeat("x", 1<<20)})
	_, err := d.Edit("a", "x", strings.Repeat("y", 1<<20), true, op("edit_file"))
	if _, ok := errors.AsType[*draft.Refusal](err); !ok {
		t.Fatalf("error %v, want a refusal", err)
	}
}

func TestStaged(t *testing.T) {
	d := draft.New(memory{"a": "1\n2\n3\n4\n", "crlf": "1\r\n2\r\n"})
	for _, test := range []struct {
		stage func() (draft.Staged, error)
		want  draft.Staged
	}{
		{func() (draft.Staged, error) { return d.Edit("a", "2\n3", "two\nand\n3", false, op("")) },
			draft.Staged{Path: "a", Action: draft.Update, Step: "exact", Lines: [2]int{2, 3}, Added: 2, Removed: 1}},
		{func() (draft.Staged, error) { return d.Edit("a", "and\n", "", false, op("")) },
			draft.Staged{Path: "a", Action: draft.Update, Step: "exact", Lines: [2]int{3, 3}, Removed: 1}},
		{func() (draft.Staged, error) {
			return d.Splice("a", edits.Edit{Span: edits.Span{Start: 2, End: 2}, New: "x\n"}, op(""))
		}, draft.Staged{Path: "a", Action: draft.Update, Step: "line", Lines: [2]int{2, 2}, Added: 1}},
		{func() (draft.Staged, error) { return d.Write("n", "a\nb", op("")) },
			draft.Staged{Path: "n", Action: draft.Create, Lines: [2]int{1, 2}, Added: 2}},
		{func() (draft.Staged, error) { return d.Write("e", "", op("")) },
			draft.Staged{Path: "e", Action: draft.Create}},
		{func() (draft.Staged, error) { return d.Write("crlf", "1\n3\n", op("")) },
			draft.Staged{Path: "crlf", Action: draft.Update, Lines: [2]int{2, 2}, Added: 1, Removed: 1, Note: "The file keeps its own line ends."}},
		{func() (draft.Staged, error) { return d.Edit("crlf", "3", "3\n4", false, op("")) },
			draft.Staged{Path: "crlf", Action: draft.Update, Step: "exact", Lines: [2]int{3, 3}, Added: 1, Note: "Its line ends were made those of the lines around them."}},
		{func() (draft.Staged, error) { return d.Delete("n", op("")) },
			draft.Staged{Path: "n", Action: draft.Delete, Removed: 2}},
		{func() (draft.Staged, error) { return d.Rename("a", "z", op("")) },
			draft.Staged{Path: "a", NewPath: "z", Action: draft.Rename}},
	} {
		got, err := test.stage()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if text, _, _ := d.Read("crlf"); text != "1\r\n3\r\n4\r\n" {
		t.Errorf("crlf is %q", text)
	}
}

// TestPinned checks that the first look at a file decides what its base is.
func TestPinned(t *testing.T) {
	files := memory{"a": "one\n"}
	d := draft.New(files)
	if text, _, _ := d.Read("a"); text != "one\n" {
		t.Fatal(text)
	}
	files["a"] = "uno\n"
	if text, exists, _ := d.Read("a"); text != "one\n" || !exists {
		t.Errorf("read %q, want the pinned text", text)
	}
	if err := do(t, d, "edit a|one|two"); err != nil {
		t.Error(err)
	}
}

func TestSealWhileTheUserTypes(t *testing.T) {
	base := "1\n2\n3\n4\n5\n6\n7\n"
	for _, test := range []struct {
		name string
		live memory
		want []string
		note string
	}{
		{"elsewhere", memory{"a": "0\n1\n2\n3\n4\n5\n6\n7\n"}, []string{`update a "0\n1\n2\n3\n4\n5\n6\n7\n">"0\n1\ntwo\n3\n4\n5\nsix\n7\n" 644 o1,o2`}, "based on its new text"},
		{"same lines", memory{"a": "1\n2 typed\n3\n4\n5\n6\n7\n"}, []string{`update a "1\n2\n3\n4\n5\n6\n7\n">"1\ntwo\n3\n4\n5\nsix\n7\n" 644 o1,o2`}, "one change: it is shown as stale"},
		{"deleted", memory{}, []string{`update a "1\n2\n3\n4\n5\n6\n7\n">"1\ntwo\n3\n4\n5\nsix\n7\n" 644 o1,o2`}, "was deleted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := draft.New(memory{"a": base})
			for _, line := range []string{"edit a|2|two", "edit a|6|six"} {
				if err := do(t, d, line); err != nil {
					t.Fatal(err)
				}
			}
			s := seal(t, d, test.live)
			if diff := cmp.Diff(test.want, rows(s)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], test.note) {
				t.Errorf("notes %q, want one with %q", s.Notes, test.note)
			}
			for _, h := range s.Changes[0].Hunks {
				if h.Match != "exact" {
					t.Errorf("hunk %+v was not found exactly?", h)
				}
			}
		})
	}
}

// TestHunksOfCalls checks that the results of two calls on adjacent lines can be decided on
// separately, and that a call's own changes are compared as a whole.
func TestHunksOfCalls(t *testing.T) {
	base := "1\n2\n3\n4\n5\n"
	for _, test := range []struct {
		name string
		do   []string
		want []string
	}{
		{"two calls", []string{"edit a|2|two", "edit a|3|three"}, []string{"2\n>two\n", "3\n>three\n"}},
		{"one call", []string{"edit a|2\n3|two\nthree"}, []string{"2\n3\n>two\nthree\n"}},
		{"renamed in between", []string{"edit a|2|two", "rename a|b", "edit b|3|three"}, []string{"2\n>two\n", "3\n>three\n"}},
		{"a whole file", []string{"write a|1\ntwo\n3\nfour\n5\n", "edit a|3|three"}, []string{"2\n>two\n", "3\n>three\n", "4\n>four\n"}},
		{"a whole file at the end", []string{"edit a|2|two", "edit a|3|three", "write a|1\ntwo\nthree\nfour\n5\n"}, []string{"2\n3\n4\n>two\nthree\nfour\n"}},
		{"deleted and written", []string{"edit a|2|two", "delete a", "write a|1\ntwo\nthree\n4\n5\n", "edit a|4|four"}, []string{"2\n3\n4\n>two\nthree\nfour\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := memory{"a": base}
			d := draft.New(files)
			for _, line := range test.do {
				if err := do(t, d, line); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, hunkRows(seal(t, d, files), 0)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			live := memory{"a": "0\n" + base} // the user types
			if diff := cmp.Diff(test.want, hunkRows(seal(t, d, live), 0)); diff != "" {
				t.Errorf("rebased (-want +got):\n%s", diff)
			}
		})
	}
}

// hunkRows returns the old and the new lines of each hunk of a change.
func hunkRows(s draft.Sealed, i int) []string {
	c := s.Changes[i]
	var out []string
	for _, h := range c.Hunks {
		out = append(out, s.Texts[c.Base][h.Old.Start:h.Old.End]+">"+s.Texts[c.Proposed][h.New.Start:h.New.End])
	}
	return out
}

// TestMatch checks that each hunk says how its own place was found.
func TestMatch(t *testing.T) {
	files := memory{"a": "1\n2\n3\n4\n5\n6\n7\n8\n9\n"}
	d := draft.New(files)
	if err := do(t, d, "write a|one\n2\n3\n4\n5\n6\n7\n8\n9\n"); err != nil {
		t.Fatal(err)
	}
	if err := do(t, d, "edit a|6\n|six\n"); err != nil {
		t.Fatal(err)
	}
	at := len("one\n2\n3\n")
	if _, err := d.Splice("a", edits.Edit{Span: edits.Span{Start: at, End: at}, New: "3.5\n"}, op("")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range seal(t, d, files).Changes[0].Hunks {
		got = append(got, h.Match)
	}
	if diff := cmp.Diff([]string{"", "line", "exact"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSealFailsWithTheReader(t *testing.T) {
	d := draft.New(memory{"a": "one\n"})
	if err := do(t, d, "edit a|one|two"); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is on fire")
	if _, err := d.Seal(func(string) (string, bool, uint32, error) { return "", false, 0, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	s, err := d.Seal(func(string) (string, bool, uint32, error) {
		return "", false, 0, &workspace.Refusal{Path: "a", Reason: "is a binary file"}
	})
	if err != nil || len(s.Changes) != 1 || len(s.Notes) != 1 {
		t.Errorf("%v, %v: want the change with a note", s, err)
	}
}

// folding is a workspace on a disk that ignores case, where link.txt is a symbolic link.
type folding struct{ memory }

func (f folding) Read(path string) (workspace.File, error) {
	for name := range f.memory {
		if strings.EqualFold(name, path) {
			file, err := f.memory.Read(name)
			file.Path = path
			return file, err
		}
	}
	return f.memory.Read(path)
}

func (f folding) SameFile(a, b string) bool {
	_, there := f.memory[strings.ToLower(a)]
	return there && a != b && strings.EqualFold(a, b)
}

func (folding) IsLink(path string) bool { return path == "link.txt" }

// A rename that changes only the case of a name does not conflict with the file itself.
func TestRenamesToAnotherCase(t *testing.T) {
	files := folding{memory{"a.txt": "one\n", "b.txt": "b\n", "link.txt": "one\n"}}
	for _, test := range []struct {
		do   []string
		want []string
		err  string
	}{
		{[]string{"rename a.txt|A.txt"}, []string{`rename a.txt>A.txt "one\n">"one\n" 644 o1`}, ""},
		{[]string{"rename a.txt|A.txt", "edit A.txt|one|1"}, []string{`rename a.txt>A.txt "one\n">"1\n" 644 o1,o2`}, ""},
		{[]string{"edit a.txt|one|1", "rename a.txt|A.txt"}, []string{`rename a.txt>A.txt "one\n">"1\n" 644 o1,o2`}, ""},
		{[]string{"rename a.txt|A.txt", "rename A.txt|a.txt"}, nil, ""},
		{[]string{"rename a.txt|B.txt"}, nil, "exists already"},
		{[]string{"rename link.txt|c.txt"}, nil, "is a symbolic link"},
		{[]string{"delete link.txt"}, nil, "is a symbolic link"},
		{[]string{"edit link.txt|one|1", "delete link.txt"}, nil, "is a symbolic link"},
	} {
		t.Run(strings.Join(test.do, ", "), func(t *testing.T) {
			d := draft.New(files)
			var err error
			for _, line := range test.do {
				if err = do(t, d, line); err != nil {
					break
				}
			}
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("got %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, rows(seal(t, d, files.memory))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
