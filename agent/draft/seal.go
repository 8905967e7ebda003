package draft

import (
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
