package view

import (
	"slices"

	"redline/agent/plan"
)

// EarlierPart is the part of an earlier revision's change that a decision undoes.
type EarlierPart struct {
	*Earlier
	Hunks []int
	Move  bool
}

// EarlierIn returns the parts of earlier revisions' changes that a request names, newest first,
// and the request without the names that only those have. only is true if it names nothing else.
func EarlierIn(v *Plan, d Request) (parts []EarlierPart, rest Request, only bool) {
	rest = d
	whole := d.whole()
	var found []string // names
	for _, c := range v.Earlier {
		p := EarlierPart{Earlier: c}
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
				p.Hunks = append(p.Hunks, i)
			}
		}
		p.Move = named && len(d.Hunks) == 0 && c.Moved(v.Plan)
		if len(p.Hunks) > 0 || p.Move {
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

// markEarlier marks the part's changes of earlier revisions as undone in next.
func (p Part) markEarlier(next *plan.Plan) {
	for _, past := range p.Earlier {
		for _, i := range past.Hunks {
			next.Progress.MarkHunk(past.Change.Hunks[i].ID, plan.HunkPending, "")
		}
		if past.Move {
			next.Progress.MarkFile(past.Revision, past.Change.Path, plan.FilePending, "")
		}
	}
}

// Taken counts the hunks and the move of an earlier part that are no longer applied in p.
func (c EarlierPart) Taken(p *plan.Plan) (n int) {
	for _, i := range c.Hunks {
		if !c.Applied(p, i) {
			n++
		}
	}
	if c.Move && !c.Moved(p) {
		n++
	}
	return n
}

// Taken reports whether something of the part, including what earlier revisions have applied, is
// no longer applied in next.
func (p Part) Taken(next *plan.Plan) bool {
	for _, i := range p.Hunks {
		if next.Progress.Hunk(p.File.Change.Hunks[i].ID).Status != plan.HunkApplied {
			return true
		}
	}
	return p.Move && next.Progress.File(next.Current, p.File.Change.Path).Move != plan.FileApplied ||
		slices.ContainsFunc(p.Earlier, func(c EarlierPart) bool { return c.Taken(next) > 0 })
}
