package reconcile

import (
	"slices"

	"redline/agent/plan"
	"redline/edits"
)

// Record is what a plan has recorded about a hunk, or about a file that was sent to an editor.
type Record string

// The records. The first two cover everything sent for a file, the others one hunk.
const (
	Asked       Record = "asked"        // an editor was asked for it and has not answered
	Unverified  Record = "unverified"   // an editor was asked, and the text did not show the result
	Unsaved     Record = "unsaved"      // applied in an editor, and not known to be on the disk
	Saved       Record = "saved"        // applied, and on the disk
	Undoing     Record = "undoing"      // applied; the user has undone it in the editor and not saved that
	Undone      Record = "undone"       // applied; the user has undone it in the editor and saved that
	Gone        Record = "gone"         // pending: it was applied until its buffer was discarded
	Earlier     Record = "earlier"      // applied by an earlier revision, and not part of the current one
	EarlierGone Record = "earlier_gone" // the same, applied until its buffer was discarded
)

// Records lists all records.
var Records = []Record{Asked, Unverified, Unsaved, Saved, Undoing, Undone, Gone, Earlier, EarlierGone}

// Text is how much of a change a file's text has; the text is the buffer's, or else the disk's.
// For an undo, the new text is the one without the change.
type Text string

// The values of Text. For one hunk it is never [Some] or [Both].
const (
	New     Text = "new"     // all new lines
	Old     Text = "old"     // the old lines, and no new ones
	Neither Text = "neither" // no new lines, and not all old ones either; or it cannot be read
	Some    Text = "some"    // some hunks have their new lines, others do not
	Both    Text = "both"    // a move: there is a file under each of the names
)

// Texts lists all values of Text.
var Texts = []Text{New, Old, Neither, Some, Both}

// Word is what is known about the editor that has, or had, the file.
type Word string

// The values of Word.
const (
	Silent    Word = "silent"    // the editor has reported nothing about the file since
	Shown     Word = "shown"     // it has just shown its text, and not saved it
	SavedIt   Word = "saved_it"  // it has just shown its text, and the disk has the same
	TimedOut  Word = "timed_out" // it has not answered in time
	Exited    Word = "exited"    // the process that asked it is gone
	Restarted Word = "restarted" // that process is gone, and this session has just begun
	Elsewhere Word = "elsewhere" // another live editor has the file unsaved
)

// Words lists all words.
var Words = []Word{Silent, Shown, SavedIt, TimedOut, Exited, Restarted, Elsewhere}

// Outcome is what a record becomes.
type Outcome string

// The outcomes.
const (
	Open    Outcome = "open"    // the record stays as it is
	Done    Outcome = "done"    // the change that was sent was made
	Refused Outcome = "refused" // the change that was sent was not made, so nothing changes
	Partly  Outcome = "partly"  // each hunk that was sent has the status that the text shows
	Pending Outcome = "pending" // the hunk is pending
	Applied Outcome = "applied" // the hunk is applied
)

// Finding is an answer of the table.
type Finding struct {
	Outcome Outcome
	Cause   plan.Cause // why; "" for none
}

// Judge is the table: it returns what a record becomes, given what the text has and what is known
// about the editor.
func Judge(r Record, t Text, w Word) Finding {
	switch r {
	case Asked, Unverified:
		return sent(t, r.over(w))
	case Unsaved, Earlier:
		if t == Old && w != Elsewhere {
			return Finding{Pending, plan.NotKept}
		}
	case Undone:
		if t == Old && w != Elsewhere {
			return Finding{Pending, plan.UndoneInEditor}
		}
	case Gone: // the new text is proof enough, even if another process has the file open
		if t == New {
			return Finding{Outcome: Applied}
		}
	case EarlierGone:
		if t == New && w != Elsewhere {
			return Finding{Outcome: Applied}
		}
	}
	return Finding{Outcome: Open} // also saved and undoing: the disk has it
}

// over reports whether a change that was sent, and that the text does not have, will not come
// any more. If an editor has not answered, a timeout or the end of the process decides that. An
// editor that has answered may still show another text than the disk.
func (r Record) over(w Word) bool {
	switch w {
	case Shown, SavedIt, Restarted:
		return true
	case TimedOut, Exited:
		return r == Asked
	}
	return false
}

// Later returns the cause of hunks that are pending because what was sent was not found, in a
// file that no editor shows, after the process that sent it has exited: an editor that has
// outlived the process may show them later. unsaved means that the plan had something of the file
// on record as unsaved before. The cause is "" if the hunks are not coming: an undo of what was
// saved.
func Later(v plan.Verdict, unsaved bool) plan.Cause {
	switch {
	case v != plan.VerdictUndo:
		return plan.NotOnDisk
	case unsaved:
		return plan.NotKept
	}
	return ""
}

// sent judges what was sent for a file.
func sent(t Text, over bool) Finding {
	switch {
	case t == New:
		return Finding{Outcome: Done}
	case !over:
		return Finding{Outcome: Open}
	case t == Old:
		return Finding{Refused, plan.NotMade}
	case t == Neither:
		return Finding{Refused, plan.NeitherText}
	case t == Both:
		return Finding{Refused, plan.BothThere}
	}
	return Finding{Partly, plan.PartlyMade}
}

// Sent judges what was sent for a file with the given verdict, by what was found in the text. If
// the outcome is [Partly], it also returns the result of each hunk and of the move. Landed means
// that the request was carried out, also for an undo.
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

// sum returns how much the text has of everything that was sent for a file.
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

// Change is the result for a file with such hunks.
type Change struct {
	Gone  []Went   // they are pending
	Back  []string // ids of hunks that are applied again
	Saved bool     // all that is applied of the file is on the disk
}

// Went is a hunk, or the move if ID is "", that is pending again, and the cause.
type Went struct {
	ID    string
	Cause plan.Cause
}

// None reports whether nothing about the hunks changes.
func (c Change) None() bool { return len(c.Gone)+len(c.Back) == 0 }

// Cause returns the cause for the file as a whole.
func (c Change) Cause() plan.Cause {
	cause := plan.Cause("")
	for _, one := range c.Gone {
		if cause == "" || one.Cause == plan.UndoneInEditor {
			cause = one.Cause
		}
	}
	return cause
}

// Hunks judges the hunks of a file. unsaved is true if the plan has recorded something of the
// file as unsaved. That counts as saved once the editor has saved the file and no hunk is
// pending again.
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
