package plan

import (
	"encoding/json"
	"fmt"
	"testing"
)

// A command that differs in the next revision has not been run.
func TestACommandThatWasChangedIsPendingAgain(t *testing.T) {
	p := &Plan{Number: 1, State: Reviewing}
	none := func(Blob) string { return "" }
	run := func(id, line string) Operation {
		return Operation{ID: id, Tool: "run_command", Command: line, Args: json.RawMessage(`{"command":"` + line + `"}`)}
	}
	p.Add(Revision{Operations: []Operation{run("o1", "make"), run("o2", "make"), run("o3", "make"), run("o4", "make")}}, none)
	p.Progress.MarkCommand("o1", CommandMark{Status: CommandSucceeded})
	p.Progress.MarkCommand("o2", CommandMark{Status: CommandSucceeded})
	p.Progress.MarkCommand("o3", CommandMark{Status: CommandFailed})
	p.Progress.MarkCommand("o4", CommandMark{Status: CommandRejected})
	r := p.Add(Revision{Operations: []Operation{run("o1", "make"), run("o2", "rm"), run("o3", "make"), run("o4", "make")}}, none)
	if got := fmt.Sprint(p.Operations(r)); got != "[succeeded pending pending rejected]" {
		t.Error(got)
	}
	if got := fmt.Sprint(p.Runnable(r), p.Runs(r)); got != "[o2 o3] [o1 o2 o3 o4]" {
		t.Error(got)
	}
}
