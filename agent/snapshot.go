package agent

import (
	"cmp"
	"slices"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/edits"
	"redline/edits/track"
)

// Snapshot is everything that a feature needs to show plans, as of one moment.
// It is immutable: later typing and decisions make new snapshots.
type Snapshot struct {
	Plans   []*PlanView  // the plans of this session, by number
	Running []state.Turn // turns that are queued or running, oldest first

	changes int // of the turns, see [conversation.Conversations.Running]
}

// PlanView is one plan at its current revision.
type PlanView struct {
	Plan     *plan.Plan // must not be changed
	Revision *plan.Revision
	Files    []*FileView // as in Revision.Changes
	Preview  string      // workspace path of the preview file, "" if none could be written
	Ruled    int         // how many commands the user's own rules run when the plan is approved as a whole
	Asked    string      // the request that has made the revision without naming the plan, in one line, "" for none: /apart makes it a plan of its own

	past []*pastChange // as in heldPlan
}

// FileView is what the plan does to one file, placed in its live text.
type FileView struct {
	Change   *plan.Change
	Path     string // where the file is now: a renamed file is at its new path
	URI      string
	Status   plan.FileStatus // stale when one of its hunks is
	Reason   string
	Live     *edits.Lines // the text that the spans are in; empty for a file that is not there
	Base     string
	Proposed string

	plan       *plan.Plan
	outside    bool   // the current revision does not touch it: it is only here for an undo
	exists     bool   // as in heldFile
	unreadable string // as in heldFile

	placed track.Placement
	has    []bool          // as in heldFile
	marks  []plan.HunkMark // of the hunks
	clash  string          // why the file as a whole cannot be decided on, "" if it can
	made   bool            // the user has created or deleted the file by hand
	moved  bool            // the user has moved the file by hand
}

// HunkView is one hunk in the live text.
type HunkView struct {
	plan.Hunk
	Status           plan.HunkStatus // stale when its own lines were touched
	Reason           string
	Span             edits.Span // whole lines of the live text
	OldText, NewText string
}

// Snapshot returns the plans and turns as they are now. It is cheap when
// nothing has changed since the last one.
func (b *Board) Snapshot() *Snapshot {
	turns, changes := b.conversations.Running()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.snapshot != nil && b.snapshot.changes == changes {
		return b.snapshot
	}
	s := &Snapshot{Running: turns, changes: changes}
	for _, h := range b.plans {
		s.Plans = append(s.Plans, b.planView(h))
	}
	slices.SortFunc(s.Plans, func(x, y *PlanView) int { return cmp.Compare(x.Plan.Number, y.Plan.Number) })
	b.snapshot = s
	return s
}

// View returns one plan as it is now.
func (b *Board) View(h *heldPlan) *PlanView {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.planView(h)
}

// planView returns the view of a plan, made again only if something about it
// has changed. The caller holds Board.mu.
func (b *Board) planView(h *heldPlan) *PlanView {
	if h.view != nil {
		return h.view
	}
	v := &PlanView{Plan: h.plan(), Revision: h.revision(), Preview: h.preview, Files: make([]*FileView, len(h.files)), Ruled: b.hooks.rules.allowed(h.plan(), h.revision()), Asked: b.unnamedRequest(h), past: h.past}
	for i, f := range h.files {
		v.Files[i] = b.fileView(h, f)
	}
	h.view = v
	return v
}

func (b *Board) fileView(h *heldPlan, f *heldFile) *FileView {
	if f.view != nil && f.view.plan == h.plan() {
		return f.view
	}
	f.view = b.viewAs(h.plan(), h.revision(), f)
	return f.view
}

// viewAs is the view of a file in a plan that has the value p. The caller holds Board.mu.
func (b *Board) viewAs(p *plan.Plan, r *plan.Revision, f *heldFile) *FileView {
	path := f.livePath(p)
	v := &FileView{
		Change: f.change, Path: path, URI: b.ws.URI(path), Live: f.live, Base: f.base, Proposed: f.proposed,
		plan: p, outside: f.outside, exists: f.exists, unreadable: f.unreadable,
		placed: f.placed, has: f.has, marks: f.marksIn(p),
		clash: f.clash(p), made: f.wholeMade(), moved: f.moved,
	}
	v.Status, v.Reason = p.File(r, f.change)
	if v.Status == plan.FilePending {
		v.Status, v.Reason = v.statusNow(v.Reason)
	}
	return v
}

// current is the view of a file as it is now, which was as in v. The caller holds Board.mu.
func (b *Board) current(h *heldPlan, v *FileView) *FileView {
	if f := h.file(v.Change.Path); f != nil && f.change == v.Change {
		return b.fileView(h, f)
	}
	return v
}

// placedAs reads a file again and returns its view in a plan that has the value p.
func (b *Board) placedAs(h *heldPlan, v *FileView, p *plan.Plan) *FileView {
	l := b.lockReadFile(v.Change)
	defer b.mu.Unlock()
	f := h.file(v.Change.Path)
	if f == nil || f.change != v.Change {
		return v
	}
	f.place(l, p)
	return b.viewAs(p, h.revision(), f)
}

// File returns the plan's file with the given path, old or new, nil for none.
func (v *PlanView) File(path string) *FileView {
	for _, f := range v.Files {
		if f.Change.Path == path || f.Change.NewPath != "" && f.Change.NewPath == path {
			return f
		}
	}
	return nil
}

// mark is what is known of a file beyond its hunks.
func (v *PlanView) mark(f *FileView) plan.FileMark {
	return v.Plan.Progress.File(v.Revision.Number, f.Change.Path)
}

// holds reports whether the file exists with exactly that text.
func (f *FileView) holds(text string) bool {
	return f.exists && f.unreadable == "" && f.Live.Text() == text
}

// pathIn is where the file is once its plan has the value p.
func (f *FileView) pathIn(p *plan.Plan) string { return pathIn(f.Change, f.moved, p) }

// pathIn is where a file is in a plan with the value p; moved says that the user has moved
// it by hand.
func pathIn(c *plan.Change, moved bool, p *plan.Plan) string {
	if c.Action == plan.Rename && (moved || p.Progress.File(p.Current, c.Path).Move == plan.FileApplied) {
		return c.NewPath
	}
	return c.Path
}

// marksIn returns what is stored of the file's hunks.
func (f *heldFile) marksIn(p *plan.Plan) []plan.HunkMark {
	if f.marksFor != p {
		f.marks, f.marksFor = make([]plan.HunkMark, len(f.change.Hunks)), p
		for i, hunk := range f.change.Hunks {
			f.marks[i] = p.Progress.Hunk(hunk.ID)
		}
	}
	return f.marks
}

// statusNow is the status of a file that is stored as pending, with that
// reason: stale
// when something of it is, applied when the user has made all of it by hand.
func (f *FileView) statusNow(reason string) (plan.FileStatus, string) {
	waits := f.Change.Action == plan.Rename && !f.moved && f.plan.Progress.File(f.plan.Current, f.Change.Path).Move == plan.FilePending
	for i := range f.marks {
		switch status, why := f.now(i); status {
		case plan.HunkStale:
			return plan.FileStale, why
		case plan.HunkApplied, plan.HunkRejected:
		default:
			waits = true
		}
	}
	switch {
	case f.Len() == 0 && f.clash != "":
		return plan.FileStale, f.clash
	case waits:
		return plan.FilePending, reason
	}
	return plan.FileApplied, byHand
}

// clash says why a change to the whole file does not fit the file as it is
// now, "" when it fits or when it is decided.
func (f *heldFile) clash(p *plan.Plan) string {
	decided := func() bool {
		for _, h := range f.change.Hunks {
			if s := p.Progress.Hunk(h.ID).Status; s == plan.HunkApplied || s == plan.HunkRejected {
				return true
			}
		}
		return false
	}
	switch f.change.Action {
	case plan.Create:
		if f.inTheWay != "" && !decided() && !f.wholeMade() {
			return f.inTheWay
		}
	case plan.Delete:
		switch {
		case decided() || !f.exists || f.holds(f.base):
		case f.unreadable != "":
			return f.unreadable
		default:
			return "the file was changed since it was proposed to delete it"
		}
	case plan.Rename:
		switch moved := p.Progress.File(p.Current, f.change.Path).Move; {
		case f.unreadable != "":
			return f.unreadable
		case !f.exists && moved != plan.FileApplied:
			return f.goneReason()
		case f.inTheWay != "" && moved != plan.FileApplied && moved != plan.FileRejected:
			return f.inTheWay
		}
	case plan.Update:
		if !f.exists {
			return f.goneReason()
		}
		return f.unreadable
	}
	return ""
}

// Len is the number of hunks of the file.
func (f *FileView) Len() int { return len(f.Change.Hunks) }

// Hunk returns the hunk with the given index.
func (f *FileView) Hunk(i int) HunkView {
	h := f.Change.Hunks[i]
	span, whole := f.placed.At(i)
	v := HunkView{
		Hunk: h, Span: span,
		OldText: f.Base[h.Old.Start:h.Old.End], NewText: f.Proposed[h.New.Start:h.New.End],
	}
	v.Status, v.Reason = f.nowAt(i, span, whole)
	return v
}

// now returns the status of a hunk as the live text has it, and why.
func (f *FileView) now(i int) (plan.HunkStatus, string) {
	span, whole := f.placed.At(i)
	return f.nowAt(i, span, whole)
}

// nowAt is now for a hunk that was placed at span; whole is false if its lines were changed.
func (f *FileView) nowAt(i int, span edits.Span, whole bool) (plan.HunkStatus, string) {
	m := &f.marks[i]
	switch {
	case m.Status != plan.HunkPending:
		return m.Status, m.Why()
	case f.clash != "":
		return plan.HunkStale, f.clash
	case f.made:
		return plan.HunkApplied, byHand
	case !whole:
		return plan.HunkStale, "its lines were changed since it was proposed"
	case f.has[i]:
		return plan.HunkApplied, byHand
	case !track.KeepsLines(f.Live.Text(), edits.Edit{Span: span, New: f.newText(i)}):
		return plan.HunkStale, "the line end next to it was changed since it was proposed"
	}
	return plan.HunkPending, m.Why()
}

// newText is the new lines of a hunk.
func (f *FileView) newText(i int) string {
	s := f.Change.Hunks[i].New
	return f.Proposed[s.Start:s.End]
}

// Placed returns where an applied hunk's new lines are in the live text; ok is
// false when they were changed since.
func (f *FileView) Placed(i int) (span edits.Span, ok bool) { return f.placed.At(i) }

// Touching calls yield for each hunk whose live lines meet the byte span s,
// where meeting at an end counts. It stops when yield returns false.
func (f *FileView) Touching(s edits.Span, yield func(HunkView) bool) {
	for i := range f.Change.Hunks {
		span, _ := f.placed.At(i)
		if span.Start <= s.End && s.Start <= span.End && !yield(f.Hunk(i)) {
			return
		}
	}
}
