package decide_test

import (
	"slices"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

func operationIDs(p state.Plan) string {
	var ids []string
	for _, o := range p.Operations {
		ids = append(ids, o.ID)
	}
	return strings.Join(ids, " ")
}

func TestStagingKeepsWhatWasDecided(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": nine})
	before := s.Plan("figures", edit("a.txt", "one", "1"), edit("a.txt", "five", "5"), edit("a.txt", "nine", "9"), edit("b.txt", "two", "2"))
	s.MustApprove(view.Request{Plan: 1, Hash: before.Hash, Hunks: []string{"h1"}})
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: before.Hash, Hunks: []string{"h3"}, Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	s.Open("a.txt")
	s.TypeAt("a.txt", "two", "typed\n")

	p := s.MustStage(decide.Staging{Remove: []string{"o2", "o2"}})
	if got, want := decidetest.Hunks(p), "a.txt:h1:applied a.txt:h3:rejected b.txt:h4:pending"; got != want {
		t.Errorf("hunks %s, want %s", got, want)
	}
	last := p.Revisions[len(p.Revisions)-1]
	if p.State != "awaiting_approval" || p.Revision != 2 || last.Author != "user" || last.Parent != 1 || last.Note != "without o2" || last.Hash == before.Hash {
		t.Errorf("%s, %+v", p.State, last)
	}
	// An approval with the hash of the revision before is refused.
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: before.Hash})
	s.WantRefused(err, plan.HashMismatch)

	s.Restart() // the store has the same
	if got, want := decidetest.Hunks(s.PlanNow(1)), "a.txt:h1:applied a.txt:h3:rejected b.txt:h4:pending"; got != want {
		t.Errorf("after a restart hunks %s, want %s", got, want)
	}
	if r := s.MustApprove(view.Request{Plan: 1}); r.State != "completed" {
		t.Errorf("state %s", r.State)
	}
	s.WantFile("b.txt", strings.Replace(nine, "two", "2", 1))
	s.MustUndo(view.Request{Plan: 1})
	s.WantFile("b.txt", nine)
	s.WantFile("a.txt", nine) // the typing was never saved
}

func TestStagingAgainAfterARework(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.Plan("figures", edit("a.txt", "one", "1!"), edit("a.txt", "!", "?"))
	s.Open("a.txt")
	s.TypeAt("a.txt", "one", "typed\n")
	p := s.Rework(edit("a.txt", "nine", "9"))
	if got := operationIDs(p); got != "o1 o2 o3" {
		t.Fatalf("operations %s", got)
	}
	// The revision is made from the text with the typing.
	p = s.MustStage(decide.Staging{Remove: []string{"o2"}})
	if got := operationIDs(p); got != "o1 o3" {
		t.Errorf("operations %s", got)
	}
	diff := s.Board.View(s.Board.Held(1)).Diff()
	if !strings.Contains(diff, "\n typed\n-one\n+1!\n") || !strings.Contains(diff, "\n+9\n") {
		t.Errorf("the diff is\n%s", diff)
	}
}

func TestNothingStaged(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": nine})
	s.Plan("figures", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"))
	p := s.MustStage(decide.Staging{Clear: true})
	if p.State != "awaiting_approval" || len(p.Operations)+len(p.Files)+len(p.Steps) != 0 || p.Revisions[1].Note != "nothing staged" {
		t.Errorf("%+v", p)
	}
	_, err := s.Approve(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.WrongState)
	_, err = s.Stage(s.Context(), decide.Staging{Plan: 1, Clear: true})
	s.WantRefused(err, plan.WrongState)
	_, err = s.Reject(s.Context(), view.Request{Plan: 1, Paths: []string{"a.txt"}})
	s.WantRefused(err, plan.Invalid)
	// A rework starts without operations.
	if p = s.Rework(edit("b.txt", "nine", "9")); operationIDs(p) != "o3" || decidetest.Hunks(p) != "b.txt:h3:pending" {
		t.Errorf("operations %s, hunks %s", operationIDs(p), decidetest.Hunks(p))
	}
	p = s.MustStage(decide.Staging{Remove: []string{"o3"}})
	if p, err = s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err != nil || p.State != "cancelled" {
		t.Errorf("%s, %v", p.State, err)
	}
}

func TestNothingLeftOfAPlanThatWasAppliedInPart(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": nine})
	s.Plan("figures", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"))
	s.MustApprove(view.Request{Plan: 1, Paths: []string{"a.txt"}})
	p := s.MustStage(decide.Staging{Remove: []string{"o2"}})
	if p.State != "awaiting_approval" || decidetest.Hunks(p) != "a.txt:h1:applied" {
		t.Errorf("%s, %s", p.State, decidetest.Hunks(p))
	}
	p, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	if err != nil || p.State != "completed" {
		t.Errorf("%s, %v", p.State, err)
	}
	s.WantFile("a.txt", strings.Replace(nine, "one", "1", 1))
	s.MustUndo(view.Request{Plan: 1})
	s.WantFile("a.txt", nine)
}

func TestOrder(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": nine})
	p := s.Plan("figures", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("a.txt", "five", "5"),
		call("run_command", map[string]any{"command": "make"}), call("write_file", map[string]any{"path": "c.txt", "content": "c\n"}))
	if want := []string{"o1", "o2", "o3", "o5", "o4"}; !slices.Equal(p.SuggestedOrder, want) {
		t.Errorf("suggested %v, want %v", p.SuggestedOrder, want)
	}
	before := decidetest.Hunks(p)
	p = s.MustStage(decide.Staging{Order: []string{"o2", "o1"}})
	if operationIDs(p) != "o2 o1 o3 o4 o5" || p.Revisions[1].Note != "o2 before o1" {
		t.Errorf("operations %s: %s", operationIDs(p), p.Revisions[1].Note)
	}
	if got, want := decidetest.Hunks(p), "b.txt:h3:pending a.txt:h1:pending a.txt:h2:pending c.txt:h4:pending"; got != want {
		t.Errorf("hunks %s, want %s (they were %s)", got, want, before)
	}
	p = s.MustStage(decide.Staging{Order: p.SuggestedOrder})
	if operationIDs(p) != "o2 o1 o3 o5 o4" || p.SuggestedOrder != nil {
		t.Errorf("operations %s, suggested %v", operationIDs(p), p.SuggestedOrder)
	}
	if got := p.Operations[4].DependsOn; !slices.Equal(got, []string{"o2", "o1", "o3", "o5"}) {
		t.Errorf("o4 depends on %v", got)
	}
	// The files are changed in that order.
	s.MustApprove(view.Request{Plan: 1})
	var got []string
	for _, c := range s.Editor.Asked() {
		got = append(got, c.Path)
	}
	if !slices.Equal(got, []string{"b.txt", "a.txt", "c.txt"}) {
		t.Errorf("changed %v", got)
	}
}

func TestStagingRefuses(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	p := s.Plan("figures", edit("a.txt", "one", "1"), call("run_command", map[string]any{"command": "make"}))
	for name, c := range map[string]struct {
		st   decide.Staging
		kind plan.RefusalKind
	}{
		"no such plan":      {decide.Staging{Plan: 9, Clear: true}, plan.NoSuchPlan},
		"no such operation": {decide.Staging{Plan: 1, Remove: []string{"o9"}}, plan.Invalid},
		"no name":           {decide.Staging{Plan: 1, Remove: []string{""}}, plan.Invalid},
		"two at a time":     {decide.Staging{Plan: 1, Remove: []string{"o1"}, Clear: true}, plan.Invalid},
		"no order":          {decide.Staging{Plan: 1, Order: []string{"o1", "o1"}}, plan.Invalid},
		"as it is":          {decide.Staging{Plan: 1, Order: []string{"o2"}}, plan.Invalid},
		"broken":            {decide.Staging{Plan: 1, Order: []string{"o2", "o1"}}, plan.Invalid},
	} {
		_, err := s.Stage(s.Context(), c.st)
		if refusal, ok := err.(*plan.Refusal); !ok || refusal.Kind != c.kind {
			t.Errorf("%s: got %v, want a refusal %s", name, err, c.kind)
		}
	}
	if now := s.PlanNow(1); now.Hash != p.Hash || len(now.Revisions) != 1 {
		t.Errorf("something was changed: %+v", now.Revisions)
	}
}

// While a turn drafts a plan, nobody else can stage it.
func TestStagingWhileATurnDrafts(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": decidetest.Nine})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("figures")
	wait, begun := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "x", Wait: wait, Begun: begun})
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	_, err = s.Agent.Stage(s.Context(), decide.Staging{Plan: 1, Clear: true})
	s.WantRefused(err, plan.WrongState)
	close(wait)
	s.Wait(id)
}
