package view

import (
	"redline/agent/plan"
)

// Earlier is a change of an earlier revision of which something is applied, or may come
// back, that the current revision does not have.
type Earlier struct {
	Revision int // the number of the revision
	Change   *plan.Change
	Base     string
	Proposed string
	Hunks    []int     // indices in Change.Hunks
	Move     bool      // the revision has moved the file
	Deleted  plan.Form // of a deletion: what it was when it was deleted
}

// Applied reports whether the hunk with index i of Change is still applied in p.
func (c *Earlier) Applied(p *plan.Plan, i int) bool {
	return p.Progress.Hunk(c.Change.Hunks[i].ID).Status == plan.HunkApplied
}

// Moved reports whether the move is still applied in p.
func (c *Earlier) Moved(p *plan.Plan) bool {
	return c.Move && p.Progress.File(c.Revision, c.Change.Path).Move == plan.FileApplied
}

// LivePath returns where the file is, by what was applied up to its revision.
func (c *Earlier) LivePath(p *plan.Plan) string {
	if c.Moved(p) {
		return c.Change.NewPath
	}
	return c.Change.Path
}

// EarlierPaths returns the ids of hunks and the paths of moves that only earlier revisions have
// applied, each with the path of its file.
func (v *Plan) EarlierPaths() map[string]string {
	out := map[string]string{}
	for _, c := range v.Earlier {
		for _, i := range c.Hunks {
			if c.Applied(v.Plan, i) {
				out[c.Change.Hunks[i].ID] = c.Change.Path
			}
		}
		if c.Moved(v.Plan) {
			out[c.Change.Path] = c.Change.Path
		}
	}
	return out
}
