package preview

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/edits"
)

// Rest is what remains of a revision without some of its operations: the operations, the
// changes, and their new texts.
type Rest struct {
	Operations []plan.Operation
	Changes    []plan.Change
	Texts      map[plan.Blob]string
}

// Without removes operations from a revision, which need not be one of the plan's: text
// returns the texts of its changes. The error is one sentence on why they cannot be
// removed.
type Without func(r *plan.Revision, ids []string, text func(plan.Blob) string) (Rest, error)

// Revise applies an edit of revision r of p: it returns the revision that the user wants,
// with r as its parent, and its new texts. Unchanged hunks keep their ids. New operations
// take the next numbers of p, which changes p. It removes everything without a tick by
// without. An edit that the plan's progress or the rest of the plan does not allow is a
// problem; problems are ordered by line. If there are any, do not use the revision.
func (e *Edit) Revise(p *plan.Plan, r *plan.Revision, text func(plan.Blob) string, without Without) (plan.Revision, map[plan.Blob]string, []Problem) {
	v := &revising{
		edit: e, plan: p, was: r, names: &writer{revision: r, layout: e.layout}, text: text, without: without, texts: map[plan.Blob]string{},
		replaced: map[string][]plan.Operation{}, gone: map[string]bool{}, spent: map[string]bool{},
	}
	v.next = *r
	v.next.Parent, v.next.Note, v.next.Tokens = r.Number, cmp.Or(e.note, "in the preview"), plan.Tokens{}
	v.next.Operations, v.next.Steps = nil, slices.Clone(r.Steps)
	v.next.Changes = slices.Clone(r.Changes)
	if e.Description != nil {
		v.next.Description = *e.Description
	}
	v.commands()
	v.unticked()
	v.files()
	v.operations()
	v.remove()
	v.order()
	v.steps()
	v.conditions()
	if len(v.problems) == 0 && !r.TextOnly && len(v.next.Operations)+len(v.next.Changes) == 0 {
		v.problem("", "Nothing of the plan would be left: reject it instead, with /reject %d.", p.Number)
	}
	return v.next, v.texts, inOrder(v.problems)
}

// conditions checks that no edit waits for a command.
func (v *revising) conditions() {
	if len(v.problems) > 0 {
		return
	}
	if err := plan.CheckConditions(&v.next); err != nil {
		id, _, _ := strings.Cut(err.Error(), " ")
		v.problem(v.listedAs(id), "%s.", capital(v.names.inWords(err.Error())))
	}
}

// revising is a revision being made from an edit.
type revising struct {
	edit  *Edit
	plan  *plan.Plan
	was   *plan.Revision
	text  func(plan.Blob) string
	texts map[plan.Blob]string

	without  Without
	next     plan.Revision
	replaced map[string][]plan.Operation // by the id of the operation that they follow or replace
	gone     map[string]bool             // operations that are left out
	spent    map[string]bool             // operations that the user's own have replaced
	names    *writer                     // knows the items' names
	problems []Problem
}

// problem adds a problem at the line of a hunk, an operation or a path.
func (v *revising) problem(name, format string, args ...any) {
	v.problems = append(v.problems, Problem{Line: v.edit.lines[name], Reason: fmt.Sprintf(format, args...)})
}

// nameOf names an operation at the beginning of a sentence.
func (v *revising) nameOf(id string) string {
	if v.names.layout.byID() {
		return "Operation " + id
	}
	return capital(v.names.operationName(id))
}

// textOf does what text does, and knows the new revision's texts.
func (v *revising) textOf(b plan.Blob) string {
	if t, ok := v.texts[b]; ok {
		return t
	}
	return v.text(b)
}

// operation returns a new operation of the user's own.
func (v *revising) operation(o plan.Operation, args map[string]any) plan.Operation {
	v.plan.NextOperation++
	o.ID = "o" + strconv.Itoa(v.plan.NextOperation)
	o.Args, _ = json.Marshal(args) // the arguments are strings and numbers
	return o
}

// commands replaces the operations whose command has changed.
func (v *revising) commands() {
	for i := range v.was.Operations {
		o := v.was.Operations[i]
		command, ok := v.edit.Commands[o.ID]
		if !ok || !v.undecided(&o) {
			continue
		}
		if o.CallsServer() {
			v.problem(o.ID, "%s is a call of a tool server: it can be left out, but not changed here.", v.nameOf(o.ID))
			continue
		}
		args := map[string]any{}
		if json.Unmarshal(o.Args, &args) != nil || args == nil {
			args = map[string]any{} // they were shown and are unchanged
		}
		args["command"], o.Command = command, command
		v.replaced[o.ID] = append(v.replaced[o.ID], v.operation(o, args))
		v.gone[o.ID] = true
	}
}

// undecided reports whether a command can still be changed or left out.
func (v *revising) undecided(o *plan.Operation) bool {
	switch status := v.plan.Progress.Command(o.ID).Status; status {
	case plan.CommandPending, plan.CommandRejected, plan.CommandSkipped:
		return true
	default:
		v.problem(o.ID, "%s is %s: it cannot be changed or left out any more.", v.nameOf(o.ID), strings.ReplaceAll(string(status), "_", " "))
		return false
	}
}

// unticked records which operations are left out: those without a tick, and those under a
// step without one.
func (v *revising) unticked() {
	out := map[string]bool{}
	for _, it := range v.edit.Items {
		if !it.Operation {
			out[it.ID] = !it.Ticked
		}
	}
	for _, it := range v.edit.Items {
		if !it.Operation {
			continue
		}
		if it.Ticked && !(it.Step != "" && out[it.Step]) {
			continue
		}
		o, _ := v.was.Operation(it.ID)
		if o.IsCommand() {
			if v.undecided(o) {
				v.gone[o.ID] = true
				delete(v.replaced, o.ID)
			}
			continue
		}
		v.gone[o.ID] = true
	}
}

// operations lists the operations in their old order, with the user's own after those
// that they replace or follow.
func (v *revising) operations() {
	for _, o := range v.was.Operations {
		if !v.spent[o.ID] && !(v.gone[o.ID] && o.IsCommand()) {
			v.next.Operations = append(v.next.Operations, o)
		}
		v.next.Operations = append(v.next.Operations, v.replaced[o.ID]...)
	}
}

// remove removes the operations that have lost their tick.
func (v *revising) remove() {
	var out []string
	for i := range v.was.Operations {
		if o := &v.was.Operations[i]; v.gone[o.ID] && !v.spent[o.ID] && !o.IsCommand() {
			out = append(out, o.ID)
		}
	}
	if len(out) == 0 || len(v.problems) > 0 {
		return
	}
	rest, err := v.without(&v.next, out, v.textOf)
	if err != nil {
		v.problem(out[0], "%s", err)
		return
	}
	v.next.Operations, v.next.Changes = rest.Operations, rest.Changes
	maps.Copy(v.texts, rest.Texts)
}

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
