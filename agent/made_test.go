package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/decision"
	"redline/agent/model"
	"redline/agent/refusal"
	"redline/edits"
)

// replaceIn replaces the one occurrence of a text in an open file.
func (s *session) replaceIn(name, old, new string) {
	s.t.Helper()
	b, ok := s.ws.Buffer(name)
	if !ok || strings.Count(b.Lines.Text(), old) != 1 {
		s.t.Fatalf("%s has %q not once", name, old)
	}
	at := strings.Index(b.Lines.Text(), old)
	e := edits.Edit{Span: edits.Span{Start: at, End: at + len(old)}, New: new}
	if err := s.ws.Update(b.URI, b.Version+1, b.Lines.Replace(e), edits.Refine(b.Lines.Text(), e)); err != nil {
		s.t.Fatal(err)
	}
}

// wantNow checks the statuses of the first file and its hunks, as they are
// shown.
func (s *session) wantNow(file string, hunks ...string) {
	s.t.Helper()
	f := s.state1(1).Files[0]
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
	s.open("shop.go")
	p := renamed(s)
	s.replaceIn("shop.go", "func Total(", "func Ad(")
	s.wantNow("stale", "stale", "pending")
	s.replaceIn("shop.go", "func Ad(", "func Add(")
	s.wantNow("pending", "applied", "pending")
	s.typeAt("shop.go", "func Add(", "// Add adds.\n")
	s.wantNow("pending", "applied", "pending")
	s.replaceIn("shop.go", "func Add(", "func Total(")
	s.wantNow("pending", "pending", "pending")
	s.replaceIn("shop.go", "func Total(", "func Add(")

	_, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.wantRefused(err, refusal.WrongState)
	s.ed.apply = s.inBuffer
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("state %s, want completed", r.State)
	}
	if asked := s.ed.asked; len(asked) != 1 || len(asked[0]) != 1 || len(asked[0][0].Edits) != 1 {
		t.Errorf("the editor was asked for %+v, want the one hunk that was left", asked)
	}
	s.wantHunks(1, "applied", "applied")
	want := replaceAll(shop, "func Total(", "// Add adds.\nfunc Add(", "return Total(1, 2)", "return Add(1, 2)")
	if b, _ := s.ws.Buffer("shop.go"); b.Lines.Text() != want {
		t.Errorf("the buffer has\n%s", b.Lines.Text())
	}
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	if b, _ := s.ws.Buffer("shop.go"); b.Lines.Text() != replaceAll(shop, "func Total(", "// Add adds.\nfunc Total(") {
		t.Errorf("after undo the buffer has\n%s", b.Lines.Text())
	}
}

func TestAPlanThatTheUserMadeEndsAtOnce(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	made := replaceAll(shop, "func Total(", "func Add(", "return Total(1, 2)", "return Add(1, 2)")
	s.writeFile("shop.go", made)
	s.wantNow("applied", "applied", "applied")
	if got := s.state1(1); got.State != "awaiting_approval" || got.Operations[0].Status != "applied" {
		t.Errorf("state %s, operation %s", got.State, got.Operations[0].Status)
	}
	r := s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	if r.State != "completed" || len(r.Files) != 1 || r.Files[0].Status != "applied" {
		t.Errorf("result %+v, want the file applied and the plan completed", r)
	}
	if n := s.ed.changed(); n != 0 {
		t.Errorf("the editor was asked for %d changes", n)
	}
	s.restart()
	s.wantHunks(1, "applied", "applied")
	if got := s.state1(1).State; got != "completed" {
		t.Errorf("after a restart: %s", got)
	}
}

func TestRejectingTheRestLeavesWhatTheUserMade(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.writeFile("shop.go", replaceAll(shop, "func Total(", "func Add("))
	after, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	if err != nil || after.State != "completed" {
		t.Errorf("%s, %v; want completed", after.State, err)
	}
	s.wantHunks(1, "applied", "rejected")
	s.wantFile("shop.go", replaceAll(shop, "func Total(", "func Add("))
}

func TestFilesThatTheUserMadeMovedAndDeletedCountAsApplied(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "one\ntwo\nthree\n", "gone.txt": "bye\n"})
	s.model.stages(
		call("write_file", map[string]any{"path": "sub/new.txt", "content": "new\n"}),
		call("delete_file", map[string]any{"path": "gone.txt"}),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}),
		edit("moved.txt", "two", "TWO"))
	p := s.plan("reorder")
	s.writeFile("sub/new.txt", "new\n")
	for _, err := range []error{
		os.Remove(filepath.Join(s.dir, "gone.txt")),
		os.Rename(filepath.Join(s.dir, "old.txt"), filepath.Join(s.dir, "moved.txt")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	for _, f := range s.state1(1).Files {
		got[f.Path] = f.Status
	}
	if got["sub/new.txt"] != "applied" || got["gone.txt"] != "applied" || got["old.txt"] != "pending" {
		t.Errorf("the files are %v", got)
	}
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" || len(r.Files) != 3 {
		t.Errorf("result %+v", r)
	}
	s.wantFile("moved.txt", "one\nTWO\nthree\n")
	if n := s.ed.changed(); n != 1 {
		t.Errorf("the editor was asked for %d changes, want the one edit", n)
	}
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("sub/new.txt", "")
	s.wantFile("gone.txt", "bye\n")
	s.wantFile("old.txt", "one\ntwo\nthree\n")
	s.wantFile("moved.txt", "")
}

func TestAnotherFileAtTheNewPathIsNotAMove(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "one\n"})
	s.model.stages(call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}))
	p := s.plan("move")
	if err := os.Remove(filepath.Join(s.dir, "old.txt")); err != nil {
		t.Fatal(err)
	}
	s.writeFile("moved.txt", "something else\n")
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, refusal.Stale)
	s.wantFile("moved.txt", "something else\n")
}

// Where a hunk is was followed from keystroke to keystroke: deciding on another
// one must not begin to guess from the texts alone.
func TestADecisionDoesNotMoveTheOtherHunks(t *testing.T) {
	const block = "func f() {\n\treturn\n}\n\n"
	s := newSession(t, map[string]string{"a.go": "package a\n\n" + block + "// end\n\nvar x = 1\n"})
	s.open("a.go")
	s.model.stages(edit("a.go", "\treturn\n", "\tpanic(1)\n"), edit("a.go", "var x = 1", "var x = 2"))
	p := s.plan("panic")
	s.typeAt("a.go", "// end", block+block) // copies after it
	s.typeAt("a.go", block, block)          // and one before it
	s.replaceIn("a.go", "var x = 1", "var y = 1")
	s.replaceIn("a.go", "var y = 1", "var x = 1")
	s.ed.apply = s.inBuffer
	s.approve(decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}})
	s.approve(decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	want := "package a\n\n" + block + strings.Replace(block, "return", "panic(1)", 1) + block + block + "// end\n\nvar x = 2\n"
	if b, _ := s.ws.Buffer("a.go"); b.Lines.Text() != want {
		t.Errorf("the buffer has\n%s\nwant\n%s", b.Lines.Text(), want)
	}
}

// What cannot be read is there: it was not deleted, and is not gone.
func TestWhatCannotBeReadIsNotGone(t *testing.T) {
	binary := func(s *session, name string) { s.writeFile(name, "bye\x00\n") }
	folder := func(s *session, name string) {
		path := filepath.Join(s.dir, name)
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
		call   model.Call
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
			s.model.stages(c.call, edit("k.txt", "a", "b"))
			p := s.plan("x")
			c.become(s, "x.txt")
			for _, f := range s.state1(1).Files {
				if f.Path == "x.txt" && (f.Status != "stale" || f.Reason != c.reason) {
					t.Errorf("the file is %s (%s), want stale (%s)", f.Status, f.Reason, c.reason)
				}
			}
			_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
			s.wantRefused(err, refusal.Stale)
			if n := s.ed.changed(); n != 0 {
				t.Errorf("the editor was asked for %d changes", n)
			}
			// It may become what it was again.
			if err := os.RemoveAll(filepath.Join(s.dir, "x.txt")); err != nil {
				t.Fatal(err)
			}
			s.writeFile("x.txt", "bye\n")
			if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
				t.Errorf("%+v; want completed", r)
			}
		})
	}
}

// An undo leaves what it cannot read, and says so.
func TestAnUndoLeavesWhatCannotBeRead(t *testing.T) {
	for _, c := range []model.Call{
		call("write_file", map[string]any{"path": "new.txt", "content": "new\n"}),
		edit("old.txt", "one\n", ""),
	} {
		s := newSession(t, map[string]string{"old.txt": "one\ntwo\n"})
		s.model.stages(c)
		p := s.plan("x")
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		name := p.Files[0].Path
		s.writeFile(name, "\x00\n")
		_, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1})
		s.wantRefused(err, refusal.Stale)
		s.wantFile(name, "\x00\n")
	}
}

// A file that is in its buffer only was not deleted.
func TestADeletedFileThatIsTypedAnewIsNotDeleted(t *testing.T) {
	s := newSession(t, map[string]string{"gone.txt": "bye\n"})
	s.model.stages(call("delete_file", map[string]any{"path": "gone.txt"}))
	p := s.plan("delete it")
	if err := os.Remove(filepath.Join(s.dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	s.ws.Open(s.ws.URI("gone.txt"), "", 1, "")
	s.wantNow("applied", "applied")
	s.typeAt("gone.txt", "", "something new\n")
	s.wantNow("stale", "stale")
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, refusal.Stale)
}
