package draft

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
	"redline/edits/track"
	"redline/workspace"
)

// Live returns the current file.
type Live func(path string) (text string, exists bool, mode uint32, err error)

// Sealed is a draft in the form of a revision.
type Sealed struct {
	Operations []plan.Operation     // those with an effect, in order; new ones have no ids until Name
	Changes    []plan.Change        // only hunks that an earlier revision has have ids; no operations until Name
	Texts      map[plan.Blob]string // every base and proposed text of Changes
	Notes      []string             // what was rebased and what could not be, one sentence each
	Idle       []plan.Operation     // operations of the turn without an effect, which are not included

	made []made // the makers of each change
	news []int  // ids of the operations that had none
}

// Empty reports whether nothing differs from the draft's beginning.
func (s *Sealed) Empty() bool { return len(s.Changes)+len(s.Operations) == 0 }

// made has the indices of the operations that made a change: all, those that moved the file, and
// those of each hunk if known.
type made struct {
	all, movers []int
	hunks       [][]int
}

// Name gives the new operations their ids, "o" and a number that continues after last, and
// records in each change and hunk the operations that made it. It returns the last number. It
// can be called again with another last.
func (s *Sealed) Name(last int) int {
	for _, i := range s.news {
		last++
		s.Operations[i].ID = "o" + strconv.Itoa(last)
	}
	for i, m := range s.made {
		c := &s.Changes[i]
		c.Operations = s.ids(m.all)
		c.MovedBy = s.some(m.movers, m.all)
		for j, of := range m.hunks {
			c.Hunks[j].Operations = s.some(of, m.all)
		}
	}
	return last
}

// ids returns the ids of operations.
func (s *Sealed) ids(indices []int) []string {
	ids := make([]string, len(indices))
	for i, k := range indices {
		ids[i] = s.Operations[k].ID
	}
	return ids
}

// some returns the ids of a change's operations, or nil if they are all of them.
func (s *Sealed) some(indices, all []int) []string {
	if len(indices) == 0 || len(indices) == len(all) {
		return nil
	}
	return s.ids(indices)
}

// Seal returns the draft as the contents of a revision, without files that end as they
// began and operations that only concern those. If the user typed in a file during the
// turn, Seal rebases it onto the live text; if a hunk has no place there, the pinned
// base stays and the hunk will show as stale. The same holds for files of an earlier
// revision that this draft did not touch. The error is that of live, if it is not a
// [*workspace.Refusal]. The draft does not change.
func (draft *Draft) Seal(live Live) (Sealed, error) {
	d, done := draft.open()
	defer done()
	s := Sealed{Texts: map[plan.Blob]string{}, Notes: slices.Clone(d.notes)}
	for _, o := range d.outcomes() {
		if !o.kept {
			note, err := o.rebase(live)
			if err != nil {
				return Sealed{}, err
			}
			if note != "" {
				s.Notes = append(s.Notes, note)
			}
			if o.action == plan.Update && o.base.text == o.proposed {
				continue
			}
		}
		s.add(o)
	}
	s.choose(d.operations, d.whole)
	return s, nil
}

// rebase moves the outcome onto the live text. note says what it did, or is "".
func (o *outcome) rebase(live Live) (note string, err error) {
	if o.action != plan.Update && o.action != plan.Rename {
		return "", nil // it changes the whole file or nothing; a decision checks the current file
	}
	text, exists, mode, err := live(o.path)
	switch {
	case err != nil:
		if _, ok := errors.AsType[*workspace.Refusal](err); ok {
			return fmt.Sprintf("%s could not be read again: %s.", o.path, err), nil
		}
		return "", err
	case !exists:
		return fmt.Sprintf("%s was deleted while the plan was made.", o.path), nil
	case text == o.base.text:
		o.base.mode = mode
		return "", nil
	}
	areas := o.areas
	if areas == nil {
		areas = blame.AreasOf(edits.Diff(o.base.text, o.proposed), blame.Source{Calls: o.operations})
	}
	rebased, moved, left := rebase(o.base.text, areas.Edits(o.proposed), areas.Sources(), text)
	if left > 0 {
		return fmt.Sprintf("%s was changed while the plan was made, in the same lines as %s: it is shown as stale.", o.path, changes(left)), nil
	}
	o.base, o.proposed, o.areas = base{text: text, exists: true, mode: mode, bom: o.base.bom}, rebased, moved
	return fmt.Sprintf("%s was changed while the plan was made: the plan is based on its new text.", o.path), nil
}

// rebase returns live with those edits of base, in whole lines, that have a place there, their
// areas, and how many have no place. sources has the source of each edit.
func rebase(base string, es []edits.Edit, sources []blame.Source, live string) (text string, areas blame.Areas, left int) {
	if base != live {
		var made, conflicts []int
		es, made, conflicts = track.Rebase(base, es, live)
		gone := slices.Concat(made, conflicts)
		slices.Sort(gone)
		sources, left = without(sources, gone), len(conflicts)
	}
	text, err := edits.Apply(live, es)
	if err != nil {
		return live, nil, left + len(es)
	}
	return text, blame.AreasAt(live, es, sources), left
}

// without returns the items except those with the given indices, which ascend.
func without[T any](items []T, indices []int) []T {
	var out []T
	for i, item := range items {
		if len(indices) > 0 && indices[0] == i {
			indices = indices[1:]
		} else {
			out = append(out, item)
		}
	}
	return out
}

// changes formats a number of changes in words.
func changes(n int) string {
	if n == 1 {
		return "one change"
	}
	return strconv.Itoa(n) + " changes"
}

// add adds the change of an outcome.
func (s *Sealed) add(o outcome) {
	pieces := o.areas
	if !o.kept { // the rest of an earlier revision keeps its pieces
		pieces = plan.Pieces(o.action, o.base.text, o.proposed, o.areas)
	}
	c := plan.Change{
		Path: o.path, NewPath: o.newPath, Action: o.action,
		Base: plan.BlobOf(o.base.text), Proposed: plan.BlobOf(o.proposed),
		BaseExists: o.base.exists, Mode: o.base.mode,
		Hunks: plan.HunksOf(pieces, o.base.text, o.proposed),
	}
	c.BOM = o.base.bom && (c.Action == plan.Create || c.Action == plan.Delete)
	s.Texts[c.Base], s.Texts[c.Proposed] = o.base.text, o.proposed
	s.Changes = append(s.Changes, c)
	m := made{all: o.operations, movers: o.movers}
	for _, a := range pieces {
		m.hunks = append(m.hunks, a.Calls)
	}
	s.made = append(s.made, m)
}

// choose adds the operations that made a change, and the commands. With whole set, it also
// adds the turn's operations that made none.
func (s *Sealed) choose(all []plan.Operation, whole bool) {
	matters := make([]bool, len(all))
	for _, m := range s.made {
		for _, i := range m.all {
			matters[i] = true
		}
	}
	place := make([]int, len(all)) // indices in s.Operations
	for i, op := range all {
		if matters[i] || op.IsCommand() || whole && op.ID == "" {
			place[i] = len(s.Operations)
			if op.ID == "" {
				s.news = append(s.news, place[i])
			}
			s.Operations = append(s.Operations, op)
		} else if op.ID == "" {
			s.Idle = append(s.Idle, op)
		}
	}
	for i, m := range s.made {
		s.made[i] = made{all: at(place, m.all), movers: at(place, m.movers)}
		for _, of := range m.hunks {
			s.made[i].hunks = append(s.made[i].hunks, at(place, of))
		}
	}
}

// at returns the places with the given indices.
func at(place, indices []int) []int {
	out := make([]int, len(indices))
	for i, k := range indices {
		out[i] = place[k]
	}
	return out
}

// outcome is the result of all operations for one file: the difference between the
// workspace and the draft.
type outcome struct {
	action     plan.Action
	path       string
	newPath    string
	base       base
	proposed   string
	areas      blame.Areas // of base and proposed; nil for the plain difference
	operations []int
	movers     []int // those of them that moved the file
	kept       bool  // the change of an earlier revision, if it is unchanged
}

// outcomes returns the result for each changed file, in the order of their first
// operations. No path is in two outcomes, so their order does not matter: a file that
// trades places with another one, or leaves a path that is used again, is an update and
// not a rename.
func (l *layer) outcomes() []outcome {
	moved := map[string]bool{} // paths that files were moved away from
	for path, f := range l.files {
		if l.moves(path, f) {
			moved[f.origin] = true
		}
	}
	var all []outcome
	for path, f := range l.files {
		if k := l.untouched(f); k != nil {
			if path == k.change.Path {
				all = append(all, k.outcome(f.operations))
			}
		} else if o, ok := l.outcome(path, f); ok && !moved[path] {
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(a, b outcome) int {
		return cmp.Or(cmp.Compare(a.first(), b.first()), cmp.Compare(a.path, b.path))
	})
	return all
}

// first returns the index of the first operation.
func (o *outcome) first() int {
	if len(o.operations) == 0 {
		return 0
	}
	return o.operations[0]
}

// moves reports whether f is at path because one file was moved there, which leaves
// nothing at its old path and replaces nothing.
func (l *layer) moves(path string, f *file) bool {
	from, ok := l.files[f.origin]
	return ok && f.exists && f.origin != path && !from.exists && l.bases[f.origin].exists && !l.bases[path].exists
}

// outcome compares the file at path with its base. ok is false if they are the same.
func (l *layer) outcome(path string, f *file) (o outcome, ok bool) {
	b := l.bases[path]
	o = outcome{path: path, base: b, proposed: f.text, operations: f.operations}
	switch {
	case l.moves(path, f):
		o.action, o.path, o.newPath, o.base = plan.Rename, f.origin, path, l.bases[f.origin]
		o.areas, o.operations = f.areas, union(l.files[f.origin].operations, f.operations)
		o.movers = f.movers
		return o, true
	case f.exists && b.exists:
		o.action = plan.Update
		if f.origin == path {
			o.areas = f.areas
		}
		return o, f.text != b.text
	case f.exists:
		o.action, o.base.mode = plan.Create, cmp.Or(f.mode, l.bases[f.origin].mode)
		o.base.bom = l.hasBOM(f)
		return o, true
	default:
		o.action = plan.Delete
		return o, b.exists
	}
}

// hasBOM reports whether a byte order mark comes before the text of f.
func (l *layer) hasBOM(f *file) bool { return f.bom || l.bases[f.origin].bom }

// untouched returns the change of an earlier revision that f still is. It returns nil
// if there is none, or if the other file of a rename was touched.
func (l *layer) untouched(f *file) *kept {
	k := f.kept
	if k == nil || l.files[k.change.Path].kept != k {
		return nil
	}
	if k.change.NewPath != "" && l.files[k.change.NewPath].kept != k {
		return nil
	}
	return k
}

// outcome returns the outcome of the earlier change.
func (k *kept) outcome(operations []int) outcome {
	return outcome{
		action: k.change.Action, path: k.change.Path, newPath: k.change.NewPath,
		base:     base{text: k.base, exists: k.change.BaseExists, mode: k.change.Mode, bom: k.change.BOM},
		proposed: k.proposed, areas: k.areas, operations: operations, movers: k.movers, kept: true,
	}
}
