package brief_test

import (
	"fmt"
	"testing"

	"redline/agent/brief"
	"redline/agent/plan"
)

// An approved command that fails without its plan too counts as a trial does; one that the plan broke,
// or that could not be run, tells nothing of the project.
func TestPast(t *testing.T) {
	one := 1
	p := &plan.Plan{}
	p.Add(plan.Revision{Operations: []plan.Operation{
		{ID: "o1", Tool: "run_command", Command: "vet", Args: []byte(`{"command":"vet"}`)},
		{ID: "o2", Tool: "run_command", Command: "test", Args: []byte(`{"command":"test"}`)},
		{ID: "o3", Tool: "run_command", Command: "lint", Args: []byte(`{"command":"lint"}`)},
	}}, func(plan.Blob) string { return "" })
	p.Progress.MarkCommand("o1", plan.CommandMark{Status: plan.CommandFailed, ExitCode: &one, Verdict: plan.FailsAsBefore})
	p.Progress.MarkCommand("o2", plan.CommandMark{Status: plan.CommandFailed, ExitCode: &one, Verdict: plan.FailsNow})
	p.Progress.MarkCommand("o3", plan.CommandMark{Status: plan.CommandFailed, ExitCode: &one})
	p.AddTrial(plan.Trial{Command: "build", Cwd: "sub", ExitCode: new(int)})
	p.AddTrial(plan.Trial{Command: "fetch", ExitCode: &one, Class: plan.CouldNotRun})
	past := brief.PastOf([]*plan.Plan{p})
	if got, want := fmt.Sprint(past), "[{vet  false} {build sub true}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	found := []brief.Check{{Command: "vet"}, {Command: "test"}, {Command: "build"}, {Command: "vet", Folder: "sub"}, {Command: "build", Folder: "sub"}}
	if got, want := fmt.Sprint(past.Order(found)), "[{build sub } {test  } {build  } {vet sub } {vet  }]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
