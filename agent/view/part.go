package view

import (
	"slices"

	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// Part is one file of a scope.
type Part struct {
	File    *File         // the file when the scope was found
	Hunks   []int         // indices in File.Change.Hunks
	Move    bool          // a rename is part of it
	Earlier []EarlierPart // for an undo: what earlier revisions have applied to the file
}

// Empty reports whether the part contains nothing.
func (p Part) Empty() bool { return len(p.Hunks)+len(p.Earlier) == 0 && !p.Move }

// IDs returns the ids of the hunks of a part.
func (p Part) IDs() (ids []string) {
	for _, i := range p.Hunks {
		ids = append(ids, p.File.Change.Hunks[i].ID)
	}
	for _, past := range p.Earlier {
		for _, i := range past.Hunks {
			ids = append(ids, past.Change.Hunks[i].ID)
		}
	}
	return ids
}

// Without returns the part except for the hunks with the given ids.
func (p Part) Without(ids []string) Part {
	p.Hunks = slices.DeleteFunc(slices.Clone(p.Hunks), func(i int) bool {
		return slices.Contains(ids, p.File.Change.Hunks[i].ID)
	})
	return p
}

// add appends a part to parts unless the part is empty.
func add(parts []Part, p Part) []Part {
	if p.Empty() {
		return parts
	}
	return append(parts, p)
}

// Sent returns the form in which the store keeps the part while the editor is asked for it.
func (p Part) Sent(verdict plan.Verdict) plan.Sent {
	return plan.Sent{Verdict: verdict, Hunks: p.IDs(), Move: p.Move}
}

// Units returns the indices of the hunks of a part, or only 0 for a file without hunks.
func (p Part) Units() []int {
	if len(p.File.Change.Hunks) == 0 {
		return []int{0}
	}
	return p.Hunks
}

// Mark gives the hunks of a part, and its move if it has one, a status in next: applied, rejected
// or pending. When the status is pending, what earlier revisions have applied becomes pending
// too.
func (part Part) Mark(next *plan.Plan, status plan.HunkStatus, reason string) {
	for _, i := range part.Hunks {
		next.Progress.MarkHunk(part.File.Change.Hunks[i].ID, status, reason)
	}
	if status == plan.HunkPending {
		part.markEarlier(next)
	}
	switch {
	case part.File.Outside:
	case part.Move:
		next.Progress.MarkFile(next.Current, part.File.Change.Path, plan.FileStatus(status), reason)
	default:
		next.Progress.Settle(next.Current, part.File.Change.Path, "")
	}
}

// NoteOutcome marks in next the outcome of one part of an execution. stays is true if another
// part of a refused approval stays applied.
func (part Part) NoteOutcome(next *plan.Plan, verdict plan.Verdict, o edits.Applied, stays bool) {
	if part.File.Outside {
		if o.Status == edits.Done {
			part.Mark(next, plan.HunkPending, "")
		}
		return
	}
	path := part.File.Change.Path
	landed, missed := plan.HunkApplied, plan.HunkPending
	if verdict == plan.VerdictUndo {
		landed, missed = missed, landed
	}
	switch {
	case o.Status == edits.Done:
		part.Mark(next, landed, "")
	case o.Status == edits.Unknown:
		next.Progress.MarkFile(next.Current, path, plan.FileApplying, o.Reason)
	case o.Status == edits.Refused:
		part.Mark(next, missed, "")
		if verdict == plan.VerdictApprove && stays {
			next.Progress.MarkFile(next.Current, path, plan.FileFailed, o.Reason)
		} else {
			next.Progress.Settle(next.Current, path, o.Reason)
		}
	case verdict == plan.VerdictReview: // a change that the user did not accept is not a failure
		unclear := part.markEach(next, o, landed, missed)
		next.Progress.Settle(next.Current, path, o.Reason)
		if !unclear.Empty() {
			next.Progress.MarkSent(next.Current, path, unclear.Sent(verdict))
			next.Progress.MarkFile(next.Current, path, plan.FileUnverified, o.Reason)
		}
	case part.told(o):
		part.markEach(next, o, landed, missed)
		next.Progress.MarkFile(next.Current, path, plan.FileFailed, o.Reason)
	default:
		next.Progress.MarkFile(next.Current, path, plan.FileUnverified, o.Reason)
	}
}

// told reports whether o has a clear outcome for each hunk of the part or, without hunks, for its
// move.
func (part Part) told(o edits.Applied) bool {
	if len(part.Hunks) == 0 {
		return part.Move && o.Move != edits.Unclear
	}
	return len(o.Landings) == len(part.Hunks) && !slices.Contains(o.Landings, edits.Unclear)
}

// markEach marks in next each hunk of a part, and its move, as the text shows them, and returns
// the rest, which the text does not show.
func (part Part) markEach(next *plan.Plan, o edits.Applied, landed, missed plan.HunkStatus) (unclear Part) {
	unclear.File = part.File
	statuses := map[edits.Landing]plan.HunkStatus{edits.Landed: landed, edits.Absent: missed}
	for k, i := range part.Hunks {
		if k >= len(o.Landings) || o.Landings[k] == edits.Unclear {
			unclear.Hunks = append(unclear.Hunks, i)
		} else {
			next.Progress.MarkHunk(part.File.Change.Hunks[i].ID, statuses[o.Landings[k]], "")
		}
	}
	if unclear.Move = part.Move && o.Move == edits.Unclear; part.Move && !unclear.Move {
		next.Progress.MarkFile(next.Current, part.File.Change.Path, plan.FileStatus(statuses[o.Move]), "")
	}
	return unclear
}

// PartOf returns the part of a plan that an editor was asked for.
func PartOf(f *File, sent plan.Sent) Part {
	p := Part{File: f, Move: sent.Move}
	for i, hunk := range f.Change.Hunks {
		if slices.Contains(sent.Hunks, hunk.ID) {
			p.Hunks = append(p.Hunks, i)
		}
	}
	return p
}

// OnlyUnsaved reports whether something is applied to a file that an editor has not saved yet.
func OnlyUnsaved(disk Disk, p *plan.Plan, f *File) bool {
	return HasApplied(p, f.Change) && OnlyInEditor(disk, f.PathIn(p))
}

// Disk is the workspace, now or when it was read.
type Disk interface {
	Buffer(path string) (*workspace.Buffer, bool)
	Stat(path string) (exists, isDir bool, err error)
}

// OnlyInEditor reports whether an editor has the file and has not saved it.
func OnlyInEditor(disk Disk, path string) bool {
	buffer, open := disk.Buffer(path)
	if !open {
		return false
	}
	if buffer.Dirty {
		return true
	}
	exists, _, err := disk.Stat(path) // the file may be deleted while its buffer stays open
	return err == nil && !exists
}

// HasApplied reports whether a hunk of the change is applied.
func HasApplied(p *plan.Plan, c *plan.Change) bool {
	return slices.ContainsFunc(c.Hunks, func(h plan.Hunk) bool { return p.Progress.Applied(h.ID) })
}

// MayHaveAny reports whether a part of a change is applied, or was applied in a buffer that was
// closed unsaved.
func MayHaveAny(p *plan.Plan, c *plan.Change) bool {
	moved := p.Progress.File(p.Current, c.Path).Move == plan.FileApplied
	return moved || slices.ContainsFunc(c.Hunks, func(h plan.Hunk) bool { return p.Progress.Hunk(h.ID).MayBeThere() })
}

// WithoutMade splits parts into what is still to be applied and what the user has made by hand.
func WithoutMade(parts []Part) (open, made []Part) {
	for _, p := range parts {
		f := p.File
		left, done := Part{File: f, Move: p.Move && !f.Moved}, Part{File: f, Move: p.Move && f.Moved}
		for _, i := range p.Hunks {
			if status, _ := f.StatusOf(i); status == plan.HunkApplied {
				done.Hunks = append(done.Hunks, i)
			} else {
				left.Hunks = append(left.Hunks, i)
			}
		}
		open, made = add(open, left), add(made, done)
	}
	return open, made
}

// madeByHand returns the pending parts of a plan that the user has made by hand.
func madeByHand(v *Plan) (made []Part) {
	for _, f := range v.Files {
		part := Part{File: f, Move: f.Moved}
		for i := range f.Len() {
			if status, _ := f.StatusOf(i); status == plan.HunkApplied && f.Marks[i].Status == plan.HunkPending {
				part.Hunks = append(part.Hunks, i)
			}
		}
		made = add(made, part)
	}
	return made
}

// NoteMade marks as applied in next what the user has made of the plan by hand, for which the
// editor is not asked.
func NoteMade(v *Plan, disk Disk, next *plan.Plan) {
	for _, p := range madeByHand(v) {
		p.Mark(next, plan.HunkApplied, "")
		next.Progress.MarkUnsaved(next.Current, p.File.Change.Path, OnlyUnsaved(disk, next, p.File))
	}
}

// PlanAsShown returns the plan as users see it, with what they have made by hand marked as applied.
func PlanAsShown(v *Plan) *plan.Plan {
	made := madeByHand(v)
	if len(made) == 0 {
		return v.Plan
	}
	shown := v.Plan.Clone()
	for _, p := range made {
		p.Mark(shown, plan.HunkApplied, "")
	}
	return shown
}

// EarlierPart is the part of an earlier revision's change that a decision undoes.
type EarlierPart struct {
	*Earlier
	Hunks []int
	Move  bool
}

// EarlierIn returns the parts of earlier revisions' changes that a request names, newest first,
// and the request without the names that only those have. only is true if it names nothing else.
func EarlierIn(v *Plan, d Request) (parts []EarlierPart, rest Request, only bool) {
	rest = d
	whole := d.whole()
	var found []string // names
	for _, c := range v.Earlier {
		p := EarlierPart{Earlier: c}
		named := whole
		for _, path := range d.Paths {
			if path == c.Change.Path || path == c.LivePath(v.Plan) {
				named, found = true, append(found, path)
			}
		}
		for _, i := range c.Hunks {
			byID := slices.Contains(d.Hunks, c.Change.Hunks[i].ID)
			if byID {
				found = append(found, c.Change.Hunks[i].ID)
			}
			if c.Applied(v.Plan, i) && (byID || named && len(d.Hunks) == 0) {
				p.Hunks = append(p.Hunks, i)
			}
		}
		p.Move = named && len(d.Hunks) == 0 && c.Moved(v.Plan)
		if len(p.Hunks) > 0 || p.Move {
			parts = append(parts, p)
		}
	}
	rest.Hunks = slices.DeleteFunc(slices.Clone(d.Hunks), func(id string) bool { return slices.Contains(found, id) })
	rest.Paths = slices.DeleteFunc(slices.Clone(d.Paths), func(path string) bool {
		return slices.Contains(found, path) && v.File(path) == nil
	})
	only = !whole && d.Operation == "" && len(rest.Hunks)+len(rest.Paths) == 0
	return parts, rest, only
}

// markEarlier marks the part's changes of earlier revisions as undone in next.
func (p Part) markEarlier(next *plan.Plan) {
	for _, past := range p.Earlier {
		for _, i := range past.Hunks {
			next.Progress.MarkHunk(past.Change.Hunks[i].ID, plan.HunkPending, "")
		}
		if past.Move {
			next.Progress.MarkFile(past.Revision, past.Change.Path, plan.FilePending, "")
		}
	}
}

// Taken counts the hunks and the move of an earlier part that are no longer applied in p.
func (c EarlierPart) Taken(p *plan.Plan) (n int) {
	for _, i := range c.Hunks {
		if !c.Applied(p, i) {
			n++
		}
	}
	if c.Move && !c.Moved(p) {
		n++
	}
	return n
}

// Taken reports whether something of the part, including what earlier revisions have applied, is
// no longer applied in next.
func (p Part) Taken(next *plan.Plan) bool {
	for _, i := range p.Hunks {
		if next.Progress.Hunk(p.File.Change.Hunks[i].ID).Status != plan.HunkApplied {
			return true
		}
	}
	return p.Move && next.Progress.File(next.Current, p.File.Change.Path).Move != plan.FileApplied ||
		slices.ContainsFunc(p.Earlier, func(c EarlierPart) bool { return c.Taken(next) > 0 })
}
