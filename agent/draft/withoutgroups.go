package draft

import (
	"maps"
	"slices"

	"redline/agent/plan"
)

// group is a set of changes of a revision that share operations with each other, but with no
// other change.
type group struct {
	operations []plan.Operation // in order
	changes    []*plan.Change
	veiled     bool // a file is deleted that an earlier operation may have changed
}

// groups returns the groups of a revision, in the order of their first changes.
func groups(r *plan.Revision) []group {
	of := make([]int, len(r.Changes)) // the representative change of each group
	find := func(i int) int {
		for of[i] != i {
			of[i] = of[of[i]]
			i = of[i]
		}
		return i
	}
	first := map[string]int{} // for each operation, a change that it made
	join := func(i, j int) {
		a, b := find(i), find(j)
		of[max(a, b)] = min(a, b)
	}
	for i := range r.Changes {
		of[i] = i
		for _, id := range r.Changes[i].Operations {
			if j, ok := first[id]; ok {
				join(i, j)
			} else {
				first[id] = i
			}
		}
	}
	veiled := veiled(r)
	for i, ids := range veiled {
		for _, id := range ids {
			if j, ok := first[id]; ok {
				join(i, j)
			}
		}
	}
	all := make(map[int]*group, len(r.Changes))
	for i := range r.Changes {
		at := find(i)
		if all[at] == nil {
			all[at] = &group{}
		}
		all[at].changes = append(all[at].changes, &r.Changes[i])
		all[at].veiled = all[at].veiled || len(veiled[i]) > 0
	}
	for _, o := range r.Operations {
		if i, ok := first[o.ID]; ok {
			g := all[find(i)]
			g.operations = append(g.operations, o)
		}
	}
	var out []group
	for _, at := range slices.Sorted(maps.Keys(all)) {
		out = append(out, *all[at])
	}
	return out
}

// veiled returns, for each change that deletes a file, by its index, the operations on
// several files before it. The revision no longer knows what such an operation did to
// the file.
func veiled(r *plan.Revision) map[int][]string {
	deleted := map[string][]int{} // by the last operation
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Action == plan.Delete && len(c.Operations) > 0 {
			last := c.Operations[len(c.Operations)-1]
			deleted[last] = append(deleted[last], i)
		}
	}
	out := map[int][]string{}
	var several []string
	for i := range r.Operations {
		o := &r.Operations[i]
		for _, at := range deleted[o.ID] {
			out[at] = slices.Clone(several)
		}
		if o.Path == "" && !o.IsCommand() {
			several = append(several, o.ID)
		}
	}
	return out
}
