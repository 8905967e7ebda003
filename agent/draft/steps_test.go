package draft

import (
	"encoding/json"
	"strings"
	"testing"

	"redline/agent/plan"
	"redline/workspace"
)

// nothing is a workspace without files.
type nothing struct{}

func (nothing) Read(string) (workspace.File, error) { return workspace.File{}, nil }

func twoSteps() Submission {
	return Submission{Goal: "g", Steps: []plan.Step{
		{ID: "s1", Description: "a"}, {ID: "s2", Description: "b", When: &plan.Condition{Step: "s1", Outcome: plan.OutcomeFailed}},
	}}
}

// A submitted plan stays with the draft: in a fork, when it is parked, and in the draft
// that follows it in the turn.
func TestSubmittedStepsStay(t *testing.T) {
	d := New(nothing{})
	if _, err := d.Command("make", "", plan.Operation{Step: "x", Tool: "run_command"}); err != nil {
		t.Fatal(err)
	}
	submission := twoSteps()
	submission.Report = true
	note, err := d.Submit(submission)
	if err != nil || note != "What was staged before belongs to step s1." || d.Operations()[0].Step != "s1" || d.Steps() != 1 {
		t.Fatalf("%q, %v, %+v", note, err, d.Operations())
	}
	doc, err := json.Marshal(d.Park())
	if err != nil {
		t.Fatal(err)
	}
	var parked Parked
	if err := json.Unmarshal(doc, &parked); err != nil {
		t.Fatal(err)
	}
	again, lost, err := Unpark(nothing{}, parked, func(w Reader) (*Draft, error) { return New(w), nil }, nil)
	if err != nil || len(lost) > 0 {
		t.Fatal(lost, err)
	}
	next := New(nothing{})
	next.ContinueFrom(again)
	for name, of := range map[string]*Draft{"fork": d.Fork(), "parked": again, "next": next} {
		s, now := of.Submitted()
		if !now || !s.Report || s.Goal != "g" || len(s.Steps) != 2 || s.Steps[1].When == nil || s.Steps[1].When.Outcome != plan.OutcomeFailed {
			t.Errorf("%s: %+v, %v", name, s, now)
		}
	}
}

// Steps that have operations cannot be removed, and a condition cannot be put on an edit.
func TestStepsThatHaveOperations(t *testing.T) {
	d := New(nothing{})
	if _, err := d.Submit(Submission{Goal: "g", Steps: []plan.Step{{ID: "s1", Description: "a"}, {ID: "s2", Description: "b"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Write("a", "x\n", plan.Operation{Step: "s2", Tool: "write_file"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Submit(Submission{Goal: "g", Steps: []plan.Step{{ID: "s1", Description: "a"}}}); err == nil || !strings.Contains(err.Error(), "step s2 has operations already (write_file a)") {
		t.Error(err)
	}
	if _, err := d.Submit(twoSteps()); err == nil || !strings.Contains(err.Error(), "write_file a changes a file and cannot be in step s2") {
		t.Error(err)
	}
	if s, _ := d.Submitted(); len(s.Steps) != 2 || s.Steps[1].When != nil {
		t.Errorf("a refused plan has changed the draft: %+v", s)
	}
}
