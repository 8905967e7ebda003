package plan

import (
	"bytes"
	"slices"
)

// Fuller returns the revisions that r was made from by taking operations out, or by ordering them,
// newest first: each has all the operations and hunks of r, unchanged.
func (p *Plan) Fuller(r *Revision) []*Revision {
	var list []*Revision
	for at := r; ; {
		before, ok := p.Revision(at.Parent)
		if !ok || before.Number >= at.Number || !before.hasAllOf(r) {
			return list
		}
		list = append(list, before)
		at = before
	}
}

// TakenOut returns the removed operations of a plan that can be put back into r, in their
// earlier order. If several revisions have removed some, those of the newest come first.
func (p *Plan) TakenOut(r *Revision) []Operation {
	var list []Operation
	known := map[string]bool{}
	for _, o := range r.Operations {
		known[o.ID] = true
	}
	for _, before := range p.Fuller(r) {
		for _, o := range before.Operations {
			if !known[o.ID] {
				known[o.ID] = true
				list = append(list, o)
			}
		}
	}
	return list
}

// hasAllOf reports whether r has the operations and hunks of other.
func (r *Revision) hasAllOf(other *Revision) bool {
	for i := range other.Operations {
		o := &other.Operations[i]
		mine, ok := r.Operation(o.ID)
		if !ok || mine.Tool != o.Tool || mine.Path != o.Path || mine.Command != o.Command || !bytes.Equal(mine.Args, o.Args) {
			return false
		}
	}
	for i := range other.Changes {
		c := &other.Changes[i]
		at := slices.IndexFunc(r.Changes, func(mine Change) bool { return mine.Path == c.Path && mine.NewPath == c.NewPath })
		if at < 0 {
			return false
		}
		for j := range c.Hunks {
			if !slices.ContainsFunc(r.Changes[at].Hunks, func(h Hunk) bool { return h.ID == c.Hunks[j].ID }) {
				return false
			}
		}
	}
	return true
}
