package plan

import (
	"cmp"
	"container/heap"
	"math/bits"
	"slices"

	"redline/internal/stable"
)

// key sorts operations that no dependency orders: by the place of the step, edits before
// commands, then by their current order.
type key struct {
	step    int
	command bool
	index   int
}

func (k key) compare(l key) int {
	return cmp.Or(cmp.Compare(k.step, l.step), compareBool(k.command, l.command), cmp.Compare(k.index, l.index))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// rank sets the keys of the operations. Steps keep their order, each after those that it
// depends on; operations without a step come last.
func (d *Dependencies) rank(r *Revision) {
	place := make(map[string]int, len(d.steps))
	at := 0
	for _, n := range ranked(stepNeeds(d.steps), func(a, b int) int { return cmp.Compare(a, b) }) {
		place[d.steps[n].ID] = at
		at++
	}
	d.keys = make([]key, len(d.ids))
	for i := range r.Operations {
		o := &r.Operations[i]
		step, ok := place[o.Step]
		if !ok {
			step = len(d.steps)
		}
		d.keys[i] = key{step, o.IsCommand(), i}
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
	// A step has no place of its own: it is passed as soon as it is reached.
	order := ranked(d.needs, func(a, b int) int {
		aStep, bStep := a >= len(d.ids), b >= len(d.ids)
		switch {
		case aStep != bStep:
			return compareBool(bStep, aStep)
		case aStep:
			return cmp.Compare(a, b)
		}
		return d.keys[a].compare(d.keys[b])
	})
	return d.names(slices.DeleteFunc(order, func(n int) bool { return n >= len(d.ids) }))
}

// Waves returns the operations in groups. No operation depends on another of its group,
// so they could run side by side, and each is in the first group after all its
// dependencies.
func (d *Dependencies) Waves() [][]string {
	depth := make([]int, len(d.needs)) // for an operation its wave; for a step the first wave after it
	var waves [][]int
	for _, n := range d.topo {
		for _, m := range d.needs[n] {
			behind := depth[m.node]
			if m.node < len(d.ids) {
				behind++
			}
			depth[n] = max(depth[n], behind)
		}
		if n < len(d.ids) {
			for len(waves) <= depth[n] {
				waves = append(waves, nil)
			}
			waves[depth[n]] = append(waves[depth[n]], n)
		}
	}
	out := make([][]string, len(waves))
	for k, wave := range waves {
		slices.Sort(wave)
		out[k] = d.names(wave)
	}
	return out
}

// Independent reports whether neither of two operations depends on the other,
// directly or through others.
func (d *Dependencies) Independent(a, b string) bool {
	i, ok1 := d.index[a]
	j, ok2 := d.index[b]
	if !ok1 || !ok2 || i == j {
		return false
	}
	reach := d.reach()
	return !reach[i].has(j) && !reach[j].has(i)
}

// Needing returns, in order, the operations that depend on a named one, directly or
// through others, and are not named themselves.
func (d *Dependencies) Needing(named []string) []string {
	marked := make([]bool, len(d.needs))
	for _, id := range named {
		if i, ok := d.index[id]; ok {
			marked[i] = true
		}
	}
	for _, n := range d.topo {
		marked[n] = marked[n] || slices.ContainsFunc(d.needs[n], func(m need) bool { return marked[m.node] })
	}
	var out []string
	for i, id := range d.ids {
		if marked[i] && !slices.Contains(named, id) {
			out = append(out, id)
		}
	}
	return out
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

// sorted returns the nodes of a graph without cycles, needed nodes first.
func sorted(needs [][]need) []int {
	return ranked(needs, func(a, b int) int { return cmp.Compare(a, b) })
}

// ranked does what sorted does, but takes the least node where there is a choice.
func ranked(needs [][]need, compare func(a, b int) int) []int {
	left := make([]int, len(needs))
	needed := make([][]int, len(needs))
	for i, ns := range needs {
		left[i] = len(ns)
		for _, n := range ns {
			needed[n.node] = append(needed[n.node], i)
		}
	}
	free := &queue{compare: compare}
	for i, n := range left {
		if n == 0 {
			free.nodes = append(free.nodes, i)
		}
	}
	heap.Init(free)
	order := make([]int, 0, len(needs))
	for free.Len() > 0 {
		n := heap.Pop(free).(int)
		order = append(order, n)
		for _, i := range needed[n] {
			if left[i]--; left[i] == 0 {
				heap.Push(free, i)
			}
		}
	}
	return order
}

type queue struct {
	nodes   []int
	compare func(a, b int) int
}

func (q *queue) Len() int           { return len(q.nodes) }
func (q *queue) Less(i, j int) bool { return q.compare(q.nodes[i], q.nodes[j]) < 0 }
func (q *queue) Swap(i, j int)      { q.nodes[i], q.nodes[j] = q.nodes[j], q.nodes[i] }
func (q *queue) Push(n any)         { q.nodes = append(q.nodes, n.(int)) }
func (q *queue) Pop() any {
	n := q.nodes[len(q.nodes)-1]
	q.nodes = q.nodes[:len(q.nodes)-1]
	return n
}

// components numbers the nodes such that two have the same number if each can
// be reached from the other (Tarjan's algorithm, without recursion: a model
// chooses how deep the graph is).
func components(needs [][]need) []int {
	const none = -1
	number, low, group := make([]int, len(needs)), make([]int, len(needs)), make([]int, len(needs))
	for i := range needs {
		number[i], group[i] = none, none
	}
	type frame struct{ node, next int }
	var path []frame
	var open []int
	seen, groups := 0, 0
	for root := range needs {
		if number[root] != none {
			continue
		}
		path = append(path, frame{node: root})
		for len(path) > 0 {
			top := &path[len(path)-1]
			n := top.node
			if top.next == 0 {
				number[n], low[n] = seen, seen
				seen++
				open = append(open, n)
			}
			if top.next < len(needs[n]) {
				m := needs[n][top.next].node
				top.next++
				switch {
				case number[m] == none:
					path = append(path, frame{node: m})
				case group[m] == none:
					low[n] = min(low[n], number[m])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				above := path[len(path)-1].node
				low[above] = min(low[above], low[n])
			}
			if low[n] == number[n] {
				for {
					m := open[len(open)-1]
					open = open[:len(open)-1]
					group[m] = groups
					if m == n {
						break
					}
				}
				groups++
			}
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
	stable.Sort(changes, func(a, b Change) int { return cmp.Compare(first(&a), first(&b)) })
}
