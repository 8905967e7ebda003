package orchestrator

import (
	"strings"
	"testing"
)

// A planner, and who chooses for a delegator, reads what each specialist may use, and whom a
// delegator stands for.
func TestPlannersSeeTheOptionGroups(t *testing.T) {
	r := specialistsRegistry(t, agentFile("helper", "---\ndescription: helps\ntools: [read, fetch]\n---\nYou help.\n"))
	system := planRequest("Plan.", r, "", "do it")[0].Content
	for _, want := range []string{
		"- general [files, edit, command, fetch, mcp]: does whatever",
		"- code [files, edit, try, fetch, mcp]: changes source code",
		"- agents [files, edit]: writes agent files",
		"- review [files, fetch, mcp]: reads code",
		"- improve [one of code, tests, docs, agents]: makes better",
		"- helper [files, fetch]: helps",
	} {
		if !strings.Contains(system, want) {
			t.Errorf("the planner does not read %q:\n%s", want, system)
		}
	}
	chooser := r.choiceRequest("Choose.", []*Specialist{r.Find("docs"), r.Find("agents")}, "mend it")[0].Content
	if !strings.Contains(chooser, "- docs [files, edit, try, fetch, mcp]: ") || !strings.Contains(chooser, "- agents [files, edit]: ") || strings.Contains(chooser, "general") {
		t.Errorf("the chooser reads:\n%s", chooser)
	}
	improver := r.ForImprovers()
	for _, want := range []string{"- edit: edit_file, write_file\n", "- helper [files, fetch]", "- improve [one of code, tests, docs, agents]"} {
		if !strings.Contains(improver, want) {
			t.Errorf("an improver does not read %q:\n%s", want, improver)
		}
	}
}
