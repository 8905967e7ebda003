package preview

import (
	"maps"
	"slices"

	"redline/agent/plan"
	"redline/edits"
)

// files makes the changes whose diff has changed.
func (v *revising) files() {
	lost := map[string]bool{} // hunks
	for _, f := range v.edit.Files {
		for _, id := range f.Lost {
			lost[id] = true
			if s := v.plan.Progress.Hunk(id).Status; s == plan.HunkApplied || s == plan.HunkApproved {
				v.problem(id, "Change %s is %s already: undo it before you change it here.", id, s)
			}
		}
	}
	v.spent = v.spentBy(lost)
	for _, f := range v.edit.Files {
		i := slices.IndexFunc(v.next.Changes, func(c plan.Change) bool { return c.Path == f.Path })
		v.next.Changes[i] = v.file(&f, v.next.Changes[i])
	}
	for _, id := range slices.Sorted(maps.Keys(v.spent)) {
		if v.gone[id] {
			v.contradicted(id)
		}
	}
	v.next.Changes = slices.DeleteFunc(v.next.Changes, func(c plan.Change) bool {
		return c.Action == plan.Update && c.Base == c.Proposed
	})
}

// contradicted reports a problem for an operation whose diff was edited and whose tick was
// removed.
func (v *revising) contradicted(id string) {
	for _, f := range v.edit.Files {
		c, _ := v.was.Change(f.Path)
		for _, a := range f.Areas {
			if a.ID == "" && slices.ContainsFunc(a.Calls, func(k int) bool { return v.was.Operations[k].ID == id }) {
				v.problem(id, "Operation %s has no tick, but the diff of %s that it made was changed: undo one of the two.", id, c.Path)
				return
			}
		}
	}
}

// spentBy returns the operations that have no unchanged hunk left and no other effect. The
// user's own replace them.
func (v *revising) spentBy(lost map[string]bool) map[string]bool {
	out := map[string]bool{}
	each := func(yield func(c *plan.Change, h *plan.Hunk)) {
		for i := range v.was.Changes {
			for k := range v.was.Changes[i].Hunks {
				yield(&v.was.Changes[i], &v.was.Changes[i].Hunks[k])
			}
		}
	}
	each(func(c *plan.Change, h *plan.Hunk) {
		if lost[h.ID] {
			for _, id := range c.MakersOf(h) {
				out[id] = true
			}
		}
	})
	each(func(c *plan.Change, h *plan.Hunk) {
		if !lost[h.ID] {
			for _, id := range c.MakersOf(h) {
				delete(out, id)
			}
		}
	})
	for i := range v.was.Changes {
		for _, id := range v.was.Changes[i].Movers() {
			delete(out, id)
		}
	}
	return out
}

// file returns the change of a file with a changed diff. After the kept operations comes one of
// the user's own for the rest.
func (v *revising) file(f *FileEdit, c plan.Change) plan.Change {
	base, proposed := v.text(c.Base), v.text(c.Proposed)
	makers := func(calls []int) []string {
		var ids []string
		for _, k := range calls {
			if id := v.was.Operations[k].ID; !v.spent[id] {
				ids = append(ids, id)
			}
		}
		return ids
	}
	without, _ := plan.Reference(base, proposed, c.Hunks, func(id string) bool {
		_, h, _ := v.was.Hunk(id)
		return slices.ContainsFunc(c.MakersOf(h), func(id string) bool { return !v.spent[id] })
	})
	movers := slices.Clone(c.Movers())
	last := v.lastOf(&c)
	c.Operations = slices.DeleteFunc(slices.Clone(c.Operations), func(id string) bool { return v.spent[id] })
	own := ""
	if without != f.Proposed {
		own = v.own(f, &c, without, last)
		c.Operations = append(c.Operations, own)
	}
	pieces := plan.Pieces(c.Action, base, f.Proposed, f.Areas)
	c.Proposed = plan.BlobOf(f.Proposed)
	v.texts[c.Proposed] = f.Proposed
	c.Hunks = plan.HunksOf(pieces, base, f.Proposed)
	for i, a := range pieces {
		ids := makers(a.Calls)
		if a.ID == "" && own != "" {
			ids = append(ids, own)
		}
		c.Hunks[i].Operations = some(ids, c.Operations)
	}
	c.MovedBy = some(movers, c.Operations)
	return c
}

// some returns ids, or nil if they are all.
func some(ids, all []string) []string {
	if len(ids) == len(all) {
		return nil
	}
	return ids
}

// lastOf returns the last operation of a change in the order of the revision.
func (v *revising) lastOf(c *plan.Change) plan.Operation {
	var last plan.Operation
	for i := range v.was.Operations {
		if o := v.was.Operations[i]; slices.Contains(c.Operations, o.ID) {
			last = o
		}
	}
	return last
}

// own makes the operation for the user's edit of a diff: it changes the text that the other
// operations lead to into the user's. It returns the operation's id.
func (v *revising) own(f *FileEdit, c *plan.Change, without string, last plan.Operation) string {
	path := c.Path
	if c.Action == plan.Rename {
		path = c.NewPath
	}
	o := plan.Operation{Step: last.Step, Path: path, Tool: "apply_patch"}
	if c.Action == plan.Create {
		o.Tool = "write_file"
		o = v.operation(o, map[string]any{"path": path, "content": f.Proposed})
	} else {
		patch := edits.Unified(diffName("a/"+path), diffName("b/"+path), without, f.Proposed, contextLines)
		o = v.operation(o, map[string]any{"patch": patch})
	}
	v.replaced[last.ID] = append(v.replaced[last.ID], o)
	return o.ID
}
