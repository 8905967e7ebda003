package position_test

import (
	"encoding/json"
	"testing"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/edits"
	"redline/lsp/position"
)

// Plan returns a copy of the agent's plan with ranges in the client's encoding; the agent's
// own value is unchanged.
func TestPlan(t *testing.T) {
	const text = "one\né𝄞"
	p := &state.Plan{Files: []state.File{{
		Lines: edits.NewLines(text), Hunks: []state.Hunk{{ID: "h1", Span: edits.Span{Start: 4, End: len(text)}}},
	}}}
	if raw, err := json.Marshal(p); err == nil {
		t.Errorf("a plan without ranges is sent as %s", raw)
	}
	for encoding, want := range map[edits.Encoding]string{
		edits.UTF8:  `{"start":{"line":1,"character":0},"end":{"line":1,"character":6}}`,
		edits.UTF16: `{"start":{"line":1,"character":0},"end":{"line":1,"character":3}}`,
		edits.UTF32: `{"start":{"line":1,"character":0},"end":{"line":1,"character":2}}`,
	} {
		m := position.Mapper{Encoding: encoding}
		for name, placed := range map[string]*state.Plan{
			"alone": m.Plan(p), "of a list": &m.Plans([]state.Plan{*p})[0], "of an event": m.Event(state.Event{Plan: p}).Plan,
		} {
			if _, err := json.Marshal(placed); err != nil {
				t.Errorf("%s, %s: %v", encoding, name, err)
			}
			if got, err := json.Marshal(placed.Files[0].Hunks[0].Range); err != nil || string(got) != want {
				t.Errorf("%s, %s: the range is %s (%v), want %s", encoding, name, got, err, want)
			}
		}
	}
	if p.Files[0].Hunks[0].Range != (state.Range{}) {
		t.Error("the plan of the agent was changed")
	}
}

// A hunk of a plan that is being made has its rows, with columns in the client's encoding.
func TestRowsOfADraft(t *testing.T) {
	const text = "one\n𝄞 two = 1\n"
	hunk := state.Hunk{ID: "h1", Status: "pending", Span: edits.Span{Start: 4, End: len(text)}, NewText: new("𝄞 two = 2\nthree\n")}
	stale := hunk
	stale.Status = "stale"
	p := &state.Plan{Files: []state.File{{Lines: edits.NewLines(text), Hunks: []state.Hunk{hunk, stale}}}}
	for encoding, want := range map[edits.Encoding]string{
		edits.UTF8:  `[{"k":"edited","old":0,"new":0,"changes":[[11,12,11,12]]},{"k":"added","new":1}]`,
		edits.UTF16: `[{"k":"edited","old":0,"new":0,"changes":[[9,10,9,10]]},{"k":"added","new":1}]`,
		edits.UTF32: `[{"k":"edited","old":0,"new":0,"changes":[[8,9,8,9]]},{"k":"added","new":1}]`,
	} {
		hunks := position.Mapper{Encoding: encoding}.Plan(p).Files[0].Hunks
		if got, err := json.Marshal(hunks[0].Rows); err != nil || string(got) != want {
			t.Errorf("%s: %s (%v), want %s", encoding, got, err, want)
		}
		if hunks[1].Rows != nil {
			t.Errorf("a stale hunk has the rows %v", hunks[1].Rows)
		}
	}
	if p.Files[0].Hunks[0].Rows != nil {
		t.Error("the plan of the agent was changed")
	}
}

// The place of a problem has the encoding of the client.
func TestPlacesOfProblems(t *testing.T) {
	in := plan.Range{Start: plan.Place{Line: 2, Column: 13}, End: plan.Place{Line: 3, Column: 4}, BeforeStart: "var é𝄞 = "}
	p := &state.Plan{Problems: &state.Problems{Added: []state.Problem{{Path: "main.go", In: in}}}}
	for encoding, want := range map[edits.Encoding]int{edits.UTF8: 13, edits.UTF16: 10, edits.UTF32: 9} {
		got := position.Mapper{Encoding: encoding}.Plan(p).Problems.Added[0].Range
		if got != state.NewRange(state.Position{Line: 2, Character: want}, state.Position{Line: 3, Character: 4}) {
			t.Errorf("%s: %+v", encoding, got)
		}
	}
	if p.Problems.Added[0].Range != (state.Range{}) {
		t.Error("the plan of the agent was changed")
	}
}

// A value without a plan is sent unchanged.
func TestNoPlan(t *testing.T) {
	var m position.Mapper
	if got := m.Plan(nil); got != nil {
		t.Errorf("no plan becomes %+v", got)
	}
	if got := m.Event(state.Event{Kind: state.Noticed}); got.Plan != nil {
		t.Errorf("an event without a plan has %+v", got.Plan)
	}
	if got, err := json.Marshal(m.Plans([]state.Plan{})); err != nil || string(got) != "[]" {
		t.Errorf("no plans are %s (%v)", got, err)
	}
}
