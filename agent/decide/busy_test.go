package decide_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
)

// awaitUnsaved waits until other processes see exactly these files as unsaved.
func (s *session) awaitUnsaved(names ...string) {
	s.t.Helper()
	dir, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	look := store.New(s.State).NewSession()
	var got []string
	for ctx := s.Context(); ctx.Err() == nil; {
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

// wantBusy checks that err is a refusal as busy that names the file and the editor.
func (s *session) wantBusy(err error, file string) {
	s.t.Helper()
	s.WantRefused(err, plan.Busy)
	if err == nil || !strings.HasPrefix(err.Error(), file+" has unsaved changes in another editor (Helix, process ") {
		s.t.Errorf("the user reads %v", err)
	}
}

func TestAFileUnsavedInAnotherEditorIsBusy(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop, "notes.txt": "n\n"})
	s.Name("Helix")
	s.Open("shop.go")
	s.Open("notes.txt")
	p := s.PlanRename()
	other := s.Another()
	s.TypeAt("notes.txt", "n", "x") // of no plan
	s.TypeAt("shop.go", "package", "// Typed.\n")
	s.awaitUnsaved("notes.txt", "shop.go")
	for _, d := range []view.Request{{Plan: 1, Hash: p.Hash}, {Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}}} {
		_, err := other.Approve(s.Context(), d)
		s.wantBusy(err, "shop.go")
		_, err = other.Review(s.Context(), d)
		s.wantBusy(err, "shop.go")
	}
	s.WantHunks(1, "pending", "pending")
	s.WantFile("shop.go", shop)
	if got, err := s.Store.Decisions(s.Context(), s.Dir, 1); err != nil || len(got) != 0 {
		t.Errorf("a decision that was refused is on record: %+v, %v", got, err)
	}
	// The editor itself can decide, and so can others who change no file.
	s.Editor.OnApply = s.InBuffer
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	if _, err := other.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}}); err != nil {
		t.Errorf("a rejection changes no file, and is refused: %v", err)
	}
}

// A change that an editor has applied and not saved is its own until then: no other process
// undoes it, applies another plan on it, or finds it missing.
func TestWhatIsAppliedAndUnsavedIsBusyElsewhere(t *testing.T) {
	begin := func(t *testing.T) (s *session, other *decidetest.Session) {
		s = newSession(t, map[string]string{"shop.go": shop})
		s.Name("Helix")
		s.Open("shop.go")
		p := s.PlanRename()
		s.Plan("a comment", edit("shop.go", "package shop\n", "package shop // here\n"))
		s.Editor.OnApply = s.InBuffer
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		return s, s.Another()
	}
	t.Run("while it is unsaved", func(t *testing.T) {
		s, other := begin(t)
		if err := other.Board.Follower.Recover(s.Context()); err != nil { // as another editor does when it starts
			t.Fatal(err)
		}
		_, err := other.Undo(s.Context(), view.Request{Plan: 1})
		s.wantBusy(err, "shop.go")
		_, err = other.Approve(s.Context(), view.Request{Plan: 2})
		s.wantBusy(err, "shop.go")
		s.WantHunks(1, "applied", "applied")
	})
	t.Run("once it is saved", func(t *testing.T) {
		s, other := begin(t)
		s.Save("shop.go")
		s.awaitUnsaved()
		s.AwaitSaved("shop.go")
		if _, err := other.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
			t.Fatal(err)
		}
		s.WantFile("shop.go", shop)
	})
	t.Run("once the editor is gone", func(t *testing.T) {
		s, other := begin(t)
		if err := other.Board.Follower.Recover(s.Context()); err != nil {
			t.Fatal(err)
		}
		s.End() // as when its process is killed: it settles nothing any more
		p, err := other.Board.PlanState(s.Context(), 1)
		if err != nil || p.State != "awaiting_approval" || p.Files[0].Status != "pending" {
			t.Fatalf("plan 1 is %s, its file %+v, %v", p.State, p.Files, err)
		}
		events := other.Editor.Events(state.PlanChanged)
		if told := events[len(events)-1].Plan; told.Plan != 1 || told.State != p.State { // the screen must not show the old state
			t.Errorf("its own editor was told that plan %d is %s", told.Plan, told.State)
		}
		if _, err := other.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err != nil {
			t.Error(err)
		}
	})
}

// One busy file refuses the whole approval, by whichever path it is reached.
func TestOneBusyFileRefusesTheWholeApproval(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.Dir, link); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	p := s.Plan("figures", edit("a.txt", "one", "1"), call("rename_file", map[string]any{"path": "b.txt", "new_path": "c.txt"}))
	editor := s.AnotherIn(link)
	editor.Name("Helix")
	far := editor.Workspace
	far.Open(far.URI("c.txt"), "", 1, "a new file, nowhere on disk\n")
	// It was opened with that text: there was no change.
	s.awaitUnsaved("c.txt")
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.wantBusy(err, "c.txt")
	s.WantFile("a.txt", "one\n")
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"a.txt"}})
	far.Close(far.URI("c.txt"))
	s.awaitUnsaved()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("c.txt", "two\n")
}

// An editor that reloads a file sends the text as a change.
func TestAFileThatAnEditorReadAgainIsNotUnsaved(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.Open("shop.go")
	p := s.PlanRename()
	other := s.Another()
	r, err := other.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	if err != nil || r.State != "completed" {
		t.Fatalf("%+v, %v", r, err)
	}
	data, err := os.ReadFile(filepath.Join(s.Dir, "shop.go"))
	if err != nil {
		t.Fatal(err)
	}
	s.Retype("shop.go", string(data))
	s.awaitClean("shop.go")
	if _, err := other.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Error(err)
	}
	s.Retype("shop.go", shop+"// typed\n")
	s.awaitUnsaved("shop.go")
}

func (s *session) awaitClean(name string) {
	s.t.Helper()
	for ctx := s.Context(); ctx.Err() == nil; {
		if b, _ := s.Workspace.Buffer(name); !b.Dirty {
			return
		}
	}
	s.t.Fatalf("%s is still taken for unsaved", name)
}

// If nothing can be published in the state directory, decisions still work.
func TestWithoutSessionsNobodyIsBusy(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	if err := os.WriteFile(filepath.Join(s.State, "sessions"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Open("shop.go")
	p := s.PlanRename()
	s.TypeAt("shop.go", "package", "// Typed.\n")
	if _, err := s.Another().Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err != nil {
		t.Error(err)
	}
}

// A preview that is being edited in another editor refuses an approval, even if this process has
// not written the preview.
func TestAPreviewUnsavedInAnotherEditor(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Name("Helix")
	other := s.Another()
	if err := other.Board.Follower.Recover(s.Context()); err != nil { // it starts before the plan exists
		t.Fatal(err)
	}
	s.Plan("figures", edit("a.txt", "one", "1"))
	file := ".redline/plans/0001-r1.md"
	s.Open(file)
	s.TypeAt(file, "+1", "+dark\n")
	s.awaitUnsaved(file)
	_, err := other.Approve(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.UnsavedPreview)
	s.WantFile("a.txt", "one\n")
}

// Someone starts to type in another editor while the files of an approval are changed one by one:
// their file is left alone, and the whole approval is reverted.
func TestAFileThatBecomesUnsavedElsewhereDuringAnApproval(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	p := s.Plan("figures", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"))
	dir, err := filepath.EvalSymlinks(s.Dir)
	s.Must(err)
	other := store.New(s.State).NewSession()
	t.Cleanup(other.Close)
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		if c.Path == "b.txt" && c.Base == "two\n" { // a.txt is changed already
			if err := other.Publish("Helix", []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, "c.txt")}); err != nil {
				t.Error(err)
			}
		}
		return edits.Applied{}, false
	}
	_, err = s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.ApplyFailed)
	want := "c.txt was not changed: it has unsaved changes in another editor by now (Helix, process "
	if !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "Nothing of this approval stays applied.") {
		t.Errorf("the user reads %v", err)
	}
	s.WantFile("a.txt", "one\n") // reverted in spite of the typing: an approval is never half applied
	s.WantFile("b.txt", "two\n")
	s.WantFile("c.txt", "three\n")
	s.Must(other.Publish("Helix", nil))
	s.Editor.OnApply = nil
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("when it is saved there, the plan is %s", r.State)
	}
}
