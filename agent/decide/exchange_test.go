package decide_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/agenttest"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/view"
)

// exported returns a plan as a file.
func (s *session) exported(n int) []byte {
	s.t.Helper()
	document, err := s.Export(s.Context(), n)
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := document.Encode(false)
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

func TestAPlanIsCarriedToAnotherWorkspace(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\nthree\n", "old.txt": "x\n", "gone.txt": "y\n"}
	here, there := newSession(t, files), newSession(t, files)
	p := here.Plan("tidy up", edit("a.txt", "one", "1"), edit(here.Dir+"/a.txt", "three", "3"),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "sub/new.txt"}),
		call("delete_file", map[string]any{"path": "gone.txt"}),
		call("write_file", map[string]any{"path": "made.txt", "content": "m\n"}))
	here.Rework(edit("a.txt", "two", "2"))
	here.MustApprove(view.Request{Plan: 1, Paths: []string{"old.txt"}})

	got, err := there.Import(there.Context(), "plan.json", here.exported(1))
	if err != nil {
		t.Fatal(err)
	}
	if got.State != string(plan.AwaitingApproval) || got.Revision != 2 || got.Goal != "tidy up" || got.Conversation == p.Conversation {
		t.Errorf("imported: %+v", got)
	}
	want, err := here.Store.Plan(here.Context(), here.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := there.Store.Plan(there.Context(), there.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(stored.Progress.Hunks)+len(stored.Progress.Files) != 0 || stored.Latest().Author != plan.AuthorUser || stored.Latest().Note != "imported" {
		t.Errorf("stored: %+v", stored)
	}
	if stored.ID != want.ID || got.ID != want.ID || len(stored.Revisions) != len(want.Revisions) {
		t.Errorf("plan %s with %d revisions became %s (%s) with %d", want.ID, len(want.Revisions), stored.ID, got.ID, len(stored.Revisions))
	}
	for i := range want.Revisions { // with the names of the hunks: comments and decisions name them
		if diff := cmp.Diff(want.Revisions[i].Changes, stored.Revisions[i].Changes); diff != "" {
			t.Errorf("revision %d: %s", i+1, diff)
		}
		if ours, theirs := stored.Revisions[i].Parent, want.Revisions[i].Parent; ours != theirs {
			t.Errorf("revision %d has the parent %d, want %d", i+1, ours, theirs)
		}
	}
	if c, err := plan.Compare(stored, 1, 2, there.Store.Texts(there.Context())); err != nil || c.Same() {
		t.Errorf("its revisions cannot be compared: %+v, %v", c, err)
	}
	for i, o := range want.Latest().Operations {
		if mine := stored.Latest().Operations[i]; mine.ID != o.ID || mine.Tool != o.Tool || mine.Path != o.Path {
			t.Errorf("operation %+v, want %+v", mine, o)
		}
	}
	there.MustApprove(view.Request{Plan: 1, Hash: got.Hash})
	there.WantFile("a.txt", "1\n2\n3\n")
	there.WantFile("sub/new.txt", "x\n")
	there.WantFile("gone.txt", "")
	there.WantFile("made.txt", "m\n")
}

// A plan that is there already is imported as another one: a file cannot take the place of a plan.
func TestAnImportOfAPlanThatIsHere(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	p := s.Plan("tidy up", edit("a.txt", "one", "1"))
	again, err := s.Import(s.Context(), "plan.json", s.exported(1))
	if err != nil || again.Plan != 2 || again.ID == p.ID || len(again.ID) != 32 {
		t.Errorf("plan %s was imported as %d, %s: %v", p.ID, again.Plan, again.ID, err)
	}
}

func TestAnImportThatDoesNotFitIsStale(t *testing.T) {
	here, there := newSession(t, map[string]string{"a.txt": "one\ntwo\n"}), newSession(t, map[string]string{"a.txt": "uno\ntwo\n"})
	here.Plan("tidy up", edit("a.txt", "one", "1"))
	p, err := there.Import(there.Context(), "plan.json", here.exported(1))
	if err != nil {
		t.Fatal(err)
	}
	if p.Files[0].Hunks[0].Status != string(plan.HunkStale) {
		t.Errorf("the hunk is %s, want stale", p.Files[0].Hunks[0].Status)
	}
	_, err = there.Approve(there.Context(), view.Request{Plan: 1})
	there.WantRefused(err, plan.Stale)
	there.WantFile("a.txt", "uno\ntwo\n")
}

func TestABadImportLeavesNothing(t *testing.T) {
	s := newSession(t, nil)
	_, err := s.Import(s.Context(), "plan.json", []byte(`{"format":"redline-plan","version":1}`))
	s.WantRefused(err, plan.Invalid)
	if plans, err := s.Board.PlanStates(s.Context(), true); err != nil || len(plans) != 0 {
		t.Errorf("%+v, %v", plans, err)
	}
}

// Only names of the workspace become relative: the same letters in another name stay.
func TestWhatOnlyLooksLikeTheFolderIsExportedAsItIs(t *testing.T) {
	s := agenttest.New(t, nil)
	deep := "x" + filepath.ToSlash(s.Dir) + "/a.txt" // contains the folder's name in its own
	s.Write(deep, "one\n")
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit(deep, "one", "1")}}, agenttest.Reply{Text: fmt.Sprintf(
		"%[1]s/b.txt: not %[1]s2/b.txt, %[1]s.old, %[1]s-old/b, https://x.org%[1]s/b, /%[1]s; (%[1]s) and %[1]s.", s.Dir)})
	s.Plan("tidy up")
	document, err := s.Agent.Export(s.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r := document.Revisions[0]
	if args := string(r.Operations[0].Args); r.Operations[0].Path != deep || !strings.Contains(args, strconv.Quote(deep)) {
		t.Errorf("the path is %s, and in the arguments %s", r.Operations[0].Path, args)
	}
	want := fmt.Sprintf("b.txt: not %[1]s2/b.txt, %[1]s.old, %[1]s-old/b, https://x.org%[1]s/b, /%[1]s; (.) and ..", s.Dir)
	if r.Description != want {
		t.Errorf("the description is\n%q\nwant\n%q", r.Description, want)
	}
}
