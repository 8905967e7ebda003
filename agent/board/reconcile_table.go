package board

import (
	"slices"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/landed"
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

// textState is how much of a change a file's text has; the text is the buffer's, or else the disk's.
// For an undo, the new text is the one without the change.
type textState string

// The values of textState. For one hunk it is never textSome or textBoth.
const (
	textNew     textState = "new"     // all new lines
	textOld     textState = "old"     // the old lines, and no new ones
	textNeither textState = "neither" // no new lines, and not all old ones either; or it cannot be read
	textSome    textState = "some"    // some hunks have their new lines, others do not
	textBoth    textState = "both"    // a move: there is a file under each of the names
)

// editorWord is what is known about the editor that has, or had, the file.
type editorWord string

// The values of editorWord.
const (
	editorSilent    editorWord = "silent"    // the editor has reported nothing about the file since
	editorShown     editorWord = "shown"     // it has just shown its text, and not saved it
	editorSavedIt   editorWord = "saved_it"  // it has just shown its text, and the disk has the same
	editorTimedOut  editorWord = "timed_out" // it has not answered in time
	editorExited    editorWord = "exited"    // the process that asked it is gone
	editorRestarted editorWord = "restarted" // that process is gone, and this session has just begun
	editorElsewhere editorWord = "elsewhere" // another live editor has the file unsaved
)

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
// the outcome is reconciledPartly, it also returns the result of each hunk and of the move. Landed means
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

// reconciledFile is a change of a revision with its texts.
type reconciledFile struct {
	Change         *plan.Change
	Base, Proposed string
}

// sentPart names what to look for in a file.
type sentPart struct {
	Hunks []int // indices in Change.Hunks
	Move  bool  // the part includes the move; then look for the hunks in the file's current place
	Moved bool  // without Move: the file is under its new name
}

// foundName describes what exists under one name of a file.
type foundName struct {
	Exists  bool // it is on the disk, or open with a text
	Text    string
	ReadErr error // why Exists and Text are not known
	OnDisk  bool
	StatErr error // why OnDisk is not known
}

// foundNames describes what exists under the old and the new name of a file. Only a move has a new
// name.
type foundNames struct {
	Old, New foundName

	// Same is set if both names lead to one file, as on a disk that ignores case. Then SpelledOld
	// and SpelledNew say which of the names the folder has.
	Same, SpelledOld, SpelledNew bool
}

// foundText is how much of a part a text has.
type foundText struct {
	Hunks []edits.Landing // as in Part.Hunks
	Move  edits.Landing   // of Part.Move
	Both  bool            // of Part.Move: there is a file under each of the names
}

// Find looks for a part of a file in its text. done reports which of the file's other hunks are
// applied. What cannot be read is [edits.Unclear].
func (f reconciledFile) Find(part sentPart, done func(id string) bool, n foundNames) foundText {
	if f.whole() {
		return foundText{Hunks: slices.Repeat([]edits.Landing{f.findWhole(n.Old)}, len(part.Hunks))}
	}
	found := foundText{Hunks: make([]edits.Landing, len(part.Hunks))}
	moved := part.Moved
	if part.Move {
		if found.Move = n.Moved(); found.Move == edits.Unclear {
			found.Both = n.Old.StatErr == nil && n.New.StatErr == nil && n.Old.OnDisk && n.New.OnDisk && !n.Same
			return found
		}
		moved = found.Move == edits.Landed
	}
	at := n.Old
	if moved {
		at = n.New
	}
	if at.ReadErr == nil && at.Exists {
		found.Hunks = f.findHunks(part.Hunks, done, at.Text)
	}
	return found
}

// whole reports whether the change concerns the whole file: a creation or a deletion.
func (f reconciledFile) whole() bool {
	return f.Change.Action == plan.Create || f.Change.Action == plan.Delete
}

// findWhole determines whether a file was created or deleted.
func (f reconciledFile) findWhole(n foundName) edits.Landing {
	create := f.Change.Action == plan.Create
	switch {
	case n.ReadErr != nil || n.StatErr != nil:
		return edits.Unclear
	case create && !n.OnDisk && edits.Blank(n.Text):
		return edits.Absent
	case create && n.Text == f.Proposed:
		return edits.Landed
	case !create && !n.OnDisk: // some editors keep the buffer
		return edits.Landed
	case !create && n.Text == f.Base:
		return edits.Absent
	}
	return edits.Unclear
}

// Moved determines whether a file was moved. The disk shows that: an editor may still have a buffer
// under the new name when the file is under the old one.
func (n foundNames) Moved() edits.Landing {
	old, moved, onDisk := n.Old.OnDisk, n.New.Exists, n.New.OnDisk
	if n.Same { // the file exists under both names
		old, moved, onDisk = n.SpelledOld, n.SpelledNew, n.SpelledNew
	}
	switch {
	case n.Old.StatErr != nil || n.New.ReadErr != nil:
		return edits.Unclear
	case moved && !old:
		return edits.Landed
	case old && !onDisk && n.New.StatErr == nil:
		return edits.Absent
	}
	return edits.Unclear
}

// findHunks determines for each hunk whether a text has it. It looks for the difference between
// the texts without and with the hunks: a hunk that only adds has no old lines, and a hunk that
// only removes has no new ones, so those could be found in any text.
func (f reconciledFile) findHunks(hunks []int, done func(id string) bool, text string) []edits.Landing {
	all := f.Change.Hunks
	asked := make(map[string]bool, len(hunks))
	for _, i := range hunks {
		asked[all[i].ID] = true
	}
	without, places := plan.Reference(f.Base, f.Proposed, all, func(id string) bool { return !asked[id] && done(id) })
	es := make([]edits.Edit, len(hunks))
	for k, i := range hunks {
		es[k] = edits.Edit{Span: places[i], New: f.Proposed[all[i].New.Start:all[i].New.End]}
	}
	return landed.Of(without, es, text)
}

// textOf returns how much the text has of one hunk or move.
func textOf(l edits.Landing) textState {
	switch l {
	case edits.Landed:
		return textNew
	case edits.Absent:
		return textOld
	}
	return textNeither
}

// turned converts the landing of an edit to the landing of its undo.
func turned(l edits.Landing) edits.Landing {
	switch l {
	case edits.Landed:
		return edits.Absent
	case edits.Absent:
		return edits.Landed
	}
	return l
}
