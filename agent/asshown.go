package agent

import (
	"redline/agent/plan"
)

// textsAsShown refuses an execution if a text that it is worked out from is not
// the one that the revision names. The store looks at its own; these are the
// session's.
func (x *checked) textsAsShown() error {
	is := func(c *plan.Change, base, proposed string) bool {
		return plan.BlobOf(base) == c.Base && plan.BlobOf(proposed) == c.Proposed
	}
	for _, p := range x.parts {
		if !p.file.Outside && !is(p.file.Change, p.file.Base, p.file.Proposed) {
			return notAsShown(x.held.number)
		}
		for _, past := range p.past {
			if !is(past.Change, past.Base, past.Proposed) {
				return notAsShown(x.held.number)
			}
		}
	}
	return nil
}
