package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store/storetest"
	"redline/edits"
	"redline/workspace"
)

const (
	shop = decidetest.Shop
	nine = decidetest.Nine
)

// renamed returns a plan that renames Total in two places: two hunks.
func renamed(s *session) state.Plan {
	s.model.stages(
		edit("shop.go", "func Total(", "func Add("),
		edit("shop.go", "return Total(1, 2)", "return Add(1, 2)"))
	return s.plan("rename Total to Add")
}

// rework makes the model stage more calls on plan 1 and returns the plan.
func (s *session) rework(calls ...model.Call) state.Plan {
	s.t.Helper()
	s.model.stages(calls...)
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "more", "test")
	if err != nil {
		s.t.Fatal(err)
	}
	if turn := s.wait(id); turn.State != "done" {
		s.t.Fatalf("the turn is %s: %v", turn.State, turn.Error)
	}
	return s.state1(1)
}

// stage changes the operations of plan 1, which must succeed.
func (s *session) stage(st decide.Staging) state.Plan {
	s.t.Helper()
	st.Plan = 1
	p, err := s.agent.Stage(s.ctx(), st)
	if err != nil {
		s.t.Fatalf("stage %+v: %v", st, err)
	}
	return p
}

func hunkIDs(p state.Plan) string {
	var ids []string
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			ids = append(ids, f.Path+":"+h.ID+":"+h.Status)
		}
	}
	return strings.Join(ids, " ")
}

func (s *session) preview(file string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, ".redline", "plans", file))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

func replaceIn(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("%q is %d times in\n%s", pairs[i], strings.Count(text, pairs[i]), text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

func operationIDs(p state.Plan) string {
	var ids []string
	for _, o := range p.Operations {
		ids = append(ids, o.ID)
	}
	return strings.Join(ids, " ")
}

// wantHunks checks the hunks of a plan's first file.
func (s *session) wantHunks(n int, want ...string) {
	s.t.Helper()
	for i, h := range s.state1(n).Files[0].Hunks {
		if h.Status != want[i] {
			s.t.Errorf("%s is %s (%s), want %s", h.ID, h.Status, h.Reason, want[i])
		}
	}
}

// inBuffer makes the change in the open buffer, which stays unsaved.
func (s *session) inBuffer(c edits.Change) (edits.Applied, bool) {
	b, _ := s.ws.Buffer(c.Path)
	next, err := edits.Apply(b.Lines.Text(), c.Edits)
	if err != nil {
		s.t.Error(err)
	}
	e := edits.Edit{Span: edits.Span{End: len(b.Lines.Text())}, New: next}
	if err := s.ws.Update(b.URI, b.Version+1, b.Lines.Replace(e), edits.Refine(b.Lines.Text(), e)); err != nil {
		s.t.Error(err)
	}
	return edits.Applied{Path: c.Path, Status: edits.Done, Text: next}, true
}

func (s *session) wantNothingUnfinished() {
	s.t.Helper()
	if left, err := s.store.Unfinished(s.ctx(), s.dir); err != nil || len(left) != 0 {
		s.t.Errorf("unfinished executions: %+v, %v", left, err)
	}
}

// unanswered makes no change and does not answer.
func unanswered(c edits.Change) (edits.Applied, bool) {
	return edits.Applied{Path: c.Path, Status: edits.Unknown, Reason: "no answer"}, true
}

// landsUnanswered makes the change and does not answer.
func (s *session) landsUnanswered(c edits.Change) (edits.Applied, bool) {
	if _, err := workspace.NewDisk(s.ws).Apply(context.Background(), []edits.Change{c}); err != nil {
		s.t.Error(err)
	}
	return unanswered(c)
}

func (s *session) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestCompareNoSuchPlan(t *testing.T) {
	s := newSession(t, nil)
	_, err := s.agent.Compare(s.ctx(), 9, 1, 1)
	s.wantRefused(err, plan.NoSuchPlan)
}

// exported returns a plan as a file.
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

// tamper changes the database behind the store's back.
func (s *session) tamper(statement string) {
	s.t.Helper()
	s.must(storetest.Damage(s.state, statement))
}

// save writes an open file's text to disk, as its editor does.
func (s *session) save(name string) {
	s.t.Helper()
	b, _ := s.ws.Buffer(name)
	s.writeFile(name, b.Lines.Text())
	s.ws.Saved(b.URI, nil)
}

// told returns the number and state of each plan in redline.state, oldest first.
func (s *session) told(a *agent.Agent, all bool) []string {
	s.t.Helper()
	state, err := a.State(s.ctx(), all)
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, p := range state.Plans {
		out = append(out, fmt.Sprintf("%d %s", p.Plan, p.State))
	}
	return out
}
