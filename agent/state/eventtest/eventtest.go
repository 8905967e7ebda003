// Package eventtest checks events against the comments in package state, which docs/reference/events.md is
// made from.
package eventtest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"redline/agent/state"
	"redline/internal/pagetest"
)

// PageTypes are the names of types of members on the pages on events and on the state.
var PageTypes = map[string]string{
	"State": "text", "Outcome": "text", "EventKind": "text", "Kind": "text", "time.Time": "text",
	"Plan": "[plan](state.md#a-plan)", "state.Plan": "[plan](state.md#a-plan)", "state.Usage": "[usage](state.md#usage)", "Turn": "[turn](state.md#a-turn)", "Model": "[model](state.md#the-model)",
	"Step": "[step](state.md#a-step)", "plan.Condition": "[condition](state.md#a-condition)", "plan.Drift": "[drift](state.md#the-drift)", "plan.PredictedFile": "[predicted file](state.md#a-predicted-file)", "PredictedStatus": "text", "plan.Refused": "[refused call](state.md#a-refused-call)", "plan.Comment": "[comment](state.md#a-comment)", "CommentSide": "text", "plan.Shared": "[what came from elsewhere](state.md#what-came-from-elsewhere)", "Elsewhere": "[decision](state.md#a-decision-elsewhere)", "TriedBy": "[trial](state.md#a-trial-elsewhere)", "Verdict": "text", "Class": "text",
	"Operation": "[operation](state.md#an-operation)", "File": "[file](state.md#a-file)", "Hunk": "[hunk](state.md#a-hunk)", "Row": "[row](state.md#a-row)",
	"Range": "[range](state.md#a-range)", "Position": "[position](state.md#a-range)",
	"Command": "[command](state.md#a-command)", "Revision": "[revision](state.md#a-revision)", "Usage": "[usage](state.md#usage)",
	"PlanSummary": "[specialists](state.md#what-specialists-did)", "state.PlanSummary": "[specialists](state.md#what-specialists-did)", "Contribution": "[specialist](state.md#what-specialists-did)",
	"Trial": "[trial](state.md#a-trial)", "state.Trial": "[trial](state.md#a-trial)", "Baseline": "[baseline](state.md#a-trial)",
	"Problems": "[problems](state.md#problems)", "Problem": "[problem](state.md#problems)", "plan.Checked": "[server](state.md#problems)",
	"FileResult": "[file result](state.md#the-result-of-a-decision)", "trace.Step": "[step of a trace](events.md#a-step-of-a-trace)",
	"Outside": "[outside agent](state.md#an-outside-agent)", "Exchange": "[exchange](state.md#an-exchange)",
	"Intent": "[flags](events.md#what-a-message-wants)",
}

// Kind is a documented kind of event.
type Kind struct {
	Name, When string
	Members    []pagetest.Member // besides kind, and those of any kind
}

var (
	documentedOnce sync.Once
	documentedAll  []Kind
)

// Kinds returns the kinds of events that the comments in event.go document, in order. The first,
// "any", has the members of all kinds.
func Kinds(t testing.TB) []Kind {
	t.Helper()
	documentedOnce.Do(func() {
		all := []Kind{{Name: "any"}}
		at := map[string]int{"any": 0}
		for _, c := range pagetest.Constants(t, "agent/state", "EventKind") {
			at[c.Value] = len(all)
			all = append(all, Kind{Name: c.Value, When: c.Doc})
		}
		for _, m := range pagetest.Members(t, "agent/state", "Event", PageTypes) {
			for line := range strings.SplitSeq(m.Doc, "\n") {
				kinds, meaning, ok := strings.Cut(line, ": ")
				if m.Name == "kind" {
					break
				}
				for kind := range strings.SplitSeq(kinds, ", ") {
					i, known := at[kind]
					if !known || !ok {
						t.Fatalf("event.go: the comment of %s has the line %q, want KIND: what it is there", m.Name, line)
					}
					all[i].Members = append(all[i].Members, pagetest.Member{Name: m.Name, Type: m.Type, Doc: meaning})
				}
			}
		}
		documentedAll = all
	})
	if documentedAll == nil {
		t.Fatal("the comments in event.go cannot be read")
	}
	return documentedAll
}

// Check returns a function that fails the test if an event has a member that the comments in
// event.go do not name for its kind. It returns nil in a process that a test has started outside
// the repository.
func Check(t testing.TB) func(state.Event) {
	t.Helper()
	if !pagetest.InRepository() {
		return nil
	}
	all := Kinds(t)
	return func(e state.Event) { wantDocumented(t, all, e) }
}

func wantDocumented(t testing.TB, all []Kind, e state.Event) {
	t.Helper()
	allowed := map[string]bool{"kind": true}
	known := false
	for _, d := range all {
		if d.Name == "any" || d.Name == string(e.Kind) {
			known = known || d.Name == string(e.Kind)
			for _, m := range d.Members {
				allowed[m.Name] = true
			}
		}
	}
	if !known {
		t.Errorf("event.go has no kind %s", e.Kind)
	}
	for _, name := range Members(t, e) {
		if !allowed[name] {
			t.Errorf("an event %s has the member %s, of which event.go says nothing", e.Kind, name)
		}
	}
}

// Members returns the names of the members of an event.
func Members(t testing.TB, e state.Event) []string {
	t.Helper()
	if e.Plan != nil {
		e.Plan = &state.Plan{} // without hunks, whose ranges are made where it is sent
	}
	raw, err := json.Marshal(e)
	if err != nil {
		t.Error(err)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Error(err)
	}
	return slices.Collect(maps.Keys(object))
}
