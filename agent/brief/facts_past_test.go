package brief_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent/plan"
)

// Checks that cannot run here are not named; those that passed last come first, and one that fails
// without a plan's edits too is last and says so, until it passes.
func TestWhatIsKnownOfChecks(t *testing.T) {
	p := newProject(t, map[string]string{"go.mod": "module x", "Makefile": "test:\nlint:\n", "a.go": ""}, patient, "go")
	one := 1
	tried := func(n int, trials ...plan.Trial) {
		t.Helper()
		pl := &plan.Plan{Conversation: "c1", Goal: "x", State: plan.Completed}
		pl.Add(plan.Revision{Author: plan.AuthorModel}, func(plan.Blob) string { return "" })
		for _, one := range trials {
			pl.AddTrial(one)
		}
		if err := p.session.Store.CreatePlan(t.Context(), p.session.Key(), pl, nil); err != nil {
			t.Fatal(err)
		}
		if err := p.session.Store.SaveTrials(t.Context(), p.session.Key(), pl); err != nil || pl.Number != n {
			t.Fatal(pl.Number, err)
		}
		p.later(time.Hour)
	}
	want := func(checks, passed string) {
		t.Helper()
		var got []string
		for _, line := range p.lines("") {
			if strings.HasPrefix(line, "checks: ") || strings.HasPrefix(line, "passed here before: ") {
				got = append(got, line)
			}
		}
		lines := []string{"checks: " + checks}
		if passed != "" {
			lines = append(lines, "passed here before: "+passed)
		}
		if !slices.Equal(got, lines) {
			t.Errorf("the facts are\n%s", strings.Join(got, "\n"))
		}
	}
	want("`go build ./...`, `go vet ./...`, `go test ./...` (go.mod)", "")
	tried(1, plan.Trial{Command: "go build ./...", ExitCode: &one, Class: plan.FailsAsBefore}, plan.Trial{Command: "go test ./...", ExitCode: new(int)})
	want("`go test ./...`, `go vet ./...`, `go build ./...` (fails without your edits too) (go.mod)", "`go test ./...`")
	tried(2, plan.Trial{Command: "go vet ./...", ExitCode: new(int)}, plan.Trial{Command: "go test ./...", ExitCode: &one, Class: plan.FailsNow})
	want("`go vet ./...`, `go test ./...`, `go build ./...` (fails without your edits too) (go.mod)", "`go vet ./...`, `go test ./...`")
	tried(3, plan.Trial{Command: "go build ./...", ExitCode: new(int)}, plan.Trial{Command: "go vet ./...", ExitCode: &one, Class: plan.StillFails})
	want("`go build ./...`, `go test ./...`, `go vet ./...` (fails without your edits too) (go.mod)", "`go build ./...`, `go test ./...`")
}
