package agent

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
)

// pastPart is what to take back of a past change.
type pastPart struct {
	*view.Earlier
	hunks []int
	move  bool
}

// pastIn returns what a decision names of the past changes, newest first, and the decision
// without the names that exist only there. With only, nothing else is left of it.
func pastIn(v *view.Plan, d Decide) (parts []pastPart, rest Decide, only bool) {
	rest = d
	whole := len(d.Paths) == 0 && len(d.Hunks) == 0 && d.Operation == ""
	var found []string // names
	for _, c := range v.Past {
		p := pastPart{Earlier: c}
		named := whole
		for _, path := range d.Paths {
			if path == c.Change.Path || path == c.LivePath(v.Plan) {
				named, found = true, append(found, path)
			}
		}
		for _, i := range c.Hunks {
			byID := slices.Contains(d.Hunks, c.Change.Hunks[i].ID)
			if byID {
				found = append(found, c.Change.Hunks[i].ID)
			}
			if c.Applied(v.Plan, i) && (byID || named && len(d.Hunks) == 0) {
				p.hunks = append(p.hunks, i)
			}
		}
		p.move = named && len(d.Hunks) == 0 && c.Moved(v.Plan)
		if len(p.hunks) > 0 || p.move {
			parts = append(parts, p)
		}
	}
	rest.Hunks = slices.DeleteFunc(slices.Clone(d.Hunks), func(id string) bool { return slices.Contains(found, id) })
	rest.Paths = slices.DeleteFunc(slices.Clone(d.Paths), func(path string) bool {
		return slices.Contains(found, path) && v.File(path) == nil
	})
	only = !whole && d.Operation == "" && len(rest.Hunks)+len(rest.Paths) == 0
	return parts, rest, only
}

// notePast marks in next that the part's past changes were taken back.
func (p part) notePast(next *plan.Plan) {
	for _, past := range p.past {
		for _, i := range past.hunks {
			next.Progress.MarkHunk(past.Change.Hunks[i].ID, plan.HunkPending, "")
		}
		if past.move {
			next.Progress.MarkFile(past.Revision, past.Change.Path, plan.FilePending, "")
		}
	}
}

// pastTaken reports whether something of the part's past changes is not applied any more.
func (p part) pastTaken(next *plan.Plan) bool {
	return slices.ContainsFunc(p.past, func(c pastPart) bool {
		return c.move && !c.Moved(next) || slices.ContainsFunc(c.hunks, func(i int) bool { return !c.Applied(next, i) })
	})
}
