package board_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
)

// wantNow checks the current statuses of the first file and its hunks.
func (s *session) wantNow(file string, hunks ...string) {
	s.t.Helper()
	f := s.PlanNow(1).Files[0]
	got := []string{f.Status}
	for _, h := range f.Hunks {
		got = append(got, h.Status)
	}
	if want := strings.Join(append([]string{file}, hunks...), " "); strings.Join(got, " ") != want {
		s.t.Errorf("the file and its hunks are %s, want %s", strings.Join(got, " "), want)
	}
}

func TestAHunkThatTheUserMadeCountsAsApplied(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.Open("shop.go")
	p := s.PlanRename()
	s.Replace("shop.go", "func Total(", "func Ad(")
	s.wantNow("stale", "stale", "pending")
	s.Replace("shop.go", "func Ad(", "func Add(")
	s.wantNow("pending", "applied", "pending")
	s.TypeAt("shop.go", "func Add(", "// Add adds.\n")
	s.wantNow("pending", "applied", "pending")
	s.Replace("shop.go", "func Add(", "func Total(")
	s.wantNow("pending", "pending", "pending")
	s.Replace("shop.go", "func Total(", "func Add(")

	_, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.WantRefused(err, plan.WrongState)
	s.Editor.OnApply = s.InBuffer
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("state %s, want completed", r.State)
	}
	if asked := s.Editor.Asked(); len(asked) != 1 || len(asked[0].Edits) != 1 {
		t.Errorf("the editor was asked for %+v, want the one hunk that was left", asked)
	}
	s.WantHunks(1, "applied", "applied")
	want := replaceAll(shop, "func Total(", "// Add adds.\nfunc Add(", "return Total(1, 2)", "return Add(1, 2)")
	if b, _ := s.Workspace.Buffer("shop.go"); b.Lines.Text() != want {
		t.Errorf("the buffer has\n%s", b.Lines.Text())
	}
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	if b, _ := s.Workspace.Buffer("shop.go"); b.Lines.Text() != replaceAll(shop, "func Total(", "// Add adds.\nfunc Total(") {
		t.Errorf("after undo the buffer has\n%s", b.Lines.Text())
	}
}

func TestAPlanThatTheUserMadeEndsAtOnce(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	made := replaceAll(shop, "func Total(", "func Add(", "return Total(1, 2)", "return Add(1, 2)")
	s.Write("shop.go", made)
	s.wantNow("applied", "applied", "applied")
	if got := s.PlanNow(1); got.State != "awaiting_approval" || got.Operations[0].Status != "applied" {
		t.Errorf("state %s, operation %s", got.State, got.Operations[0].Status)
	}
	r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	if r.State != "completed" || len(r.Files) != 1 || r.Files[0].Status != "applied" {
		t.Errorf("result %+v, want the file applied and the plan completed", r)
	}
	if n := len(s.Editor.Asked()); n != 0 {
		t.Errorf("the editor was asked for %d changes", n)
	}
	s.Restart()
	s.WantHunks(1, "applied", "applied")
	if got := s.PlanNow(1).State; got != "completed" {
		t.Errorf("after a restart: %s", got)
	}
}

func TestRejectingTheRestLeavesWhatTheUserMade(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.Write("shop.go", replaceAll(shop, "func Total(", "func Add("))
	after, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	if err != nil || after.State != "completed" {
		t.Errorf("%s, %v; want completed", after.State, err)
	}
	s.WantHunks(1, "applied", "rejected")
	s.WantFile("shop.go", replaceAll(shop, "func Total(", "func Add("))
}

func TestFilesThatTheUserMadeMovedAndDeletedCountAsApplied(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "one\ntwo\nthree\n", "gone.txt": "bye\n"})
	p := s.Plan("reorder", call("write_file", map[string]any{"path": "sub/new.txt", "content": "new\n"}),
		call("delete_file", map[string]any{"path": "gone.txt"}),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}),
		edit("moved.txt", "two", "TWO"))
	s.Write("sub/new.txt", "new\n")
	for _, err := range []error{
		os.Remove(filepath.Join(s.Dir, "gone.txt")),
		os.Rename(filepath.Join(s.Dir, "old.txt"), filepath.Join(s.Dir, "moved.txt")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	for _, f := range s.PlanNow(1).Files {
		got[f.Path] = f.Status
	}
	if got["sub/new.txt"] != "applied" || got["gone.txt"] != "applied" || got["old.txt"] != "pending" {
		t.Errorf("the files are %v", got)
	}
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" || len(r.Files) != 3 {
		t.Errorf("result %+v", r)
	}
	s.WantFile("moved.txt", "one\nTWO\nthree\n")
	if n := len(s.Editor.Asked()); n != 1 {
		t.Errorf("the editor was asked for %d changes, want the one edit", n)
	}
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("sub/new.txt", "")
	s.WantFile("gone.txt", "bye\n")
	s.WantFile("old.txt", "one\ntwo\nthree\n")
	s.WantFile("moved.txt", "")
}

func TestAnotherFileAtTheNewPathIsNotAMove(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "one\n"})
	p := s.Plan("move", call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}))
	if err := os.Remove(filepath.Join(s.Dir, "old.txt")); err != nil {
		t.Fatal(err)
	}
	s.Write("moved.txt", "something else\n")
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.Stale)
	s.WantFile("moved.txt", "something else\n")
}

// The places of hunks were followed keystroke by keystroke: a decision on one hunk must not make
// the board guess the places of the others from the texts alone.
func TestADecisionDoesNotMoveTheOtherHunks(t *testing.T) {
	const block = "func f() {\n\treturn\n}\n\n"
	s := newSession(t, map[string]string{"a.go": "package a\n\n" + block + "// end\n\nvar x = 1\n"})
	s.Open("a.go")
	p := s.Plan("panic", edit("a.go", "\treturn\n", "\tpanic(1)\n"), edit("a.go", "var x = 1", "var x = 2"))
	s.TypeAt("a.go", "// end", block+block) // copies below
	s.TypeAt("a.go", block, block)          // and one above
	s.Replace("a.go", "var x = 1", "var y = 1")
	s.Replace("a.go", "var y = 1", "var x = 1")
	s.Editor.OnApply = s.InBuffer
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}})
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	want := "package a\n\n" + block + strings.Replace(block, "return", "panic(1)", 1) + block + block + "// end\n\nvar x = 2\n"
	if b, _ := s.Workspace.Buffer("a.go"); b.Lines.Text() != want {
		t.Errorf("the buffer has\n%s\nwant\n%s", b.Lines.Text(), want)
	}
}

// A file that cannot be read counts as existing: neither deleted nor gone.
func TestWhatCannotBeReadIsNotGone(t *testing.T) {
	binary := func(s *session, name string) { s.Write(name, "bye\x00\n") }
	folder := func(s *session, name string) {
		path := filepath.Join(s.Dir, name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const isBinary, isFolder = "x.txt is a binary file (it has NUL bytes)", "a folder of the name x.txt exists now"
	del := call("delete_file", map[string]any{"path": "x.txt"})
	move := call("rename_file", map[string]any{"path": "x.txt", "new_path": "y.txt"})
	for _, c := range []struct {
		name   string
		call   decidetest.Call
		become func(*session, string)
		reason string
	}{
		{"a deletion of what is binary now", del, binary, isBinary},
		{"a deletion of what is a folder now", del, folder, isFolder},
		{"an edit of what is binary now", edit("x.txt", "bye", "hello"), binary, isBinary},
		{"an edit of what is a folder now", edit("x.txt", "bye", "hello"), folder, isFolder},
		{"a move of what is binary now", move, binary, isBinary},
		{"a move of what is a folder now", move, folder, isFolder},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, map[string]string{"x.txt": "bye\n", "k.txt": "a\n"})
			p := s.Plan("x", c.call, edit("k.txt", "a", "b"))
			c.become(s, "x.txt")
			for _, f := range s.PlanNow(1).Files {
				if f.Path == "x.txt" && (f.Status != "stale" || f.Reason != c.reason) {
					t.Errorf("the file is %s (%s), want stale (%s)", f.Status, f.Reason, c.reason)
				}
			}
			_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
			s.WantRefused(err, plan.Stale)
			if n := len(s.Editor.Asked()); n != 0 {
				t.Errorf("the editor was asked for %d changes", n)
			}
			// The file can become what it was.
			if err := os.RemoveAll(filepath.Join(s.Dir, "x.txt")); err != nil {
				t.Fatal(err)
			}
			s.Write("x.txt", "bye\n")
			if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
				t.Errorf("%+v; want completed", r)
			}
		})
	}
}

// An undo of a file that cannot be read is refused.
func TestAnUndoLeavesWhatCannotBeRead(t *testing.T) {
	for _, c := range []decidetest.Call{
		call("write_file", map[string]any{"path": "new.txt", "content": "new\n"}),
		edit("old.txt", "one\n", ""),
	} {
		s := newSession(t, map[string]string{"old.txt": "one\ntwo\n"})
		p := s.Plan("x", c)
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		name := p.Files[0].Path
		s.Write(name, "\x00\n")
		_, err := s.Undo(s.Context(), view.Request{Plan: 1})
		s.WantRefused(err, plan.Stale)
		s.WantFile(name, "\x00\n")
	}
}

// A file that exists only in its buffer does not count as deleted.
func TestADeletedFileThatIsTypedAnewIsNotDeleted(t *testing.T) {
	s := newSession(t, map[string]string{"gone.txt": "bye\n"})
	p := s.Plan("delete it", call("delete_file", map[string]any{"path": "gone.txt"}))
	if err := os.Remove(filepath.Join(s.Dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	s.Workspace.Open(s.Workspace.URI("gone.txt"), "", 1, "")
	s.wantNow("applied", "applied")
	s.TypeAt("gone.txt", "", "something new\n")
	s.wantNow("stale", "stale")
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.Stale)
}
