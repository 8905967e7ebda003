package decide_test

import (
	"fmt"
	"slices"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

// fortyFiles is a plan of forty files.
func fortyFiles(t *testing.T) (*session, state.Plan) {
	files := map[string]string{}
	var calls []decidetest.Call
	for i := range 40 {
		name := fmt.Sprintf("f%02d.txt", i+1)
		files[name] = "two\n"
		calls = append(calls, edit(name, "two", "2"))
	}
	s := newSession(t, files)
	return s, s.Plan("figures", calls...)
}

// following calls f for each event about a plan that is executing.
func (s *session) following(f func(p state.Plan)) {
	before := s.Editor.OnEvent
	s.Editor.OnEvent = func(e state.Event) {
		before(e)
		if e.Kind == state.PlanChanged && e.Plan.State == string(plan.Executing) {
			f(*e.Plan)
		}
	}
}

// applied counts the files of a plan that are applied, and wants all others to have the other
// status.
func (s *session) applied(p state.Plan, other plan.FileStatus) (n int) {
	for _, f := range p.Files {
		switch f.Status {
		case string(plan.FileApplied):
			n++
		case string(other):
		default:
			s.t.Errorf("%s is %s", f.Path, f.Status)
		}
	}
	return n
}

// An event reports each file once it is applied, and the store claims nothing before the result
// of the whole approval is known: a process that is killed meanwhile leaves that to the texts.
func TestEachFileIsReportedAsItIsApplied(t *testing.T) {
	s, p := fortyFiles(t)
	var counts []int
	s.following(func(p state.Plan) {
		counts = append(counts, s.applied(p, plan.FileApplying))
		stored, err := s.Store.Plan(s.Context(), s.Session.Key(), 1)
		s.Must(err)
		for path, m := range stored.Progress.Files {
			if m.Status != plan.FileApplying {
				t.Errorf("with %d files applied the store has %s as %s", counts[len(counts)-1], path, m.Status)
			}
		}
		if stored.Applied() {
			t.Errorf("with %d files applied the store has something as applied", counts[len(counts)-1])
		}
	})
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.Must(err)
	for i := range 41 {
		if len(counts) != 41 || counts[i] != i {
			t.Fatalf("the events have %v files applied", counts)
		}
	}
	if now := s.PlanNow(1); s.applied(now, "") != 40 || now.State != "completed" {
		t.Errorf("the plan is %s", now.State)
	}
}

// A file that is reverted, because a later one was refused, gets its former status in an event, and
// an undo reports file by file as well.
func TestEachFileIsReportedAsItIsTakenBack(t *testing.T) {
	s, p := fortyFiles(t)
	var counts []int
	s.following(func(p state.Plan) {
		n := 0
		for _, f := range p.Files {
			if f.Status == string(plan.FileApplied) {
				n++
			}
		}
		if len(counts) == 0 || counts[len(counts)-1] != n {
			counts = append(counts, n)
		}
	})
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "no"}, c.Path == "f30.txt"
	}
	if _, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err == nil {
		t.Fatal("the approval was not refused")
	}
	var want []int
	for i := range 59 {
		want = append(want, min(i, 58-i))
	}
	if !slices.Equal(counts, want) {
		t.Errorf("the events have %v files applied", counts)
	}
	if now := s.PlanNow(1); s.applied(now, plan.FilePending) != 0 || now.State != "awaiting_approval" {
		t.Errorf("the plan is %s", now.State)
	}
}
