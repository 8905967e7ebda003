package draft

import (
	"maps"
	"slices"

	"redline/agent/plan"
)

// Replay stages an operation in a draft again, as its tool call.
type Replay func(*Draft, plan.Operation) ([]Staged, error)

// Rest is a revision without some of its operations.
type Rest struct {
	Operations []plan.Operation
	Changes    []plan.Change        // unchanged hunks keep their ids
	Texts      map[plan.Blob]string // the texts that the revision lacks
	Idle       []string             // further operations that are left out, because they had an effect only together with those taken out
}

// Without takes operations out of revision r. The results of the other operations stay
// exactly as they are, unless one was made together with an operation that is taken out:
// hunks only lose their neighbours. If a removed operation and a remaining one made something
// together, Without stages the remaining ones again on the base texts of r, but only if
// staging all of them gives exactly r. decided reports whether the user has decided on a
// hunk, which must then not change.
//
// A [*Refusal] says in one sentence why the operations cannot be taken out, and what to do.
// Any other error is that of text.
func Without(r *plan.Revision, remove []string, decided func(hunk string) bool, text func(plan.Blob) (string, error), replay Replay) (Rest, error) {
	w := &removal{
		revision: r, gone: map[string]bool{}, decided: decided, text: text, replay: replay,
		idle: map[string]bool{}, rest: Rest{Texts: map[plan.Blob]string{}},
	}
	for _, id := range remove {
		w.gone[id] = true
	}
	for _, g := range groups(r) {
		if err := w.group(g); err != nil {
			return Rest{}, err
		}
	}
	for _, o := range r.Operations {
		switch {
		case w.gone[o.ID]:
		case w.idle[o.ID]:
			w.rest.Idle = append(w.rest.Idle, o.ID)
		default:
			w.rest.Operations = append(w.rest.Operations, o)
		}
	}
	plan.SortChanges(w.rest.Operations, w.rest.Changes)
	return w.rest, nil
}

// removal takes operations out of a revision.
type removal struct {
	revision *plan.Revision
	gone     map[string]bool // operations to take out
	idle     map[string]bool // operations that have no effect without those
	decided  func(hunk string) bool
	text     func(plan.Blob) (string, error)
	replay   Replay
	rest     Rest
}

// group takes operations out of one group, and adds what stays to the rest.
func (w *removal) group(g group) error {
	var goes, stays []plan.Operation
	for _, o := range g.operations {
		if w.gone[o.ID] {
			goes = append(goes, o)
		} else {
			stays = append(stays, o)
		}
	}
	switch {
	case len(goes) == 0:
		for _, c := range g.changes {
			w.rest.Changes = append(w.rest.Changes, *c)
		}
		return nil
	case len(stays) == 0:
		return nil
	}
	plain, err := w.plain(g)
	if err != nil {
		return err
	}
	bases, err := w.bases(g)
	if err != nil {
		return err
	}
	again, refusal := w.again(g, bases, goes, stays, plain)
	switch {
	case again != nil && !again.same(plain):
		plain = again
		for _, o := range stays {
			if !again.has[o.ID] {
				w.idle[o.ID] = true
			}
		}
	case plain == nil:
		return refusal
	}
	w.rest.Changes = append(w.rest.Changes, plain.changes...)
	maps.Copy(w.rest.Texts, plain.texts)
	return nil
}

// left is what remains of a group.
type left struct {
	changes []plan.Change
	texts   map[plan.Blob]string
	has     map[string]bool // the operations that made a part of it
}

// same reports whether the same files get the same texts.
func (l *left) same(m *left) bool {
	return m != nil && slices.EqualFunc(l.changes, m.changes, func(a, b plan.Change) bool {
		return a.Path == b.Path && a.NewPath == b.NewPath && a.Action == b.Action && a.Proposed == b.Proposed
	})
}

// plain returns the rest if hunks are removed as a whole. It returns nil if a hunk was made
// together with an operation that stays, or if another operation hides the effect of one.
func (w *removal) plain(g group) (*left, error) {
	if g.veiled {
		return nil, nil
	}
	l := &left{texts: map[plan.Blob]string{}}
	for _, c := range g.changes {
		seen := map[string]bool{}
		var keeps []bool
		for i := range c.Hunks {
			makers := c.MakersOf(&c.Hunks[i])
			for _, id := range makers {
				seen[id] = true
			}
			keeps = append(keeps, !w.gone[makers[0]])
			if !w.one(makers) {
				return nil, nil
			}
		}
		for _, id := range c.Movers() {
			seen[id] = true
		}
		if len(seen) < len(c.Operations) || !w.one(c.Movers()) {
			return nil, nil
		}
		moves := len(c.Movers()) > 0 && !w.gone[c.Movers()[0]]
		switch {
		case !moves && !slices.Contains(keeps, true):
			continue
		case !moves && len(c.Movers()) > 0:
			return nil, nil // calls after the move name a path without a file
		}
		rest, err := w.keep(c, keeps, l.texts)
		if err != nil {
			return nil, err
		}
		l.changes = append(l.changes, rest)
	}
	plan.SortChanges(g.operations, l.changes)
	return l, nil
}

// one reports whether the operations are either all removed or all kept.
func (w *removal) one(ids []string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { return w.gone[id] != w.gone[ids[0]] })
}

// keep returns a change with some of its hunks.
func (w *removal) keep(c *plan.Change, keeps []bool, texts map[plan.Blob]string) (plan.Change, error) {
	base, err := w.text(c.Base)
	if err != nil {
		return plan.Change{}, err
	}
	proposed, err := w.text(c.Proposed)
	if err != nil {
		return plan.Change{}, err
	}
	kept := map[string]bool{}
	for i, h := range c.Hunks {
		kept[h.ID] = keeps[i]
	}
	next, places := plan.Reference(base, proposed, c.Hunks, func(id string) bool { return kept[id] })
	out := *c
	out.Proposed, out.Hunks = plan.BlobOf(next), nil
	out.Operations = w.staying(c.Operations)
	out.MovedBy = some(w.staying(c.Movers()), out.Operations)
	for i, h := range c.Hunks {
		if keeps[i] {
			h.New, h.Operations = places[i], some(w.staying(c.MakersOf(&h)), out.Operations)
			out.Hunks = append(out.Hunks, h)
		}
	}
	if out.Proposed != c.Proposed {
		texts[out.Proposed] = next
	}
	return out, nil
}

// staying returns those of the operations that are not taken out.
func (w *removal) staying(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return w.gone[id] })
}

// some returns ids, or nil if they are all.
func some(ids, all []string) []string {
	if len(ids) == len(all) {
		return nil
	}
	return ids
}

// shares reports whether the operation has made a hunk, or the move, together with one that
// is removed.
func (w *removal) shares(g group, id string) bool {
	both := func(ids []string) bool {
		return slices.Contains(ids, id) && slices.ContainsFunc(ids, func(id string) bool { return w.gone[id] })
	}
	return slices.ContainsFunc(g.changes, func(c *plan.Change) bool {
		return both(c.Movers()) || slices.ContainsFunc(c.Hunks, func(h plan.Hunk) bool { return both(c.MakersOf(&h)) })
	})
}

func idsOf(operations []plan.Operation) []string {
	ids := make([]string, len(operations))
	for i := range operations {
		ids[i] = operations[i].ID
	}
	return ids
}

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
