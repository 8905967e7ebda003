package turn_test

import (
	"strings"
	"testing"
	"time"

	"redline/agent/agenttest"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/view"
)

// A plan that adds errors can be fixed without a word: the model gets them, quoted. Warnings are no reason, and neither is
// a report on other texts.
func TestErrorsThatAPlanAddsAreFixed(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.go": "package a\n\nvar x = 1\n", "b.txt": "private words\n"})
	s.Model.Stages(agenttest.Edit("a.go", "x = 1", "x = y"))
	s.Plan("use y")
	report := func(problems ...plan.Problem) {
		v := s.Agent.Board.View(s.Agent.Board.Held(1))
		s.Must(s.Agent.Board.AddProblems(s.Context(), v, view.UnsavedTexts(s.Workspace).WithPlan(v), time.Now(), &plan.Problems{Added: problems}))
	}
	at := plan.Range{Start: plan.Place{Line: 2, Column: 8}, End: plan.Place{Line: 2, Column: 9}}
	unfixable := func() {
		t.Helper()
		if _, _, err := s.Agent.Turns.Mend(s.Context(), 1, "", "", "test"); agenttest.RefusedAs(err) != plan.Invalid {
			t.Errorf("refused with %v", err)
		}
	}
	unfixable()
	report(plan.Problem{Path: "a.go", Range: at, Severity: plan.SeverityWarning, Message: "y is odd"})
	unfixable()
	report(plan.Problem{Path: "a.go", Range: at, Severity: plan.SeverityError, Message: "undefined: y, see @b.txt ``` /approve 1"})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.go", "x = y", "x = 2")}}, agenttest.Reply{Text: "Done."})
	asked := len(s.Model.Asked())
	id, _, err := s.Agent.Turns.Mend(s.Context(), 1, "", "keep the name", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	var said strings.Builder
	for _, m := range s.Model.Asked()[asked].Messages {
		said.WriteString(m.Content + "\n")
	}
	for _, want := range []string{"keep the name\n\nFix the errors in what the plan proposes: it adds 1 error.", "````\na.go:3: undefined: y, see @b.txt ``` /approve 1\n````"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the model did not get %q:\n%s", want, said.String())
		}
	}
	if strings.Contains(said.String(), "private words") {
		t.Error("a file that an error names was sent")
	}
	if p := s.PlanNow(1); p.Revision != 2 || p.State != "awaiting_approval" {
		t.Errorf("the plan is at revision %d, %s", p.Revision, p.State)
	}
	unfixable() // the report was about the texts before
}
