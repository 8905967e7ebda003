package decide_test

import (
	"slices"
	"testing"

	"redline/agent/state"
	"redline/agent/view"
)

// equal has a line three times: a replace_all of it makes three equal hunks.
const equal = "a\nfoo\nb\nfoo\nc\nfoo\ntail\n"

func equalHunks(s *session) state.Plan {
	return s.Plan("bar it", call("edit_file", map[string]any{"path": "f", "old_string": "foo", "new_string": "bar", "replace_all": true}))
}

// wantListed checks all hunks of the plan's first file, each as "h1 pending".
func (s *session) wantListed(p state.Plan, want ...string) {
	s.t.Helper()
	var got []string
	for _, h := range p.Files[0].Hunks {
		got = append(got, h.ID+" "+h.Status)
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("hunks %q, want %q", got, want)
	}
}

func TestAReworkDoesNotPassARejectionToAnEqualHunk(t *testing.T) {
	s := newSession(t, map[string]string{"f": equal})
	p := equalHunks(s)
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}); err != nil {
		t.Fatal(err)
	}
	p = s.Rework(edit("f", "tail", "TAIL"))
	s.wantListed(p, "h2 pending", "h3 pending", "h4 pending")
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("f", "a\nfoo\nb\nbar\nc\nbar\nTAIL\n")
	s.wantListed(s.PlanNow(1), "h2 applied", "h3 applied", "h4 applied")
}

func TestAReworkDoesNotPassAnApprovalToAnEqualHunk(t *testing.T) {
	s := newSession(t, map[string]string{"f": equal})
	p := equalHunks(s)
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	p = s.Rework(edit("f", "tail", "TAIL"))
	s.wantListed(p, "h2 pending", "h3 pending", "h4 pending")
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("f", "a\nbar\nb\nbar\nc\nbar\nTAIL\n")
	s.MustUndo(view.Request{Plan: 1})
	s.WantFile("f", equal)
}
