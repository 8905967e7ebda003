package agent

import (
	"redline/agent/plan"
)

// pastChange is a change of an earlier revision of which something is applied, or may come
// back, that the current revision does not have.
type pastChange struct {
	revision int
	change   *plan.Change
	base     string
	proposed string
	hunks    []int // indices in change.Hunks
	move     bool
	deleted  plan.Form // of a deletion: what it was when it was deleted
}

// applied reports whether the hunk, or the move, is still applied in p.
func (c *pastChange) applied(p *plan.Plan, i int) bool {
	return p.Progress.Hunk(c.change.Hunks[i].ID).Status == plan.HunkApplied
}

func (c *pastChange) moved(p *plan.Plan) bool {
	return c.move && p.Progress.File(c.revision, c.change.Path).Move == plan.FileApplied
}

// livePath returns where the file is, by what was applied up to its revision.
func (c *pastChange) livePath(p *plan.Plan) string {
	if c.moved(p) {
		return c.change.NewPath
	}
	return c.change.Path
}

// earlier returns the ids of hunks and the paths of moves that only earlier revisions have
// applied, each with the path of its file.
func (v *PlanView) earlier() map[string]string {
	out := map[string]string{}
	for _, c := range v.Past {
		for _, i := range c.hunks {
			if c.applied(v.Plan, i) {
				out[c.change.Hunks[i].ID] = c.change.Path
			}
		}
		if c.moved(v.Plan) {
			out[c.change.Path] = c.change.Path
		}
	}
	return out
}
