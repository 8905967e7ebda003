package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/internal/pagetest"
)

// The page on the state has every object with its members, and all values of what
// says how far something is.
func TestStatePage(t *testing.T) {
	for _, of := range []struct{ dir, name string }{
		{"agent", "State"}, {"agent", "PlanState"}, {"agent", "StepState"}, {"agent/plan", "Condition"}, {"agent", "OperationState"},
		{"agent", "FileState"}, {"agent", "HunkState"}, {"agent", "WireRange"}, {"agent", "WirePosition"}, {"agent", "CommandState"},
		{"agent/plan", "Drift"}, {"agent", "RevisionState"}, {"agent", "TurnState"}, {"agent", "Usage"}, {"agent/heap", "Summary"},
		{"agent/heap", "Specialism"}, {"agent", "ModelState"}, {"agent", "Result"}, {"agent", "FileResult"},
	} {
		table := pagetest.Table(pagetest.Members(t, of.dir, of.name, pageTypes))
		pagetest.Part(t, "docs/state.md", of.name, strings.ReplaceAll(table, "(state.md#", "(#"), *update)
	}

	var states, statuses strings.Builder
	for _, c := range pagetest.Constants(t, "agent/plan", "State") {
		fmt.Fprintf(&states, "| `%s` | %s |\n", c.Value, meaningOf(t, c))
	}
	pagetest.Part(t, "docs/state.md", "states", "| state | meaning |\n| --- | --- |\n"+states.String(), *update)
	for _, of := range []struct{ what, dir, typ string }{
		{"step", "agent/plan", "StepStatus"}, {"file", "agent/plan", "FileStatus"}, {"hunk", "agent/plan", "HunkStatus"},
		{"command", "agent/plan", "CommandStatus"}, {"specialist", "agent/heap", "State"},
	} {
		for _, c := range pagetest.Constants(t, of.dir, of.typ) {
			fmt.Fprintf(&statuses, "| %s | `%s` | %s |\n", of.what, c.Value, meaningOf(t, c))
		}
	}
	pagetest.Part(t, "docs/state.md", "statuses", "| of a | status | meaning |\n| --- | --- | --- |\n"+statuses.String(), *update)
}

func meaningOf(t *testing.T, c pagetest.Constant) string {
	t.Helper()
	if c.Doc == "" {
		t.Errorf("%s has no comment: nobody is told what it means", c.Name)
	}
	return pagetest.Cell(c.Doc)
}
