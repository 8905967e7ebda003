package draft

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// Live returns a file as it is at this moment.
type Live func(path string) (text string, exists bool, mode uint32, err error)

// Sealed is a draft made into what a revision consists of.
type Sealed struct {
	Operations []plan.Operation     // those that still matter, in order; new ones have no ids until Name
	Changes    []plan.Change        // hunks without ids; Operations empty until Name
	Texts      map[plan.Blob]string // every base and proposed text of Changes
	Notes      []string             // what was rebased and what could not be, one sentence each

	made [][]int // for each change the operations that made it
}

// Name gives the operations without one their ids, "o" and a number that
// counts on from last, and names in each change the operations that made it.
// It returns the last number given.
func (s *Sealed) Name(last int) int {
	for i := range s.Operations {
		if o := &s.Operations[i]; o.ID == "" {
			last++
			o.ID = "o" + strconv.Itoa(last)
		}
	}
	for i, made := range s.made {
		ids := make([]string, len(made))
		for j, k := range made {
			ids[j] = s.Operations[k].ID
		}
		s.Changes[i].Operations = ids
	}
	return last
}

// Seal makes a revision's contents of the draft. Files that end as they began
// are not in it, nor are operations that concern nothing else. A file whose
// live text is not what was pinned, because the user typed during the turn, is
// rebased onto the live text; if a hunk of it has no place there, the pinned
// base stays and the hunk will be shown as stale. So it is with files that an
// earlier revision had and that this draft did not touch again. The error is
// one of live's that is no [*workspace.Refusal]. The draft stays as it is.
func (d *Draft) Seal(live Live) (Sealed, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
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
	s.choose(d.operations)
	return s, nil
}

// rebase moves the outcome onto the live text. note says what was done, "" if
// there was nothing to do.
func (o *outcome) rebase(live Live) (note string, err error) {
	if o.action != plan.Update && o.action != plan.Rename {
		return "", nil // of the whole file or nothing: what it became shows when it is decided on
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
	rebased, left := rebase(o.base.text, o.proposed, text)
	if left > 0 {
		return fmt.Sprintf("%s was changed while the plan was made, in the same lines as %s: it is shown as stale.", o.path, changes(left)), nil
	}
	o.marks = carry(o.marks, edits.EditsOf(edits.Diff(o.proposed, rebased)))
	o.base, o.proposed = base{text, true, mode}, rebased
	return fmt.Sprintf("%s was changed while the plan was made: the plan is based on its new text.", o.path), nil
}

// rebase returns live with what leads from base to proposed, as far as it has
// a place there, and how many hunks have none.
func rebase(base, proposed, live string) (text string, left int) {
	if base == live {
		return proposed, 0
	}
	hunks := edits.Diff(base, proposed)
	es, conflicts := edits.Rebase(base, edits.EditsOf(hunks), live)
	text, err := edits.Apply(live, es)
	if err != nil {
		return live, len(hunks)
	}
	return text, len(conflicts)
}

// changes counts changes in words.
func changes(n int) string {
	if n == 1 {
		return "one change"
	}
	return strconv.Itoa(n) + " changes"
}

// add makes a change of an outcome.
func (s *Sealed) add(o outcome) {
	c := plan.Change{
		Path: o.path, NewPath: o.newPath, Action: o.action,
		Base: plan.BlobOf(o.base.text), Proposed: plan.BlobOf(o.proposed),
		BaseExists: o.base.exists, Mode: o.base.mode,
		Hunks: plan.Hunks(o.action, o.base.text, o.proposed),
	}
	s.Texts[c.Base], s.Texts[c.Proposed] = o.base.text, o.proposed
	if c.Action == plan.Update || c.Action == plan.Rename {
		for i := range c.Hunks {
			c.Hunks[i].Match = matchOf(c.Hunks[i].New, o.marks)
		}
	}
	s.Changes = append(s.Changes, c)
	s.made = append(s.made, o.operations)
}

// matchOf is how the place of the latest edit in a hunk's new lines was found,
// "" if no edit made them.
func matchOf(lines edits.Span, marks []mark) string {
	for _, m := range slices.Backward(marks) {
		if m.Start <= lines.End && lines.Start <= m.End {
			return m.step
		}
	}
	return ""
}

// choose fills in the operations that made a change, and the commands.
func (s *Sealed) choose(all []plan.Operation) {
	matters := make([]bool, len(all))
	for _, made := range s.made {
		for _, i := range made {
			matters[i] = true
		}
	}
	place := make([]int, len(all)) // in s.Operations
	for i, op := range all {
		if matters[i] || op.IsCommand() {
			place[i] = len(s.Operations)
			s.Operations = append(s.Operations, op)
		}
	}
	for i, made := range s.made {
		s.made[i] = make([]int, len(made))
		for j, k := range made {
			s.made[i][j] = place[k]
		}
	}
}
