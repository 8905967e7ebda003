package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/decision"
	"redline/agent/refusal"
	"redline/agent/store"
	"redline/edits"
	"redline/workspace"
)

// awaitUnsaved waits until other processes are told that just these files are
// unsaved.
func (s *session) awaitUnsaved(names ...string) {
	s.t.Helper()
	dir, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	look := store.New(s.state).NewSession()
	var got []string
	for ctx := s.ctx(); ctx.Err() == nil; {
		got = nil
		for _, u := range look.Others() {
			got = append(got, u.Files...)
		}
		if slices.Equal(got, names) {
			return
		}
	}
	s.t.Fatalf("others are told that %q are unsaved, want %q", got, names)
}

// wantBusy checks that an error refuses as busy and names a file and an editor.
func (s *session) wantBusy(err error, file string) {
	s.t.Helper()
	s.wantRefused(err, refusal.Busy)
	if err == nil || !strings.HasPrefix(err.Error(), file+" has unsaved changes in another editor (Helix, process ") {
		s.t.Errorf("the user reads %v", err)
	}
}

// save writes an open file's text to the disk, as its editor does.
func (s *session) save(name string) {
	s.t.Helper()
	b, _ := s.ws.Buffer(name)
	s.writeFile(name, b.Lines.Text())
	s.ws.Saved(b.URI, nil)
}

func TestAFileUnsavedInAnotherEditorIsBusy(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop, "notes.txt": "n\n"})
	s.agent.Name("Helix")
	s.open("shop.go")
	s.open("notes.txt")
	p := renamed(s)
	other := s.another()
	s.typeAt("notes.txt", "n", "x") // no plan's
	s.typeAt("shop.go", "package", "// Typed.\n")
	s.awaitUnsaved("notes.txt", "shop.go")
	for _, d := range []decision.Request{{Plan: 1, Hash: p.Hash}, {Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}}} {
		_, err := other.Approve(s.ctx(), d)
		s.wantBusy(err, "shop.go")
		_, err = other.Review(s.ctx(), d)
		s.wantBusy(err, "shop.go")
	}
	s.wantHunks(1, "pending", "pending")
	s.wantFile("shop.go", shop)
	if got, err := s.store.Decisions(s.ctx(), s.dir, 1); err != nil || len(got) != 0 {
		t.Errorf("a decision that was refused is on record: %+v, %v", got, err)
	}
	// The editor itself decides, and so does anybody who changes nothing.
	s.ed.apply = s.inBuffer
	s.approve(decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	if _, err := other.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}}); err != nil {
		t.Errorf("a rejection changes no file, and is refused: %v", err)
	}
}

// What an editor has applied and not saved is its own until it has: nobody else
// takes it back, or applies another plan to it, or says that it is not there.
func TestWhatIsAppliedAndUnsavedIsBusyElsewhere(t *testing.T) {
	begin := func(t *testing.T) (*session, *agent.Agent, *fakeEditor) {
		s := newSession(t, map[string]string{"shop.go": shop})
		s.agent.Name("Helix")
		s.open("shop.go")
		p := renamed(s)
		s.model.stages(edit("shop.go", "package shop\n", "package shop // here\n"))
		s.plan("a comment")
		s.ed.apply = s.inBuffer
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		other, ed := s.anotherEditor()
		return s, other, ed
	}
	t.Run("while it is unsaved", func(t *testing.T) {
		s, other, _ := begin(t)
		if err := other.Recover(s.ctx()); err != nil { // as another editor does when it starts
			t.Fatal(err)
		}
		_, err := other.Undo(s.ctx(), decision.Request{Plan: 1})
		s.wantBusy(err, "shop.go")
		_, err = other.Approve(s.ctx(), decision.Request{Plan: 2})
		s.wantBusy(err, "shop.go")
		s.wantHunks(1, "applied", "applied")
	})
	t.Run("once it is saved", func(t *testing.T) {
		s, other, _ := begin(t)
		s.save("shop.go")
		s.awaitUnsaved()
		s.awaitSaved("shop.go")
		if _, err := other.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
			t.Fatal(err)
		}
		s.wantFile("shop.go", shop)
	})
	t.Run("once the editor is gone", func(t *testing.T) {
		s, other, ed := begin(t)
		if err := other.Recover(s.ctx()); err != nil {
			t.Fatal(err)
		}
		s.agent.Close() // as when its process is killed: it looks at nothing any more
		p, err := other.PlanState(s.ctx(), 1)
		if err != nil || p.State != "awaiting_approval" || p.Files[0].Status != "pending" {
			t.Fatalf("plan 1 is %s, its file %+v, %v", p.State, p.Files, err)
		}
		if told := lastOf(ed, 1); told.State != p.State { // what is on screen must not stay
			t.Errorf("its own editor was told that the plan is %s", told.State)
		}
		if _, err := other.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash}); err != nil {
			t.Error(err)
		}
	})
}

// One busy file keeps all of an approval back, whichever way leads to it.
func TestOneBusyFileRefusesTheWholeApproval(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.dir, link); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	s.model.stages(edit("a.txt", "one", "1"), call("rename_file", map[string]any{"path": "b.txt", "new_path": "c.txt"}))
	p := s.plan("figures")
	far := workspace.New([]workspace.Folder{{Name: "ws", Dir: link}}, workspace.Options{StateDir: s.state})
	kept := store.New(s.state)
	editor := agent.New(agent.Options{Workspace: far, Store: kept, Model: s.model})
	editor.Name("Helix")
	defer kept.Close()
	defer editor.Close()
	far.Open(far.URI("c.txt"), "", 1, "a new file, nowhere on disk\n")
	// Opened as it is: nobody was told of a change.
	s.awaitUnsaved("c.txt")
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantBusy(err, "c.txt")
	s.wantFile("a.txt", "one\n")
	s.approve(decision.Request{Plan: 1, Hash: p.Hash, Paths: []string{"a.txt"}})
	far.Close(far.URI("c.txt"))
	s.awaitUnsaved()
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	s.wantFile("c.txt", "two\n")
}

// An editor that reads a file again sends its text as a change.
func TestAFileThatAnEditorReadAgainIsNotUnsaved(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.open("shop.go")
	p := renamed(s)
	other := s.another()
	r, err := other.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	if err != nil || r.State != "completed" {
		t.Fatalf("%+v, %v", r, err)
	}
	data, err := os.ReadFile(filepath.Join(s.dir, "shop.go"))
	if err != nil {
		t.Fatal(err)
	}
	s.retype("shop.go", string(data))
	s.awaitClean("shop.go")
	if _, err := other.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Error(err)
	}
	s.retype("shop.go", shop+"// typed\n")
	s.awaitUnsaved("shop.go")
}

// retype makes text the text of an open file.
func (s *session) retype(name, text string) {
	s.t.Helper()
	b, _ := s.ws.Buffer(name)
	e := edits.Edit{Span: edits.Span{End: len(b.Lines.Text())}, New: text}
	if err := s.ws.Update(b.URI, b.Version+1, b.Lines.Replace(e), edits.Refine(b.Lines.Text(), e)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) awaitClean(name string) {
	s.t.Helper()
	for ctx := s.ctx(); ctx.Err() == nil; {
		if b, _ := s.ws.Buffer(name); !b.Dirty {
			return
		}
	}
	s.t.Fatalf("%s is still taken for unsaved", name)
}

// A state directory in which nothing can be published takes nothing away.
func TestWithoutSessionsNobodyIsBusy(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	if err := os.WriteFile(filepath.Join(s.state, "sessions"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.open("shop.go")
	p := renamed(s)
	s.typeAt("shop.go", "package", "// Typed.\n")
	if _, err := s.another().Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash}); err != nil {
		t.Error(err)
	}
}

// A preview that is being edited in another editor holds an approval back, also
// where the plan was taken over from there and its preview was never written.
func TestAPreviewUnsavedInAnotherEditor(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.agent.Name("Helix")
	other := s.another()
	if err := other.Recover(s.ctx()); err != nil { // it runs before the plan is there
		t.Fatal(err)
	}
	s.model.stages(edit("a.txt", "one", "1"))
	s.plan("figures")
	file := ".redline/plans/0001-r1.md"
	s.open(file)
	s.typeAt(file, "+1", "+dark\n")
	s.awaitUnsaved(file)
	_, err := other.Approve(s.ctx(), decision.Request{Plan: 1})
	s.wantRefused(err, refusal.UnsavedPreview)
	s.wantFile("a.txt", "one\n")
}

// Somebody begins to type in another editor while the files of an approval are
// changed one after the other: the file that they type in is left alone, and the
// approval as a whole.
func TestAFileThatBecomesUnsavedElsewhereDuringAnApproval(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	s.model.stages(edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"))
	p := s.plan("figures")
	dir, err := filepath.EvalSymlinks(s.dir)
	s.must(err)
	other := store.New(s.state).NewSession()
	t.Cleanup(other.Close)
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		if c.Path == "b.txt" && c.Base == "two\n" { // a.txt is changed by now
			if err := other.Publish("Helix", []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, "c.txt")}); err != nil {
				t.Error(err)
			}
		}
		return edits.Applied{}, false
	}
	_, err = s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, refusal.ApplyFailed)
	want := "c.txt was not changed: it has unsaved changes in another editor by now (Helix, process "
	if !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "Nothing of this approval stays applied.") {
		t.Errorf("the user reads %v", err)
	}
	s.wantFile("a.txt", "one\n") // taken back whoever types in it: never half
	s.wantFile("b.txt", "two\n")
	s.wantFile("c.txt", "three\n")
	s.must(other.Publish("Helix", nil))
	s.ed.apply = nil
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("when it is saved there, the plan is %s", r.State)
	}
}
