package position

import (
	"slices"

	"redline/agent/state"
)

// Plan returns p with the range of each hunk, as the client counts it. The agent knows
// bytes only: whoever sends a plan, over LSP or on the command line, calls Plan first.
// It changes nothing that p shares with others.
func (m Mapper) Plan(p state.Plan) state.Plan {
	p.Files = slices.Clone(p.Files)
	for i := range p.Files {
		f := &p.Files[i]
		f.Hunks = slices.Clone(f.Hunks)
		for j := range f.Hunks {
			h := &f.Hunks[j]
			r := f.Lines.Range(h.Span, m.Encoding)
			h.Range = state.Range{Start: state.Position(r.Start), End: state.Position(r.End)}
		}
	}
	return p
}

// Plans is [Mapper.Plan] for a list.
func (m Mapper) Plans(plans []state.Plan) []state.Plan {
	plans = slices.Clone(plans)
	for i, p := range plans {
		plans[i] = m.Plan(p)
	}
	return plans
}
