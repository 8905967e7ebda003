package plan

import (
	"slices"
	"strings"
	"testing"
)

// steps has, for the statuses of a step's operations, the status of the step.
// One line for each status that an operation can have by itself, and for the
// pairs in which they tell something of each other.
const stepStatuses = `
-                           pending
pending                     pending
stale                       pending
waiting_for_save            pending
applying                    in_progress
unverified                  in_progress
running                     in_progress
applied                     completed
succeeded                   completed
failed                      failed
rejected                    pending
skipped                     pending
applied pending             in_progress
applied stale               in_progress
applied waiting_for_save    in_progress
applied running             in_progress
applied applying            in_progress
applied succeeded           completed
applied rejected            completed
applied skipped             completed
succeeded skipped           completed
succeeded rejected          completed
succeeded pending           in_progress
rejected pending            pending
rejected skipped            pending
rejected applying           in_progress
failed skipped              failed
failed applied              failed
failed running              failed
failed pending              failed
failed rejected             failed
`

func TestStepsFollowTheirOperations(t *testing.T) {
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(stepStatuses), "\n") {
		words := strings.Fields(line)
		operations, want := words[:len(words)-1], StepStatus(words[len(words)-1])
		if operations[0] == "-" {
			operations = nil
		}
		for range 2 { // the order of the operations does not matter
			p, r := &Plan{}, &Revision{Steps: []Step{{ID: "s1"}, {ID: "s2"}}}
			for range operations {
				r.Operations = append(r.Operations, Operation{Step: "s1"})
			}
			r.Operations = append(r.Operations, Operation{Step: "s2"}) // another step's does not count
			if got := p.Steps(r, append(slices.Clone(operations), string(FileFailed)))[0]; got != want {
				t.Errorf("%v: the step is %s, want %s", operations, got, want)
			}
			slices.Reverse(operations)
		}
		for _, o := range operations {
			seen[o] = true
		}
	}
	all := []string{
		string(FilePending), string(FileApplying), string(FileApplied), string(FileRejected), string(FileStale), string(FileFailed), string(FileUnverified),
		string(CommandWaitingForSave), string(CommandRunning), string(CommandSucceeded), string(CommandSkipped),
	}
	for _, status := range all {
		if !seen[status] {
			t.Errorf("the table does not have the status %s", status)
		}
	}
}

func TestEachOperationBelongsToAStep(t *testing.T) {
	noText := func(Blob) string { return "" }
	p := &Plan{Number: 1, Goal: "figures"}
	r := p.Add(Revision{Operations: []Operation{{ID: "o1"}, {ID: "o2", Step: "s9"}}}, noText)
	if len(r.Steps) != 1 || r.Steps[0].Description != "figures" || r.Operations[0].Step != "s1" || r.Operations[1].Step != "s1" {
		t.Errorf("without steps: %+v, %+v", r.Steps, r.Operations)
	}
	given := []Operation{{ID: "o1", Step: "b"}, {ID: "o2"}}
	r = p.Add(Revision{Steps: []Step{{ID: "a"}, {ID: "b"}}, Operations: given}, noText)
	if r.Operations[0].Step != "b" || r.Operations[1].Step != "a" || given[1].Step != "" {
		t.Errorf("with steps: %+v, from %+v", r.Operations, given)
	}
	if r.Hash != ApprovalHash(1, r) {
		t.Error("the hash is not of what is in the revision")
	}
	r = p.Add(Revision{}, noText)
	if len(r.Steps) != 0 {
		t.Errorf("a revision without operations has got steps: %+v", r.Steps)
	}
}

// In a completed plan a step without operations is done, unless it is known not to be.
func TestStepsThatNeededNothing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *Plan, r *Revision)
		want   StepStatus
	}{
		"completed":             {nil, StepCompleted},
		"not completed":         {func(p *Plan, _ *Revision) { p.State = Reviewing }, StepPending},
		"cancelled":             {func(p *Plan, _ *Revision) { p.State = Cancelled }, StepPending},
		"left undone":           {func(_ *Plan, r *Revision) { r.Unfinished.Stopped = "The limit was reached." }, StepPending},
		"after one that is not": {func(_ *Plan, r *Revision) { r.Steps[0].DependsOn = []string{"s3"} }, StepPending},
		"after one that is":     {func(_ *Plan, r *Revision) { r.Steps[0].DependsOn = []string{"s2", "s4"} }, StepCompleted},
		"its condition does not hold": {func(_ *Plan, r *Revision) {
			r.Steps[0].When = &Condition{Step: "s2", Outcome: OutcomeFailed}
		}, StepSkipped},
		"its operation was taken out": {func(p *Plan, r *Revision) {
			p.Revisions[0].Operations = append(slices.Clone(r.Operations), Operation{ID: "o9", Step: "s1", Tool: "edit_file"})
		}, StepPending},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Revision{
				Number: 2, Parent: 1, Steps: []Step{{ID: "s1"}, {ID: "s2"}, {ID: "s3"}, {ID: "s4"}},
				Operations: []Operation{{ID: "o1", Step: "s2", Tool: "run_command", Command: "true"}, {ID: "o2", Step: "s3", Tool: "run_command", Command: "false"}},
			}
			p := &Plan{State: Completed, Current: 2, Revisions: []Revision{{Number: 1, Operations: r.Operations}}}
			p.Progress.MarkCommand("o1", CommandMark{Status: CommandSucceeded})
			p.Progress.MarkCommand("o2", CommandMark{Status: CommandRejected})
			if c.change != nil {
				c.change(p, r)
			}
			if got := p.Steps(r, p.Operations(r))[0]; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
