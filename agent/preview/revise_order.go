package preview

import (
	"errors"
	"slices"

	"redline/agent/plan"
)

// order sorts the operations as in the lists, and assigns them to the steps there.
func (v *revising) order() {
	if v.edit.Items == nil || len(v.problems) > 0 {
		return
	}
	listed := v.intoSteps()
	shown := v.shownOrder()
	if slices.Equal(listed, shown) {
		return
	}
	for i := range v.was.Operations {
		if id := v.was.Operations[i].ID; !slices.Contains(shown, id) {
			listed = append(listed, id)
		}
	}
	place := map[string]int{}
	for _, id := range listed {
		place[id] = len(place)
		for _, o := range v.replaced[id] {
			place[o.ID] = len(place)
		}
	}
	ordered := slices.Clone(v.next.Operations)
	slices.SortStableFunc(ordered, func(a, b plan.Operation) int { return place[a.ID] - place[b.ID] })
	if v.edit.layout.sections() {
		ordered = v.merged(ordered)
	}
	ids := make([]string, len(ordered))
	for i := range ordered {
		ids[i] = ordered[i].ID
	}
	if err := v.next.Dependencies().Check(ids); err != nil {
		var late *plan.OutOfOrder
		if errors.As(err, &late) {
			listed := v.listedAs(late.Operation)
			after := v.listedAs(late.After)
			v.problem(listed, "%s must come after %s: %s.", v.nameOf(listed), v.names.operationName(after), v.names.inWords(late.Why))
		}
		return
	}
	v.next.Operations = ordered
	plan.SortChanges(ordered, v.next.Changes)
}

// merged merges commands and edits, which are listed separately, into one order: each command
// comes as early as the edits that it needs allow.
func (v *revising) merged(ordered []plan.Operation) []plan.Operation {
	var changing, out []plan.Operation
	place := map[string]int{}
	for _, o := range ordered {
		if !o.IsCommand() {
			place[o.ID] = len(changing)
			changing = append(changing, o)
		}
	}
	depend, done := v.next.Dependencies(), 0
	for _, o := range ordered {
		if !o.IsCommand() {
			continue
		}
		upTo := done
		for _, id := range depend.Of(o.ID) {
			if at, ok := place[id]; ok {
				upTo = max(upTo, at+1)
			}
		}
		out, done = append(append(out, changing[done:upTo]...), o), upTo
	}
	return append(out, changing[done:]...)
}

// intoSteps assigns the operations to the steps under which they are listed. It returns the
// listed operations, in the order of the list.
func (v *revising) intoSteps() []string {
	var listed []string
	steps := map[string]string{}
	for _, it := range v.edit.Items {
		if it.Operation {
			listed = append(listed, it.ID)
			steps[it.ID] = it.Step
		}
	}
	for id, own := range v.replaced {
		for _, o := range own {
			if step, ok := steps[id]; ok {
				steps[o.ID] = step
			}
		}
	}
	for i := range v.next.Operations {
		if step, ok := steps[v.next.Operations[i].ID]; ok {
			v.next.Operations[i].Step = step
		}
	}
	return listed
}

// listedAs returns the listed operation that an operation replaces or follows, or else its own
// id.
func (v *revising) listedAs(id string) string {
	for listed, own := range v.replaced {
		if slices.ContainsFunc(own, func(o plan.Operation) bool { return o.ID == id }) {
			return listed
		}
	}
	return id
}

// shownOrder returns the operations in the order in which they were shown.
func (v *revising) shownOrder() []string {
	var out []string
	shown, _ := v.edit.layout.entries(v.was)
	for _, e := range shown {
		if e.operation >= 0 {
			out = append(out, v.was.Operations[e.operation].ID)
		}
	}
	return out
}

// steps sorts the steps as in the list, without those that have lost their tick or all their
// operations.
func (v *revising) steps() {
	if v.edit.Items == nil {
		return
	}
	has := func(operations []plan.Operation, step string) bool {
		return slices.ContainsFunc(operations, func(o plan.Operation) bool { return o.Step == step })
	}
	stays := map[string]bool{}
	var out []plan.Step
	put := func(s plan.Step) {
		if has(v.next.Operations, s.ID) || !has(v.was.Operations, s.ID) {
			out, stays[s.ID] = append(out, s), true
		}
	}
	listed := map[string]bool{}
	for _, it := range v.edit.Items {
		if it.Operation || listed[it.ID] {
			continue
		}
		listed[it.ID] = true
		for _, s := range v.was.Steps {
			if s.ID == it.ID && it.Ticked {
				put(s)
			}
		}
	}
	for _, s := range v.was.Steps {
		if !listed[s.ID] {
			put(s)
		}
	}
	for i := range out {
		out[i].DependsOn = slices.DeleteFunc(slices.Clone(out[i].DependsOn), func(id string) bool { return !stays[id] })
	}
	v.next.Steps = out
}
