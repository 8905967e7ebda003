package decide_test

import (
	"strings"
	"testing"

	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

func takenOut(p state.Plan) string {
	var ids []string
	for _, o := range p.TakenOut {
		ids = append(ids, o.ID)
	}
	return strings.Join(ids, " ")
}

// A removed operation can be restored, one by one, with the decisions on it; the others stay
// removed and unchanged.
func TestAnOperationIsPutBack(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": nine})
	p := s.Plan("figures", edit("a.txt", "one", "1"), edit("a.txt", "five", "5"), edit("b.txt", "two", "2"))
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}}); err != nil {
		t.Fatal(err)
	}
	s.MustStage(decide.Staging{Remove: []string{"o2"}})
	p = s.MustStage(decide.Staging{Remove: []string{"o3"}})
	if got := operationIDs(p) + " | " + takenOut(p); got != "o1 | o3 o2" {
		t.Errorf("there are %s", got)
	}
	s.Restart() // the store has the same
	if got := takenOut(s.PlanNow(1)); got != "o3 o2" {
		t.Errorf("after a restart %s are out", got)
	}
	p = s.MustStage(decide.Staging{Restore: []string{"o2"}})
	if got := operationIDs(p) + " | " + takenOut(p) + " | " + decidetest.Hunks(p); got != "o1 o2 | o3 | a.txt:h1:pending a.txt:h2:rejected" {
		t.Errorf("there are %s", got)
	}
	if last := p.Revisions[len(p.Revisions)-1]; last.Note != "with o2 again" || last.Author != "user" {
		t.Errorf("the revision is %+v", last)
	}
	p = s.MustStage(decide.Staging{Restore: []string{"o3"}})
	if got := operationIDs(p) + " | " + takenOut(p) + " | " + decidetest.Hunks(p); got != "o1 o2 o3 |  | a.txt:h1:pending a.txt:h2:rejected b.txt:h3:pending" {
		t.Errorf("there are %s", got)
	}
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("b.txt", strings.Replace(nine, "two", "2", 1))
}

// All operations that were cleared can be restored at once.
func TestWhatWasClearedIsPutBack(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	before := s.Plan("figures", edit("a.txt", "one", "1"), edit("a.txt", "five", "5"))
	s.MustStage(decide.Staging{Clear: true})
	p := s.MustStage(decide.Staging{Restore: []string{"o2", "o1"}})
	if got := operationIDs(p); got != "o1 o2" || decidetest.Hunks(p) != decidetest.Hunks(before) {
		t.Errorf("there are %s, hunks %s", got, decidetest.Hunks(p))
	}
}

// An operation that has no place in the plan any more is not restored: the refusal says which
// revision has it.
func TestWhatIsNotPutBack(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.Plan("figures", edit("a.txt", "one", "1"), edit("a.txt", "five", "5"))
	s.MustStage(decide.Staging{Remove: []string{"o2"}})
	p := s.Rework(edit("a.txt", "nine", "9"))
	if got := takenOut(p); got != "" {
		t.Errorf("%s can be put back", got)
	}
	for want, staging := range map[string]decide.Staging{
		"go back to revision 1": {Plan: 1, Restore: []string{"o2"}},
		"is in plan 1 already":  {Plan: 1, Restore: []string{"o1"}},
		"No revision of plan 1": {Plan: 1, Restore: []string{"o9"}},
		"one at a time":         {Plan: 1, Restore: []string{"o2"}, Clear: true},
	} {
		_, err := s.Stage(s.Context(), staging)
		s.WantRefused(err, plan.Invalid)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
