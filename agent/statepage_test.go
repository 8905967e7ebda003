package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/state/eventtest"
	"redline/internal/pagetest"
)

// The page on the state has every object with its members, and all values of each status and state.
func TestStatePage(t *testing.T) {
	for _, of := range []struct{ dir, name string }{
		{"agent/state", "State"}, {"agent/state", "Plan"}, {"agent/state", "Step"}, {"agent/plan", "Condition"}, {"agent/state", "Operation"},
		{"agent/state", "File"}, {"agent/state", "Hunk"}, {"agent/state", "Row"}, {"agent/state", "Range"}, {"agent/state", "Position"}, {"agent/state", "Command"}, {"agent/state", "Trial"}, {"agent/state", "Baseline"}, {"agent/state", "Problems"}, {"agent/state", "Problem"}, {"agent/plan", "Checked"},
		{"agent/plan", "Drift"}, {"agent/plan", "PredictedFile"}, {"agent/plan", "Refused"}, {"agent/plan", "Comment"}, {"agent/plan", "Shared"}, {"agent/plan", "Elsewhere"}, {"agent/plan", "TriedBy"}, {"agent/state", "Revision"}, {"agent/state", "Turn"}, {"agent/state", "Usage"}, {"agent/state", "PlanSummary"},
		{"agent/state", "Contribution"}, {"agent/state", "Model"}, {"agent/state", "Outside"}, {"agent/state", "Conversation"}, {"agent/state", "Exchange"}, {"agent/state", "Result"}, {"agent/state", "FileResult"},
	} {
		table := pagetest.Table(pagetest.Members(t, of.dir, of.name, eventtest.PageTypes))
		pagetest.Part(t, "docs/reference/state.md", of.name, strings.ReplaceAll(table, "(state.md#", "(#"), *update)
	}

	var states, statuses strings.Builder
	for _, c := range pagetest.Constants(t, "agent/plan", "State") {
		fmt.Fprintf(&states, "| `%s` | %s |\n", c.Value, meaningOf(t, c))
	}
	pagetest.Part(t, "docs/reference/state.md", "states", "| state | meaning |\n| --- | --- |\n"+states.String(), *update)
	for _, of := range []struct{ what, dir, typ string }{
		{"step", "agent/plan", "StepStatus"}, {"file", "agent/plan", "FileStatus"}, {"hunk", "agent/plan", "HunkStatus"},
		{"command", "agent/plan", "CommandStatus"}, {"specialist", "agent/orchestrator", "State"},
	} {
		for _, c := range pagetest.Constants(t, of.dir, of.typ) {
			fmt.Fprintf(&statuses, "| %s | `%s` | %s |\n", of.what, c.Value, meaningOf(t, c))
		}
	}
	pagetest.Part(t, "docs/reference/state.md", "statuses", "| of a | status | meaning |\n| --- | --- | --- |\n"+statuses.String(), *update)
}

// The pages on the records that the command line prints with --json have them too.
func TestJSONPages(t *testing.T) {
	called := map[string]string{
		"Event": "text", "State": "text", "time.Time": "text",
		"Scope": "[scope](#a-scope)", "Command": "[command](#a-command)", "Trial": "[trial](#a-trial)", "Outcome": "[outcome](#an-outcome)", "File": "[file](#a-file)", "Link": "[link](#a-link)",
		"PlanFigures": "[plans](#plans)", "Figure": "[figure](#a-figure)", "ExecutionFigures": "[execution](#execution)", "HunkFigures": "[hunks](#hunks)", "TokenFigures": "[tokens](#tokens)", "DriftFigures": "[drift](#drift)", "FallbackFigures": "[fallbacks](#fallbacks)",
		"Step": "[step](events.md#a-step-of-a-trace)", "PrunedPlan": "`{workspace, plan, goal, updated}`",
	}
	for _, of := range []struct {
		page, dir string
		names     []string
	}{
		{"docs/reference/records.md", "agent/audit", []string{"Record", "Scope", "Command", "Trial", "Outcome", "File", "Link"}},
		{"docs/reference/stats.md", "agent/store", []string{"Stats", "Figure", "PlanFigures", "ExecutionFigures", "HunkFigures", "TokenFigures", "DriftFigures", "FallbackFigures"}},
		{"docs/reference/records.md", "agent/trace", []string{"Trace"}},
		{"docs/reference/records.md", "agent/decide", []string{"Pruned", "PrunedPlan"}},
	} {
		for _, name := range of.names {
			pagetest.Part(t, of.page, name, pagetest.Table(pagetest.Members(t, of.dir, name, called)), *update)
		}
	}

	var kinds strings.Builder
	for _, c := range pagetest.Constants(t, "agent/trace", "Kind") {
		fmt.Fprintf(&kinds, "| `%s` | %s |\n", c.Value, meaningOf(t, c))
	}
	pagetest.Part(t, "docs/reference/records.md", "kinds", "| kind | tells |\n| --- | --- |\n"+kinds.String(), *update)
}

func meaningOf(t *testing.T, c pagetest.Constant) string {
	t.Helper()
	if c.Doc == "" {
		t.Errorf("%s has no comment: nobody is told what it means", c.Name)
	}
	return pagetest.Cell(c.Doc)
}
