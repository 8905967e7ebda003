package board

import (
	"slices"

	"redline/agent/plan"
	"redline/edits"
)

// recordState is what a plan has recorded about a hunk, or about a file that was sent to an editor.
type recordState string

// The records. The first two cover everything sent for a file, the others one hunk.
const (
	recordAsked       recordState = "asked"        // an editor was asked for it and has not answered
	recordUnverified  recordState = "unverified"   // an editor was asked, and the text did not show the result
	recordUnsaved     recordState = "unsaved"      // applied in an editor, and not known to be on the disk
	recordSaved       recordState = "saved"        // applied, and on the disk
	recordUndoing     recordState = "undoing"      // applied; the user has undone it in the editor and not saved that
	recordUndone      recordState = "undone"       // applied; the user has undone it in the editor and saved that
	recordGone        recordState = "gone"         // pending: it was applied until its buffer was discarded
	recordEarlier     recordState = "earlier"      // applied by an earlier revision, and not part of the current one
	recordEarlierGone recordState = "earlier_gone" // the same, applied until its buffer was discarded
)

// allRecords lists all records.
var allRecords = []recordState{recordAsked, recordUnverified, recordUnsaved, recordSaved, recordUndoing, recordUndone, recordGone, recordEarlier, recordEarlierGone}

// textState is how much of a change a file's text has; the text is the buffer's, or else the disk's.
// For an undo, the new text is the one without the change.
type textState string

// The values of Text. For one hunk it is never [Some] or [Both].
const (
	textNew     textState = "new"     // all new lines
	textOld     textState = "old"     // the old lines, and no new ones
	textNeither textState = "neither" // no new lines, and not all old ones either; or it cannot be read
	textSome    textState = "some"    // some hunks have their new lines, others do not
	textBoth    textState = "both"    // a move: there is a file under each of the names
)

// allTexts lists all values of Text.
var allTexts = []textState{textNew, textOld, textNeither, textSome, textBoth}

// editorWord is what is known about the editor that has, or had, the file.
type editorWord string

// The values of Word.
const (
	editorSilent    editorWord = "silent"    // the editor has reported nothing about the file since
	editorShown     editorWord = "shown"     // it has just shown its text, and not saved it
	editorSavedIt   editorWord = "saved_it"  // it has just shown its text, and the disk has the same
	editorTimedOut  editorWord = "timed_out" // it has not answered in time
	editorExited    editorWord = "exited"    // the process that asked it is gone
	editorRestarted editorWord = "restarted" // that process is gone, and this session has just begun
	editorElsewhere editorWord = "elsewhere" // another live editor has the file unsaved
)

// allWords lists all words.
var allWords = []editorWord{editorSilent, editorShown, editorSavedIt, editorTimedOut, editorExited, editorRestarted, editorElsewhere}

// reconciled is what a record becomes.
type reconciled string

// The outcomes.
const (
	reconciledOpen    reconciled = "open"    // the record stays as it is
	reconciledDone    reconciled = "done"    // the change that was sent was made
	reconciledRefused reconciled = "refused" // the change that was sent was not made, so nothing changes
	reconciledPartly  reconciled = "partly"  // each hunk that was sent has the status that the text shows
	reconciledPending reconciled = "pending" // the hunk is pending
	reconciledApplied reconciled = "applied" // the hunk is applied
)

// finding is an answer of the table.
type finding struct {
	Outcome reconciled
	Cause   plan.Cause // why; "" for none
}

// judgeRecord is the table: it returns what a record becomes, given what the text has and what is known
// about the editor.
func judgeRecord(r recordState, t textState, w editorWord) finding {
	switch r {
	case recordAsked, recordUnverified:
		return sent(t, r.over(w))
	case recordUnsaved, recordEarlier:
		if t == textOld && w != editorElsewhere {
			return finding{reconciledPending, plan.NotKept}
		}
	case recordUndone:
		if t == textOld && w != editorElsewhere {
			return finding{reconciledPending, plan.UndoneInEditor}
		}
	case recordGone: // the new text is proof enough, even if another process has the file open
		if t == textNew {
			return finding{Outcome: reconciledApplied}
		}
	case recordEarlierGone:
		if t == textNew && w != editorElsewhere {
			return finding{Outcome: reconciledApplied}
		}
	}
	return finding{Outcome: reconciledOpen} // also saved and undoing: the disk has it
}

// over reports whether a change that was sent, and that the text does not have, will not come
// any more. If an editor has not answered, a timeout or the end of the process decides that. An
// editor that has answered may still show another text than the disk.
func (r recordState) over(w editorWord) bool {
	switch w {
	case editorShown, editorSavedIt, editorRestarted:
		return true
	case editorTimedOut, editorExited:
		return r == recordAsked
	}
	return false
}

// laterCause returns the cause of hunks that are pending because what was sent was not found, in a
// file that no editor shows, after the process that sent it has exited: an editor that has
// outlived the process may show them later. unsaved means that the plan had something of the file
// on record as unsaved before. The cause is "" if the hunks are not coming: an undo of what was
// saved.
func laterCause(v plan.Verdict, unsaved bool) plan.Cause {
	switch {
	case v != plan.VerdictUndo:
		return plan.NotOnDisk
	case unsaved:
		return plan.NotKept
	}
	return ""
}

// sent judges what was sent for a file.
func sent(t textState, over bool) finding {
	switch {
	case t == textNew:
		return finding{Outcome: reconciledDone}
	case !over:
		return finding{Outcome: reconciledOpen}
	case t == textOld:
		return finding{reconciledRefused, plan.NotMade}
	case t == textNeither:
		return finding{reconciledRefused, plan.NeitherText}
	case t == textBoth:
		return finding{reconciledRefused, plan.BothThere}
	}
	return finding{reconciledPartly, plan.PartlyMade}
}

// reconcileSent judges what was sent for a file with the given verdict, by what was found in the text. If
// the outcome is [Partly], it also returns the result of each hunk and of the move. Landed means
// that the request was carried out, also for an undo.
func reconcileSent(r recordState, v plan.Verdict, part sentPart, found foundText, w editorWord) (f finding, hunks []edits.Landing, move edits.Landing) {
	hunks, move = slices.Clone(found.Hunks), found.Move
	if v == plan.VerdictUndo {
		move = turned(move)
		for i := range hunks {
			hunks[i] = turned(hunks[i])
		}
	}
	if f = judgeRecord(r, sum(part, hunks, move, found.Both), w); f.Outcome != reconciledPartly {
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
func sum(part sentPart, hunks []edits.Landing, move edits.Landing, both bool) textState {
	if part.Move {
		hunks = append(slices.Clone(hunks), move)
	}
	only := func(l edits.Landing) bool {
		return !slices.ContainsFunc(hunks, func(one edits.Landing) bool { return one != l })
	}
	switch {
	case both:
		return textBoth
	case only(edits.Landed):
		return textNew
	case only(edits.Absent):
		return textOld
	case !slices.Contains(hunks, edits.Landed):
		return textNeither
	}
	return textSome
}

// reconciledHunk is one hunk that is applied or may come back, or a move that is applied.
type reconciledHunk struct {
	ID     string // "" for the move
	Record recordState
	Found  edits.Landing
}

// reconciledChange is the result for a file with such hunks.
type reconciledChange struct {
	Gone  []went   // they are pending
	Back  []string // ids of hunks that are applied again
	Saved bool     // all that is applied of the file is on the disk
}

// went is a hunk, or the move if ID is "", that is pending again, and the cause.
type went struct {
	ID    string
	Cause plan.Cause
}

// None reports whether nothing about the hunks changes.
func (c reconciledChange) None() bool { return len(c.Gone)+len(c.Back) == 0 }

// Cause returns the cause for the file as a whole.
func (c reconciledChange) Cause() plan.Cause {
	cause := plan.Cause("")
	for _, one := range c.Gone {
		if cause == "" || one.Cause == plan.UndoneInEditor {
			cause = one.Cause
		}
	}
	return cause
}

// reconcileHunks judges the hunks of a file. unsaved is true if the plan has recorded something of the
// file as unsaved. That counts as saved once the editor has saved the file and no hunk is
// pending again.
func reconcileHunks(hunks []reconciledHunk, unsaved bool, w editorWord) (c reconciledChange) {
	stays, earlier := false, false
	for _, h := range hunks {
		earlier = earlier || h.Record == recordEarlier || h.Record == recordEarlierGone
		switch f := judgeRecord(h.Record, textOf(h.Found), w); {
		case f.Outcome == reconciledPending:
			c.Gone = append(c.Gone, went{h.ID, f.Cause})
		case f.Outcome == reconciledApplied:
			c.Back, stays = append(c.Back, h.ID), true
		case h.Record != recordGone:
			stays = true
		}
	}
	c.Saved = unsaved && w == editorSavedIt && (earlier || stays && len(c.Gone) == 0)
	return c
}
