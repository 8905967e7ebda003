package position

import (
	"slices"

	"redline/agent/state"
	"redline/edits"
)

// Plan returns a copy of p in which each hunk has its range, as the client counts it, or nil for
// nil. The agent knows only bytes: whoever sends a plan, over LSP or on the command line, calls
// Plan first. Plan does not change p, since others may read it.
func (m Mapper) Plan(p *state.Plan) *state.Plan {
	if p == nil {
		return nil
	}
	placed := *p
	placed.Files = slices.Clone(p.Files)
	for i := range placed.Files {
		f := &placed.Files[i]
		f.Hunks = slices.Clone(f.Hunks)
		for j := range f.Hunks {
			f.Hunks[j].Range = m.HunkRange(f.Lines, f.Hunks[j].Span)
		}
	}
	return &placed
}

// Plans calls [Mapper.Plan] for each plan of a list.
func (m Mapper) Plans(plans []state.Plan) []state.Plan {
	placed := make([]state.Plan, len(plans))
	for i := range plans {
		placed[i] = *m.Plan(&plans[i])
	}
	return placed
}

// Event returns e with [Mapper.Plan] applied to its plan, if it has one.
func (m Mapper) Event(e state.Event) state.Event {
	e.Plan = m.Plan(e.Plan)
	return e
}

// HunkRange returns the range of a hunk, for the JSON of a plan.
func (m Mapper) HunkRange(lines *edits.Lines, s edits.Span) state.Range {
	r := lines.Range(s, m.Encoding)
	return state.NewRange(state.Position(r.Start), state.Position(r.End))
}
