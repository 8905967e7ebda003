package agent_test

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"redline/agent/event"
	"redline/internal/pagetest"
)

// pageTypes is what the pages on events and on the state call the types of members.
var pageTypes = map[string]string{
	"State": "text", "Outcome": "text", "Kind": "text", "time.Time": "text",
	"Plan": "[plan](state.md#a-plan)", "state.Plan": "[plan](state.md#a-plan)", "state.Usage": "[usage](state.md#usage)", "Turn": "[turn](state.md#a-turn)", "Model": "[model](state.md#the-model)",
	"Step": "[step](state.md#a-step)", "plan.Condition": "[condition](state.md#a-condition)", "plan.Drift": "[drift](state.md#the-drift)", "plan.Refused": "[refused file](state.md#a-refused-file)",
	"Operation": "[operation](state.md#an-operation)", "File": "[file](state.md#a-file)", "Hunk": "[hunk](state.md#a-hunk)",
	"Range": "[range](state.md#a-range)", "Position": "[position](state.md#a-range)",
	"Command": "[command](state.md#a-command)", "Revision": "[revision](state.md#a-revision)", "Usage": "[usage](state.md#usage)",
	"specialists.Summary": "[specialists](state.md#what-specialists-did)", "Contribution": "[specialist](state.md#what-specialists-did)",
	"FileResult": "[file result](state.md#the-result-of-a-decision)", "trace.Step": "[step of a trace](events.md#a-step-of-a-trace)",
	"intent.Flags": "[flags](events.md#what-a-message-wants)",
}

// kindDoc is what is said of a kind of event.
type kindDoc struct {
	kind, when string
	members    []pagetest.Member // besides kind, and those of any kind
}

var (
	documentedOnce sync.Once
	documentedAll  []kindDoc
)

// documented returns what the comments in event.go say of each kind of event, in
// order; the first says what members of any kind are.
func documented(t testing.TB) []kindDoc {
	t.Helper()
	documentedOnce.Do(func() {
		all := []kindDoc{{kind: "any"}}
		at := map[string]int{"any": 0}
		for _, c := range pagetest.Constants(t, "agent/event", "Kind") {
			at[c.Value] = len(all)
			all = append(all, kindDoc{kind: c.Value, when: c.Doc})
		}
		for _, m := range pagetest.Members(t, "agent/event", "Event", pageTypes) {
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
					all[i].members = append(all[i].members, pagetest.Member{Name: m.Name, Type: m.Type, Doc: meaning})
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

// eventCheck returns what checks of each event of a session that it has no member that
// the comments in event.go do not name for its kind; nil in a process that a test has
// started away from the source.
func eventCheck(t testing.TB) func(event.Event) {
	t.Helper()
	if _, err := os.Stat("event/event.go"); err != nil {
		return nil
	}
	all := documented(t)
	return func(e event.Event) { wantDocumented(t, all, e) }
}

func wantDocumented(t testing.TB, all []kindDoc, e event.Event) {
	t.Helper()
	allowed := map[string]bool{"kind": true}
	known := false
	for _, d := range all {
		if d.kind == "any" || d.kind == string(e.Kind) {
			known = known || d.kind == string(e.Kind)
			for _, m := range d.members {
				allowed[m.Name] = true
			}
		}
	}
	if !known {
		t.Errorf("event.go has no kind %s", e.Kind)
	}
	for _, name := range membersOf(t, e) {
		if !allowed[name] {
			t.Errorf("an event %s has the member %s, of which event.go says nothing", e.Kind, name)
		}
	}
}

// membersOf are the names of the members that an event has.
func membersOf(t testing.TB, e event.Event) []string {
	t.Helper()
	if e.Plan != nil {
		e.Plan = withRanges(e.Plan)
	}
	raw, err := json.Marshal(e)
	if err != nil {
		t.Error(err)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Error(err)
	}
	var names []string
	for name := range object {
		names = append(names, name)
	}
	return names
}
