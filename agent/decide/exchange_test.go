package decide_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/agenttest"
	"redline/agent/decide"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/share"
	"redline/agent/state"
	"redline/agent/view"
)

// exported returns a plan as a file.
func (s *session) exported(n int) []byte {
	s.t.Helper()
	document, err := s.Export(s.Context(), n, share.With{})
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

	got, news, err := there.Import(there.Context(), "plan.json", here.exported(1), decide.From{})
	if err != nil {
		t.Fatal(err)
	}
	if !news.Created || got.State != string(plan.AwaitingApproval) || got.Revision != 2 || got.Goal != "tidy up" || got.Conversation == p.Conversation {
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

// A plan that is there already gets what is new, here nothing.
func TestAnImportOfAPlanThatIsHere(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	p := s.Plan("tidy up", edit("a.txt", "one", "1"))
	again, news, err := s.Import(s.Context(), "plan.json", s.exported(1), decide.From{})
	if err != nil || again.Plan != 1 || again.ID != p.ID || again.Hash != p.Hash || !news.None() || again.Shared != nil {
		t.Errorf("plan %s was imported as %d, %s, with %+v: %v", p.ID, again.Plan, again.ID, news, err)
	}
	if data := s.exported(1); string(data) != string(s.exported(1)) {
		t.Error("two exports of one plan differ")
	}
}

func TestAnImportThatDoesNotFitIsStale(t *testing.T) {
	here, there := newSession(t, map[string]string{"a.txt": "one\ntwo\n"}), newSession(t, map[string]string{"a.txt": "uno\ntwo\n"})
	here.Plan("tidy up", edit("a.txt", "one", "1"))
	p, _, err := there.Import(there.Context(), "plan.json", here.exported(1), decide.From{})
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
	_, _, err := s.Import(s.Context(), "plan.json", []byte(`{"format":"redline-plan","version":1}`), decide.From{})
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
	document, err := s.Agent.Export(s.Context(), 1, share.With{})
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

// by returns a plan as a file that a person shares.
func (s *session) by(person string, n int) []byte {
	s.t.Helper()
	document, err := s.Export(s.Context(), n, share.With{By: person})
	s.Must(err)
	data, err := document.Encode(true)
	s.Must(err)
	return data
}

// takes imports a file that a person has shared.
func (s *session) takes(data []byte, who string) (state.Plan, decide.News) {
	s.t.Helper()
	p, news, err := s.Import(s.Context(), "origin", data, decide.From{Who: who, Signature: "unsigned"})
	s.Must(err)
	return p, news
}

// contents returns the content hashes of a plan's revisions.
func contents(p state.Plan) (all []string) {
	for _, r := range p.Revisions {
		all = append(all, r.Content)
	}
	return all
}

const ada, bob = "Ada <ada@example.org>", "Bob <bob@example.org>"

// Two people work on one plan: each gets what is new of the other, and nothing that the other has decided
// counts.
func TestTwoPeopleShareAPlan(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\nthree\n"}
	here, there := newSession(t, files), newSession(t, files)
	here.Plan("tidy up", edit("a.txt", "one", "1"))
	p, news := there.takes(here.by(ada, 1), ada)
	if !news.Created || p.Shared == nil || p.Shared.By != ada || p.Shared.Signature != "unsigned" {
		t.Fatalf("%+v, %+v", p.Shared, news)
	}

	_, err := there.Comments.Add(there.Context(), 1, plan.Comment{Path: "a.txt", Line: 1, Text: "why?"})
	there.Must(err)
	there.Rework(edit("a.txt", "two", "2"))
	there.MustApprove(view.Request{Plan: 1})
	p, news = here.takes(there.by(bob, 1), bob)
	if news.Created || len(news.Revisions) != 1 || news.Revisions[0] != 2 || news.Comments != 1 || news.Decisions != 1 || p.Revision != 2 {
		t.Fatalf("%+v, at revision %d", news, p.Revision)
	}
	if want := "Revision 2, 1 comment and 1 decision are new."; news.Sentence() != want {
		t.Errorf("it says %q, want %q", news.Sentence(), want)
	}
	if p.State != string(plan.AwaitingApproval) || p.Files[0].Status != string(plan.FilePending) {
		t.Errorf("the plan is %s, its file %s", p.State, p.Files[0].Status)
	}
	here.WantFile("a.txt", files["a.txt"])
	if c := p.Comments; len(c) != 1 || c[0].Author != bob || c[0].Text != "why?" || c[0].Revision != 1 {
		t.Errorf("comments: %+v", c)
	}
	if d := p.Shared.Decisions; len(d) != 1 || d[0].By != bob || d[0].Revision != 2 || d[0].Verdict != plan.VerdictApprove {
		t.Errorf("decisions: %+v", d)
	}
	if page := here.Preview("0001-r2.md"); !strings.Contains(page, "## From elsewhere\n\n- Shared by Bob (unsigned): revision 2 and 1 comment are new.\n- Elsewhere, Bob has decided to approve") ||
		!strings.Contains(page, "- a.txt, line 1, `Bob`: `why?`\n") {
		t.Errorf("the preview is\n%s", page)
	}
	if mine, theirs := contents(p), contents(there.state(1)); !cmp.Equal(mine, theirs) || len(mine) != 2 || mine[0] == "" {
		t.Errorf("content hashes %v and %v", mine, theirs)
	}
	_, news = here.takes(there.by(bob, 1), bob)
	if !news.None() {
		t.Errorf("the same again has news: %+v", news)
	}
	here.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	here.WantFile("a.txt", "1\n2\nthree\n")
}

// state returns the state of a plan.
func (s *session) state(n int) state.Plan {
	s.t.Helper()
	p, err := s.Board.PlanState(s.Context(), n)
	s.Must(err)
	return p
}

// Where both have made a revision of the same one, each keeps their own and has the other's beside it. The
// names of hunks and operations, which both have given, stay apart.
func TestBothHaveMadeARevision(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "x\n"}
	here, there := newSession(t, files), newSession(t, files)
	here.Plan("tidy up", edit("a.txt", "one", "1"), call("run_command", map[string]any{"command": "true"}))
	there.takes(here.by(ada, 1), ada)
	here.Rework(edit("a.txt", "two", "2"))
	there.Rework(edit("b.txt", "x", "y"))

	mine, theirs := here.by(ada, 1), there.by(bob, 1)
	p, news := here.takes(theirs, bob)
	q, _ := there.takes(mine, ada)
	if len(p.Revisions) != 3 || p.Revision != 2 || p.Revisions[2].Parent != 1 || len(news.Revisions) != 1 {
		t.Fatalf("%+v, %+v at %d", news, p.Revisions, p.Revision)
	}
	if len(q.Revisions) != 3 || q.Revision != 2 || q.Files[0].Path != "a.txt" || q.Files[1].Path != "b.txt" {
		t.Fatalf("%+v at %d", q.Revisions, q.Revision)
	}
	a, b := contents(p), contents(q)
	if a[0] != b[0] || a[1] != b[2] || a[2] != b[1] {
		t.Errorf("content hashes %v and %v", a, b)
	}
	x, err := share.Decode(here.by(ada, 1))
	here.Must(err)
	y, err := share.Decode(there.by(bob, 1))
	there.Must(err)
	if len(x.Revisions) != 3 || len(y.Revisions) != 3 {
		t.Fatalf("%d and %d revisions leave", len(x.Revisions), len(y.Revisions))
	}
	for i := range x.Revisions {
		if diff := cmp.Diff(x.Revisions[i], y.Revisions[i]); diff != "" {
			t.Errorf("revision %d is not the same: %s", i+1, diff)
		}
	}
	back, err := here.Rollback(here.Context(), 1, 3, "")
	here.Must(err)
	if _, news := there.takes(here.by(ada, 1), ada); len(news.Revisions) != 1 {
		t.Errorf("%+v", news)
	}
	here.MustApprove(view.Request{Plan: 1, Hash: back.Hash, Paths: []string{"a.txt", "b.txt"}})
	here.WantFile("a.txt", "1\ntwo\nthree\n")
	here.WantFile("b.txt", "y\n")
}
