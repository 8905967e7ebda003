package plan

import (
	"cmp"
	"math/bits"
	"slices"
)

// key sorts nodes that no dependency orders: operations by the place of the step, edits before
// commands, then by their current order. A step has no place of its own: its place is -1, so that it
// is passed as soon as it is reached.
type key [3]int

func (k key) compare(l key) int { return slices.Compare(k[:], l[:]) }

// rank sets the keys of the nodes. Steps keep their order, each after those that it depends on;
// operations without a step come last.
func (d *Dependencies) rank(r *Revision) {
	place := make(map[string]int, len(r.Steps))
	for at, n := range ranked(stepNeeds(r.Steps), cmp.Compare) {
		place[r.Steps[n].ID] = at
	}
	for i := range r.Operations {
		o := &r.Operations[i]
		k := key{len(r.Steps), 0, i}
		if step, ok := place[o.Step]; ok {
			k[0] = step
		}
		if o.IsCommand() {
			k[1] = 1
		}
		d.keys = append(d.keys, k)
	}
	for i := range r.Steps {
		d.keys = append(d.keys, key{-1, 0, i})
	}
}

// stepNeeds returns which steps depend on which, as indices, without cycles.
func stepNeeds(steps []Step) [][]need {
	index := make(map[string]int, len(steps))
	for i, s := range steps {
		index[s.ID] = i
	}
	needs := make([][]need, len(steps))
	for i, s := range steps {
		for _, other := range s.waitsFor() {
			if j, ok := index[other]; ok && j != i {
				needs[i] = append(needs[i], need{node: j})
			}
		}
	}
	group := components(needs)
	for i := range needs {
		needs[i] = slices.DeleteFunc(needs[i], func(n need) bool { return group[n.node] == group[i] })
	}
	return needs
}

// Suggested returns all operations in the suggested order: step after step, in each step
// edits before commands, as far as the dependencies allow, and otherwise as they are.
// Applied to its own result, it returns the same order.
func (d *Dependencies) Suggested() []string {
	order := ranked(d.needs, func(a, b int) int { return d.keys[a].compare(d.keys[b]) })
	return d.names(slices.DeleteFunc(order, func(n int) bool { return n >= len(d.ids) }))
}

// Edge is one dependency: To must come after From.
type Edge struct{ From, To string }

// Reduced returns the fewest dependencies from which all others follow, in the
// order of the operations that have them.
func (d *Dependencies) Reduced() []Edge {
	reach := d.reach()
	var out []Edge
	for i, id := range d.ids {
		direct := d.direct(i)
		for _, j := range direct {
			if !slices.ContainsFunc(direct, func(k int) bool { return k != j && reach[k].has(j) }) {
				out = append(out, Edge{d.ids[j], id})
			}
		}
	}
	return out
}

// reach returns, for each node, the nodes that it comes after.
func (d *Dependencies) reach() []set {
	reach := make([]set, len(d.needs))
	for _, n := range d.topo {
		reach[n] = make(set, (len(d.needs)+bits.UintSize-1)/bits.UintSize)
		for _, m := range d.needs[n] {
			reach[n].add(m.node)
			for k, word := range reach[m.node] {
				reach[n][k] |= word
			}
		}
	}
	return reach
}

// set is a set of small numbers.
type set []uint

func (s set) add(n int)      { s[n/bits.UintSize] |= 1 << (n % bits.UintSize) }
func (s set) has(n int) bool { return s[n/bits.UintSize]&(1<<(n%bits.UintSize)) != 0 }

// sorted returns the nodes of a graph, needed nodes first, without those in cycles and those that
// need them.
func sorted(needs [][]need) []int { return ranked(needs, cmp.Compare) }

// ranked does what sorted does, and takes the least node where there is a choice. No two nodes are
// equal.
func ranked(needs [][]need, compare func(a, b int) int) []int {
	left := make([]int, len(needs))
	needed := make([][]int, len(needs))
	var free []int // the least last
	for i, ns := range needs {
		if left[i] = len(ns); left[i] == 0 {
			free = append(free, i)
		}
		for _, n := range ns {
			needed[n.node] = append(needed[n.node], i)
		}
	}
	slices.SortFunc(free, func(a, b int) int { return compare(b, a) })
	order := make([]int, 0, len(needs))
	for len(free) > 0 {
		n := free[len(free)-1]
		free = free[:len(free)-1]
		order = append(order, n)
		for _, i := range slices.Backward(needed[n]) { // mostly the greatest first: little has to move
			if left[i]--; left[i] == 0 {
				at, _ := slices.BinarySearchFunc(free, i, func(a, b int) int { return compare(b, a) })
				free = slices.Insert(free, at, i)
			}
		}
	}
	return order
}

// components numbers the nodes such that two have the same number if each can be reached from the
// other (Tarjan's algorithm: https://doi.org/10.1137/0201010).
func components(needs [][]need) []int {
	number, low, group := make([]int, len(needs)), make([]int, len(needs)), make([]int, len(needs)) // from 1
	var open []int
	seen, groups := 0, 0
	var visit func(n int)
	visit = func(n int) {
		seen++
		number[n], low[n] = seen, seen
		at := len(open)
		open = append(open, n)
		for _, m := range needs[n] {
			if number[m.node] == 0 {
				visit(m.node)
			}
			if group[m.node] == 0 {
				low[n] = min(low[n], low[m.node])
			}
		}
		if low[n] == number[n] {
			groups++
			for _, m := range open[at:] {
				group[m] = groups
			}
			open = open[:at]
		}
	}
	for n := range needs {
		if number[n] == 0 {
			visit(n)
		}
	}
	return group
}

// SortChanges puts changes into the order in which the operations make them.
func SortChanges(operations []Operation, changes []Change) {
	place := make(map[string]int, len(operations))
	for i := range operations {
		place[operations[i].ID] = i
	}
	first := func(c *Change) int {
		at := len(operations)
		for _, id := range c.Operations {
			if i, ok := place[id]; ok {
				at = min(at, i)
			}
		}
		return at
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(first(&a), first(&b)) })
}
