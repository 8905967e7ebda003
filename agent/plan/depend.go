package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Dependencies hold which operations of a revision must come before which others. They
// follow from the revision alone: two operations on the same file, or on a file and a
// folder that contains it, keep their order; a command comes after the edits and the
// commands before it; and an operation of a step comes after those of the steps that its
// step depends on or waits for, unless that contradicts the order for files. Independent
// operations may change places, or run side by side. Of
//
//	o1 edit a.go · o2 edit b.go · o3 edit a.go · o4 run go test
//
// o3 comes after o1, and o4 after all; o2 may change places with o1 and o3.
type Dependencies struct {
	ids   []string       // of the operations, in the order of the revision
	index map[string]int // by id
	keys  []key          // of the nodes, for the suggested order

	// Nodes are the operations, by index, followed by the steps. A step's node comes after those
	// of its operations. So dependencies between steps of many operations cost no more than
	// their operations.
	needs [][]need
	topo  []int // all nodes, needed ones first
}

// need is one node that another must come after, and why.
type need struct {
	node int
	why  string // continues "o3 must come after o1: "
	pair int    // number, from 1, of the pair of steps that causes it, which dependencies of files can overrule; else 0
}

// Dependencies computes how the operations of r depend on one another. The time is
// proportional to the number of operations and of the files that they concern.
func (r *Revision) Dependencies() *Dependencies {
	d := &Dependencies{
		index: make(map[string]int, len(r.Operations)),
		needs: make([][]need, len(r.Operations)+len(r.Steps)),
	}
	for i := range r.Operations {
		d.ids = append(d.ids, r.Operations[i].ID)
		d.index[r.Operations[i].ID] = i
	}
	d.byPath(r)
	d.byCommand(r)
	d.byStep(r)
	d.overrule()
	d.rank(r)
	return d
}

// pathsOf returns, for each operation of r, the paths that it concerns.
func pathsOf(r *Revision, index map[string]int) [][]string {
	paths := make([][]string, len(r.Operations))
	add := func(i int, name string) {
		if name != "" && !slices.Contains(paths[i], name) {
			paths[i] = append(paths[i], name)
		}
	}
	for i := range r.Operations {
		o := &r.Operations[i]
		if o.IsCommand() {
			continue
		}
		add(i, o.Path)
		var args struct {
			NewPath string `json:"new_path"`
		}
		if o.Tool == "rename_file" && json.Unmarshal(o.Args, &args) == nil && args.NewPath != "" {
			add(i, path.Clean(args.NewPath))
		}
	}
	for k := range r.Changes {
		c := &r.Changes[k]
		for _, id := range c.Operations {
			if i, ok := index[id]; ok {
				add(i, c.Path)
				add(i, c.NewPath)
			}
		}
	}
	return paths
}

// byPath makes each operation come after the latest one before it that concerns the same
// path, a folder that contains it, or something inside it.
func (d *Dependencies) byPath(r *Revision) {
	creates := map[string]bool{}
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Action == Create {
			creates[c.Path] = true
		}
	}
	first, last := map[string]int{}, map[string]int{} // the first and the latest operation on exactly this path
	below := map[string][]int{}                       // those since the last of them that concern something inside it
	for i, paths := range pathsOf(r, d.index) {
		for _, p := range paths {
			if j, ok := last[p]; ok {
				why := "both change " + p
				if creates[p] && first[p] == j {
					why = d.ids[j] + " creates " + p
				}
				d.need(i, need{node: j, why: why})
			}
			for _, j := range below[p] {
				d.need(i, need{node: j, why: d.ids[j] + " is about a file in " + p})
			}
			for k, c := range p {
				if c != '/' {
					continue
				}
				if j, ok := last[p[:k]]; ok {
					d.need(i, need{node: j, why: p + " is in " + p[:k]})
				}
			}
		}
		for _, p := range paths {
			if _, ok := first[p]; !ok {
				first[p] = i
			}
			last[p] = i
			delete(below, p)
			for k, c := range p {
				if c == '/' {
					below[p[:k]] = append(below[p[:k]], i)
				}
			}
		}
	}
}

// byCommand makes each command come after the command before it and the edits between the
// two. That it comes after everything earlier follows.
func (d *Dependencies) byCommand(r *Revision) {
	beside := map[string]string{} // each command to the first of those that run at the same time
	for _, group := range r.Parallel() {
		for _, id := range group {
			beside[id] = group[0]
		}
	}
	since, before := 0, 0 // the first of the previous commands, and what these come after
	for i := range r.Operations {
		if !r.Operations[i].IsCommand() {
			continue
		}
		if first := beside[d.ids[i]]; first != "" && first != d.ids[i] {
			for j := before; j < d.index[first]; j++ {
				d.need(i, need{node: j, why: "a command runs after what is before it"})
			}
			continue
		}
		before = since
		for j := since; j < i; j++ {
			if r.Operations[j].IsCommand() {
				d.need(i, need{node: j, why: "commands run one after the other"})
			} else {
				d.need(i, need{node: j, why: "a command runs after the edits before it"})
			}
		}
		since = i
	}
}

// byStep makes the operations of a step come after the steps that it depends on.
func (d *Dependencies) byStep(r *Revision) {
	node := make(map[string]int, len(r.Steps))
	for k, s := range r.Steps {
		node[s.ID] = len(d.ids) + k
	}
	before := make(map[string][]need, len(r.Steps))
	pairs := 0
	for _, s := range r.Steps {
		for _, other := range s.waitsFor() {
			if n, ok := node[other]; ok && other != s.ID {
				pairs++
				why := fmt.Sprintf("step %s depends on step %s", s.ID, other)
				if s.When != nil && s.When.Step == other {
					why = fmt.Sprintf("step %s waits for the result of step %s", s.ID, other)
				}
				before[s.ID] = append(before[s.ID], need{node: n, pair: pairs, why: why})
			}
		}
	}
	if pairs == 0 {
		return
	}
	for i := range r.Operations {
		s := r.Operations[i].Step
		if n, ok := node[s]; ok {
			d.needs[n] = append(d.needs[n], need{node: i})
			d.needs[i] = append(d.needs[i], before[s]...)
		}
	}
	for _, s := range r.Steps {
		if n := node[s.ID]; len(d.needs[n]) == 0 { // otherwise its operations need them
			d.needs[n] = before[s.ID]
		}
	}
}

func (d *Dependencies) need(i int, n need) {
	if n.node != i {
		d.needs[i] = append(d.needs[i], n)
	}
}

// maxContested is how many pairs of steps are tried one by one. Only a plan made to be difficult
// has that many.
const maxContested = 64

// overrule drops needs between steps that would form a cycle, and sorts the nodes. All
// other needs are of earlier operations, so they form none. Of the pairs of steps in a
// cycle the first ones count: that does not depend on the order of the operations, so any
// order that keeps all dependencies leads to the same result.
func (d *Dependencies) overrule() {
	if d.topo = sorted(d.needs); len(d.topo) == len(d.needs) {
		return
	}
	group := components(d.needs)
	contested := map[int]bool{}
	for i, needs := range d.needs {
		for _, n := range needs {
			if n.pair > 0 && group[n.node] == group[i] {
				contested[n.pair] = true
			}
		}
	}
	all := slices.Clone(d.needs)
	keep := func(pair int) bool {
		for i := range all {
			d.needs[i] = slices.DeleteFunc(slices.Clone(all[i]), func(n need) bool { return contested[n.pair] && n.pair != pair })
		}
		d.topo = sorted(d.needs)
		return len(d.topo) == len(d.needs)
	}
	for _, pair := range slices.Sorted(maps.Keys(contested))[:min(len(contested), maxContested)] {
		if keep(pair) {
			delete(contested, pair)
		}
	}
	keep(0)
}

// Of returns the direct dependencies of the operation with the given id, in order: the
// operations that it must come right after.
func (d *Dependencies) Of(id string) []string {
	i, ok := d.index[id]
	if !ok {
		return nil
	}
	return d.names(d.direct(i))
}

// direct returns the operations that operation i needs, through steps too,
// ascending.
func (d *Dependencies) direct(i int) []int {
	var out []int
	passed := map[int]bool{} // steps
	var add func(of int)
	add = func(of int) {
		for _, n := range d.needs[of] {
			if n.node < len(d.ids) {
				out = append(out, n.node)
			} else if !passed[n.node] {
				passed[n.node] = true
				add(n.node)
			}
		}
	}
	add(i)
	slices.Sort(out)
	return slices.Compact(out)
}

func (d *Dependencies) names(indices []int) []string {
	ids := make([]string, len(indices))
	for k, i := range indices {
		ids[k] = d.ids[i]
	}
	return ids
}

// OutOfOrder is a dependency that an order breaks. Its text is one sentence,
// without a full stop.
type OutOfOrder struct{ Operation, After, Why string }

func (e *OutOfOrder) Error() string {
	return fmt.Sprintf("%s must come after %s: %s", e.Operation, e.After, e.Why)
}

// Check returns an [*OutOfOrder] if an order of all operations breaks a dependency.
func (d *Dependencies) Check(order []string) error {
	place := make([]int, len(d.ids))
	for at, id := range order {
		place[d.index[id]] = at
	}
	// The latest operation of each step, through the steps that it needs.
	latest := make([]int, len(d.needs))
	for _, n := range d.topo {
		latest[n] = n
		if n < len(d.ids) {
			continue
		}
		latest[n] = -1
		for _, m := range d.needs[n] {
			if l := latest[m.node]; l >= 0 && (latest[n] < 0 || place[l] > place[latest[n]]) {
				latest[n] = l
			}
		}
	}
	for _, id := range order {
		i := d.index[id]
		for _, n := range d.needs[i] {
			if l := latest[n.node]; l >= 0 && place[l] > place[i] {
				return &OutOfOrder{id, d.ids[l], n.why}
			}
		}
	}
	return nil
}

// Ordered returns the order of all operations in which the named ones swap places among
// themselves to match named, and the others stay where they are: of o1 o2 o3 o4 the order o4 o2 makes
// o1 o4 o3 o2. The error is one
// sentence, without a full stop, on why the names are no valid order.
func (d *Dependencies) Ordered(named []string) ([]string, error) {
	var places []int
	for k, id := range named {
		i, ok := d.index[id]
		switch {
		case !ok:
			return nil, fmt.Errorf("there is no operation %s: it has %s", id, orNone(d.ids))
		case slices.Contains(named[:k], id):
			return nil, fmt.Errorf("%s is named twice: name each operation once", id)
		}
		places = append(places, i)
	}
	slices.Sort(places)
	order := slices.Clone(d.ids)
	for k, i := range places {
		order[i] = named[k]
	}
	return order, d.Check(order)
}

func orNone(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}
