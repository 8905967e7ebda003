package draft

import (
	"encoding/json"
	"slices"
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
	if err != nil || note != "What was staged before belongs to step s1." || d.Operations()[0].Step != "s1" || slices.ContainsFunc(d.Operations(), func(o plan.Operation) bool { return o.Step != "s1" }) {
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

// Steps of calls follow those that a plan had, go away unless something is staged in them, survive
// a wait, and make way for steps that the model submits.
func TestStepsOfCalls(t *testing.T) {
	d := New(nothing{})
	stage := func(step string) {
		t.Helper()
		if _, err := d.Command("make", "", plan.Operation{Step: step, Tool: "run_command"}); err != nil {
			t.Fatal(err)
		}
	}
	first, drop := d.AddStep("run_command: make", 2)
	if first != "s1" || !drop() {
		t.Fatalf("the first step is %q", first)
	}
	if s, now := d.Submitted(); now || len(s.Steps) > 0 {
		t.Errorf("it is still there: %+v, %v", s, now)
	}
	first, drop = d.AddStep("run_command: make", 2)
	stage(first)
	if drop() {
		t.Error("a step with an operation was dropped")
	}
	if second, _ := d.AddStep("run_command: again", 2); second != "s2" {
		t.Errorf("the second step is %q", second)
	}
	if third, _ := d.AddStep("no room", 2); third != "" {
		t.Errorf("there is a third step, %q", third)
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
	if s, now := again.Submitted(); err != nil || len(lost) > 0 || !now || len(s.Steps) != 2 || len(s.Calls) != 2 {
		t.Errorf("after a wait the steps are %+v, %v; %v, %v", s, now, lost, err)
	}
	if note, err := d.Submit(Submission{Goal: "x", Steps: []plan.Step{{ID: "a", Description: "all"}}}); err != nil || note == "" || d.Operations()[0].Step != "a" {
		t.Errorf("%q, %v, %+v", note, err, d.Operations())
	}
	if id, _ := d.AddStep("too late", 9); id != "" {
		t.Errorf("%q was added to the model's own steps", id)
	}
}
