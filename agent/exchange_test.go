package agent_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/conversation"
	"redline/agent/decision"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/refusal"
)

// exported is a plan as a file.
func (s *session) exported(n int) []byte {
	s.t.Helper()
	document, err := s.agent.Export(s.ctx(), n)
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
	here.model.stages(
		edit("a.txt", "one", "1"), edit(here.dir+"/a.txt", "three", "3"),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "sub/new.txt"}),
		call("delete_file", map[string]any{"path": "gone.txt"}),
		call("write_file", map[string]any{"path": "made.txt", "content": "m\n"}),
	)
	p := here.plan("tidy up")
	here.model.stages(edit("a.txt", "two", "2"))
	here.say(conversation.Message{Text: "and two", Conversation: p.Conversation, Client: "test"})
	here.approve(decision.Request{Plan: 1, Paths: []string{"old.txt"}})

	got, err := there.agent.Import(there.ctx(), "plan.json", here.exported(1))
	if err != nil {
		t.Fatal(err)
	}
	if got.State != string(plan.AwaitingApproval) || got.Revision != 1 || got.Goal != "tidy up" || got.Conversation == p.Conversation {
		t.Errorf("imported: %+v", got)
	}
	want, err := here.store.Plan(here.ctx(), here.dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := there.store.Plan(there.ctx(), there.dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(stored.Progress.Hunks)+len(stored.Progress.Files) != 0 || stored.Latest().Author != plan.AuthorUser || stored.Latest().Note != "imported" {
		t.Errorf("stored: %+v", stored)
	}
	theirs, ours := want.Latest().Changes, stored.Latest().Changes
	for i := range theirs {
		for j := range theirs[i].Hunks {
			theirs[i].Hunks[j].ID = ours[i].Hunks[j].ID // names are a plan's own
		}
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Error(diff)
	}
	for i, o := range want.Latest().Operations {
		if mine := stored.Latest().Operations[i]; mine.ID != o.ID || mine.Tool != o.Tool || mine.Path != o.Path {
			t.Errorf("operation %+v, want %+v", mine, o)
		}
	}
	there.approve(decision.Request{Plan: 1, Hash: got.Hash})
	there.wantFile("a.txt", "1\n2\n3\n")
	there.wantFile("sub/new.txt", "x\n")
	there.wantFile("gone.txt", "")
	there.wantFile("made.txt", "m\n")
}

func TestAnImportThatDoesNotFitIsStale(t *testing.T) {
	here, there := newSession(t, map[string]string{"a.txt": "one\ntwo\n"}), newSession(t, map[string]string{"a.txt": "uno\ntwo\n"})
	here.model.stages(edit("a.txt", "one", "1"))
	here.plan("tidy up")
	p, err := there.agent.Import(there.ctx(), "plan.json", here.exported(1))
	if err != nil {
		t.Fatal(err)
	}
	if p.Files[0].Hunks[0].Status != string(plan.HunkStale) {
		t.Errorf("the hunk is %s, want stale", p.Files[0].Hunks[0].Status)
	}
	_, err = there.agent.Approve(there.ctx(), decision.Request{Plan: 1})
	there.wantRefused(err, refusal.Stale)
	there.wantFile("a.txt", "uno\ntwo\n")
}

func TestABadImportLeavesNothing(t *testing.T) {
	s := newSession(t, nil)
	_, err := s.agent.Import(s.ctx(), "plan.json", []byte(`{"format":"redline-plan","version":1}`))
	s.wantRefused(err, refusal.Invalid)
	if state, err := s.agent.State(s.ctx(), true); err != nil || len(state.Plans) != 0 {
		t.Errorf("%+v, %v", state.Plans, err)
	}
}

// Only what names the workspace is made relative: the same letters in another
// name stay.
func TestWhatOnlyLooksLikeTheFolderIsExportedAsItIs(t *testing.T) {
	s := newSession(t, nil)
	deep := "x" + filepath.ToSlash(s.dir) + "/a.txt" // has the folder's name in its own
	s.writeFile(deep, "one\n")
	s.model.will(reply{calls: []model.Call{edit(deep, "one", "1")}}, reply{text: fmt.Sprintf(
		"%[1]s/b.txt: not %[1]s2/b.txt, %[1]s.old, %[1]s-old/b, https://x.org%[1]s/b, /%[1]s; (%[1]s) and %[1]s.", s.dir)})
	s.plan("tidy up")
	document, err := s.agent.Export(s.ctx(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r := document.Revisions[0]
	if args := string(r.Operations[0].Args); r.Operations[0].Path != deep || !strings.Contains(args, strconv.Quote(deep)) {
		t.Errorf("the path is %s, and in the arguments %s", r.Operations[0].Path, args)
	}
	want := fmt.Sprintf("b.txt: not %[1]s2/b.txt, %[1]s.old, %[1]s-old/b, https://x.org%[1]s/b, /%[1]s; (.) and ..", s.dir)
	if r.Description != want {
		t.Errorf("the description is\n%q\nwant\n%q", r.Description, want)
	}
}
