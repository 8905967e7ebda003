package agent

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/edits"
	"redline/edits/track"
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

// readPast returns what earlier revisions have applied, or had until its buffer went, and
// the current one does not have; newest first.
func (b *Board) readPast(ctx context.Context, p *plan.Plan, current *plan.Revision) ([]*pastChange, error) {
	known := map[string]bool{}
	for i := range current.Changes {
		for _, hunk := range current.Changes[i].Hunks {
			known[hunk.ID] = true
		}
	}
	var past []*pastChange
	for n := range slices.Backward(p.Revisions) {
		r := &p.Revisions[n]
		if r.Number == current.Number {
			continue
		}
		for i := range r.Changes {
			c := &pastChange{revision: r.Number, change: &r.Changes[i]}
			c.move = c.change.Action == plan.Rename && p.Progress.File(r.Number, c.change.Path).Move == plan.FileApplied
			for k, hunk := range c.change.Hunks {
				if p.Progress.Hunk(hunk.ID).MayBeThere() && !known[hunk.ID] {
					c.hunks = append(c.hunks, k)
				}
				known[hunk.ID] = true
			}
			if len(c.hunks) == 0 && !c.move {
				continue
			}
			if c.change.Action == plan.Delete {
				c.deleted = p.Progress.DeletedForm(c.change)
			}
			var err error
			if c.base, err = b.store.Text(ctx, c.change.Base); err != nil {
				return nil, err
			}
			if c.proposed, err = b.store.Text(ctx, c.change.Proposed); err != nil {
				return nil, err
			}
			past = append(past, c)
		}
	}
	return past, nil
}

// pastPart is what to take back of a past change.
type pastPart struct {
	*pastChange
	hunks []int
	move  bool
}

// back takes the part back from the file as the steps so far leave it. It returns the part
// that it could take back, and the names of what has no place any more.
func (c pastPart) back(f fileState) (after fileState, left pastPart, conflicts []string) {
	hunks, none := c.change.Hunks, pastPart{pastChange: c.pastChange}
	switch c.change.Action {
	case plan.Create:
		if !f.exists || f.text != c.proposed {
			return f, none, []string{hunks[0].ID}
		}
		return fileState{path: f.path, folders: f.folders}, c, nil
	case plan.Delete:
		if f.exists {
			return f, none, []string{hunks[0].ID}
		}
		return fileState{path: c.change.Path, text: c.base, exists: true, form: c.deleted}, c, nil
	}
	if !f.exists {
		for _, i := range c.hunks {
			conflicts = append(conflicts, hunks[i].ID)
		}
		if c.move {
			conflicts = append(conflicts, c.change.NewPath)
		}
		return f, none, conflicts
	}
	ref, pieces := plan.Reference(c.base, c.proposed, hunks, func(id string) bool {
		return slices.ContainsFunc(c.hunks, func(i int) bool { return hunks[i].ID == id })
	})
	es := make([]edits.Edit, len(c.hunks))
	for k, i := range c.hunks {
		es[k] = edits.Edit{Span: pieces[i], New: c.base[hunks[i].Old.Start:hunks[i].Old.End]}
	}
	out, _, stuck := track.Rebase(ref, es, f.text)
	text, err := edits.Apply(f.text, out)
	if err != nil {
		return f, none, []string{c.change.Path}
	}
	left = none
	for k, i := range c.hunks {
		if slices.Contains(stuck, k) {
			conflicts = append(conflicts, hunks[i].ID)
		} else {
			left.hunks = append(left.hunks, i)
		}
	}
	f.text = text
	if c.move {
		f.path, left.move = c.change.Path, true
	}
	return f, left, conflicts
}

// fileState is a file as some steps of an undo leave it.
type fileState struct {
	path   string
	text   string
	exists bool
	form   plan.Form // of a file that comes back

	folders []string // that go with it if they are empty
}

// after is the file as the change leaves it.
func after(c edits.Change) fileState {
	f := fileState{path: c.Path, exists: true, folders: c.Folders}
	switch c.Kind {
	case edits.Delete:
		f.exists = false
		return f
	case edits.Create:
		f.text, f.form = c.Text, plan.Form{Mode: c.Mode, BOM: c.BOM}
		return f
	case edits.Rename:
		f.path = c.NewPath
	}
	if text, err := edits.Apply(c.Base, c.Edits); err == nil {
		f.text = text
	}
	return f
}

// changeTo returns the one change that turns was, the file as it is now, into f. With none
// there is nothing to do.
func (was fileState) changeTo(f fileState) (c edits.Change, none bool) {
	switch {
	case !was.exists && !f.exists:
		return c, true
	case !f.exists:
		return edits.Change{Path: was.path, Kind: edits.Delete, Base: was.text, Restore: true, Folders: f.folders}, false
	case !was.exists:
		return bringBack(f.path, f.text, f.form), false
	}
	c = edits.Change{Path: was.path, Base: was.text, Edits: edits.EditsOf(edits.Diff(was.text, f.text))}
	if f.path != was.path {
		c.Kind, c.NewPath, c.Folders = edits.Rename, f.path, f.folders
	}
	return c, c.Kind == edits.Update && len(c.Edits) == 0
}

// pastIn returns what a decision names of the past changes, newest first, and the decision
// without the names that exist only there. With only, nothing else is left of it.
func (v *PlanView) pastIn(d Decide) (parts []pastPart, rest Decide, only bool) {
	rest = d
	whole := len(d.Paths) == 0 && len(d.Hunks) == 0 && d.Operation == ""
	var found []string // names
	for _, c := range v.past {
		p := pastPart{pastChange: c}
		named := whole
		for _, path := range d.Paths {
			if path == c.change.Path || path == c.livePath(v.Plan) {
				named, found = true, append(found, path)
			}
		}
		for _, i := range c.hunks {
			byID := slices.Contains(d.Hunks, c.change.Hunks[i].ID)
			if byID {
				found = append(found, c.change.Hunks[i].ID)
			}
			if c.applied(v.Plan, i) && (byID || named && len(d.Hunks) == 0) {
				p.hunks = append(p.hunks, i)
			}
		}
		p.move = named && len(d.Hunks) == 0 && c.moved(v.Plan)
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
			next.Progress.MarkHunk(past.change.Hunks[i].ID, plan.HunkPending, "")
		}
		if past.move {
			next.Progress.MarkFile(past.revision, past.change.Path, plan.FilePending, "")
		}
	}
}

// earlier returns the ids of hunks and the paths of moves that only earlier revisions have
// applied, each with the path of its file.
func (v *PlanView) earlier() map[string]string {
	out := map[string]string{}
	for _, c := range v.past {
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

// pastTaken reports whether something of the part's past changes is not applied any more.
func (p part) pastTaken(next *plan.Plan) bool {
	return slices.ContainsFunc(p.past, func(c pastPart) bool {
		return c.move && !c.moved(next) || slices.ContainsFunc(c.hunks, func(i int) bool { return !c.applied(next, i) })
	})
}

// pastResult is the outcome of a file that the current revision does not touch.
func (p part) pastResult(now *plan.Plan) state.FileResult {
	r := state.FileResult{Path: p.file.Change.Path, Status: string(plan.FileApplied)}
	if p.pastTaken(now) {
		r.Status, r.Reason = string(plan.FilePending), "what an earlier revision had applied was taken back"
	}
	return r
}
