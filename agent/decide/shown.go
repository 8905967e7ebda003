package decide

import (
	"redline/agent/decision"
	"redline/agent/plan"
)

// textsAsShown refuses a decision if a text that its changes were computed from is not the one
// that the revision names. The store checks its own texts; these are the session's.
func (x *checked) textsAsShown() error {
	is := func(c *plan.Change, base, proposed string) bool {
		return plan.BlobOf(base) == c.Base && plan.BlobOf(proposed) == c.Proposed
	}
	for _, p := range x.Parts {
		if !p.File.Outside && !is(p.File.Change, p.File.Base, p.File.Proposed) {
			return decision.NotAsShown(x.held.Number())
		}
		for _, past := range p.Earlier {
			if !is(past.Change, past.Base, past.Proposed) {
				return decision.NotAsShown(x.held.Number())
			}
		}
	}
	return nil
}
