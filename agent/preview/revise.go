package preview

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"redline/agent/plan"
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
		edit: e, plan: p, was: r, text: text, without: without, texts: map[plan.Blob]string{},
		replaced: map[string][]plan.Operation{}, gone: map[string]bool{}, spent: map[string]bool{},
	}
	v.next = *r
	v.next.Parent, v.next.Note, v.next.Tokens = r.Number, "in the preview", plan.Tokens{}
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
	if len(v.problems) == 0 && !r.TextOnly && len(v.next.Operations)+len(v.next.Changes) == 0 {
		v.problem("", "Nothing of the plan would be left: reject it instead, with /reject %d.", p.Number)
	}
	return v.next, v.texts, inOrder(v.problems)
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
	problems []Problem
}

// problem adds a problem at the line of a hunk, an operation or a path.
func (v *revising) problem(name, format string, args ...any) {
	v.problems = append(v.problems, Problem{Line: v.edit.lines[name], Reason: fmt.Sprintf(format, args...)})
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
			v.problem(o.ID, "Operation %s is a call of a tool server: it can be left out, but not changed here.", o.ID)
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
		v.problem(o.ID, "Operation %s is %s: it cannot be changed or left out any more.", o.ID, strings.ReplaceAll(string(status), "_", " "))
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
