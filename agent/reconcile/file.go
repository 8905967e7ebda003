package reconcile

import (
	"slices"

	"redline/agent/plan"
	"redline/edits"
)

// Sent judges what was sent of a file with the given verdict, of which the text has what
// was found. Where the outcome is [Partly], it returns what became of each hunk and of the
// move besides, as an undo has it if it was one: Landed is done as asked.
func Sent(r Record, v plan.Verdict, part Part, found Found, w Word) (f Finding, hunks []edits.Landing, move edits.Landing) {
	hunks, move = slices.Clone(found.Hunks), found.Move
	if v == plan.VerdictUndo {
		move = turned(move)
		for i := range hunks {
			hunks[i] = turned(hunks[i])
		}
	}
	if f = Judge(r, sum(part, hunks, move, found.Both), w); f.Outcome != Partly {
		return f, nil, edits.Unclear
	}
	for i := range hunks {
		if hunks[i] == edits.Unclear { // as it was before it was sent
			hunks[i] = edits.Absent
		}
	}
	return f, hunks, move
}

// sum is what the text has of all that was sent of a file.
func sum(part Part, hunks []edits.Landing, move edits.Landing, both bool) Text {
	if part.Move {
		hunks = append(slices.Clone(hunks), move)
	}
	only := func(l edits.Landing) bool {
		return !slices.ContainsFunc(hunks, func(one edits.Landing) bool { return one != l })
	}
	switch {
	case both:
		return Both
	case only(edits.Landed):
		return New
	case only(edits.Absent):
		return Old
	case !slices.Contains(hunks, edits.Landed):
		return Neither
	}
	return Some
}

// Hunk is one hunk that is applied or may come back, or a move that is applied.
type Hunk struct {
	ID     string // "" for the move
	Record Record
	Found  edits.Landing
}

// Change is what becomes of a file that has such hunks.
type Change struct {
	Gone  []Went   // they are pending
	Back  []string // ids of hunks that are applied again
	Saved bool     // what is applied of the file is on the disk
}

// Went is a hunk, or with the ID "" the move, that is pending, and why.
type Went struct {
	ID    string
	Cause plan.Cause
}

// None reports whether nothing about the hunks changes.
func (c Change) None() bool { return len(c.Gone)+len(c.Back) == 0 }

// Cause is what to say of the file as a whole.
func (c Change) Cause() plan.Cause {
	cause := plan.Cause("")
	for _, one := range c.Gone {
		if cause == "" || one.Cause == plan.UndoneInEditor {
			cause = one.Cause
		}
	}
	return cause
}

// Hunks judges the hunks of a file. unsaved says that the record has something of the file
// unsaved: it is saved once the editor has saved it and nothing of it went.
func Hunks(hunks []Hunk, unsaved bool, w Word) (c Change) {
	stays, earlier := false, false
	for _, h := range hunks {
		earlier = earlier || h.Record == Earlier || h.Record == EarlierGone
		switch f := Judge(h.Record, textOf(h.Found), w); {
		case f.Outcome == Pending:
			c.Gone = append(c.Gone, Went{h.ID, f.Cause})
		case f.Outcome == Applied:
			c.Back, stays = append(c.Back, h.ID), true
		case h.Record != Gone:
			stays = true
		}
	}
	c.Saved = unsaved && w == SavedIt && (earlier || stays && len(c.Gone) == 0)
	return c
}
