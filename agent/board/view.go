package board

import (
	"cmp"
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

// Snapshot returns the current plans and turns. It is cheap if nothing has changed since the last
// call.
func (b *Board) Snapshot() *view.Snapshot {
	turns, changes := b.hooks.Running()
	t := b.lock()
	defer t.unlock()
	if t.snapshot != nil && t.snapshotTurns == changes {
		return t.snapshot
	}
	s := &view.Snapshot{Running: turns}
	for _, h := range t.plans {
		s.Plans = append(s.Plans, t.planView(h))
	}
	slices.SortFunc(s.Plans, func(x, y *view.Plan) int { return cmp.Compare(x.Plan.Number, y.Plan.Number) })
	t.snapshot, t.snapshotTurns = s, changes
	return s
}

// View returns the current view of one plan.
func (b *Board) View(h *Held) *view.Plan {
	t := b.lock()
	defer t.unlock()
	return t.planView(t.of(h))
}

// ViewOf returns the current view of the plan with a number, nil if the session does not hold it.
func (b *Board) ViewOf(number int) *view.Plan {
	t := b.lock()
	defer t.unlock()
	if h := t.plans[number]; h != nil {
		return t.planView(h)
	}
	return nil
}

// planView returns the view of a plan. It makes a new one only if something about the plan has
// changed.
func (t *table) planView(h *entry) *view.Plan {
	if h.view != nil {
		return h.view
	}
	t.counts.views++
	v := &view.Plan{Plan: h.Plan(), Revision: h.Revision(), Preview: h.preview, Files: make([]*view.File, len(h.files)), Ruled: t.rules.allowed(h.Plan(), h.Revision()), Asked: t.unnamedRequest(h), Earlier: h.past}
	for i, f := range h.files {
		v.Files[i] = t.fileView(h, f)
	}
	h.view = v
	return v
}

// SetPreview sets the workspace path of the preview of the revision that v shows.
func (b *Board) SetPreview(v *view.Plan, path string) {
	if v.Preview == path {
		return
	}
	t := b.lock()
	defer t.unlock()
	if h := t.plans[v.Plan.Number]; h != nil && h.Revision().Hash == v.Revision.Hash {
		h.preview = path
		t.changed(h)
	}
}

// Seen does what View does, after reading the plan's files that no editor shows.
func (b *Board) Seen(h *Held) *view.Plan {
	t, l := b.lockRead(h)
	defer t.unlock()
	t.placeClosed(l, t.of(h))
	return t.planView(t.of(h))
}

func (t *table) fileView(h *entry, f *heldFile) *view.File {
	if f.view != nil && f.view.Plan == h.Plan() {
		return f.view
	}
	f.view = f.viewAs(t.ws, h.Plan(), h.Revision())
	return f.view
}

// viewAs makes the view of a file for the plan value p.
func (f *heldFile) viewAs(ws *workspace.Workspace, p *plan.Plan, r *plan.Revision) *view.File {
	path := f.PathIn(p)
	return view.NewFile(view.File{
		Standing: f.Standing, Path: path, URI: ws.URI(path),
		Plan: p, Marks: f.marksIn(p), Clash: f.clash(p), ByUser: f.wholeMade(),
	}, r)
}

// current returns the current view of the file in v.
func (t *table) current(h *entry, v *view.File) *view.File {
	if f := h.file(v.Change.Path); f != nil && f.Change == v.Change {
		return t.fileView(h, f)
	}
	return v
}

// PlacedAs reads a file again and returns its view for the plan value p.
func (b *Board) PlacedAs(h *Held, v *view.File, p *plan.Plan) *view.File {
	t, l := b.lockReadFile(v.Change)
	defer t.unlock()
	f := t.of(h).file(v.Change.Path)
	if f == nil || f.Change != v.Change {
		return v
	}
	f.place(l, p)
	t.changed(t.of(h))
	return f.viewAs(t.ws, p, h.Revision())
}

// marksIn returns the marks of the file's hunks in p.
func (f *heldFile) marksIn(p *plan.Plan) []plan.HunkMark {
	if f.marksFor != p {
		f.marks, f.marksFor = make([]plan.HunkMark, len(f.Change.Hunks)), p
		for i, hunk := range f.Change.Hunks {
			f.marks[i] = p.Progress.Hunk(hunk.ID)
		}
	}
	return f.marks
}

// clash returns why a change to the whole file does not fit the current file, "" if it fits or
// is decided.
func (f *heldFile) clash(p *plan.Plan) string {
	decided := func() bool {
		for _, h := range f.Change.Hunks {
			if s := p.Progress.Hunk(h.ID).Status; s == plan.HunkApplied || s == plan.HunkRejected {
				return true
			}
		}
		return false
	}
	switch f.Change.Action {
	case plan.Create:
		if f.inTheWay != "" && !decided() && !f.wholeMade() {
			return f.inTheWay
		}
	case plan.Delete:
		switch {
		case decided() || !f.Exists || f.Holds(f.Base):
		case f.Unreadable != "":
			return f.Unreadable
		default:
			return "the file was changed since it was proposed to delete it"
		}
	case plan.Rename:
		switch moved := p.Progress.File(p.Current, f.Change.Path).Move; {
		case f.Unreadable != "":
			return f.Unreadable
		case !f.Exists && moved != plan.FileApplied:
			return f.goneReason()
		case f.inTheWay != "" && moved != plan.FileApplied && moved != plan.FileRejected:
			return f.inTheWay
		}
	case plan.Update:
		if !f.Exists {
			return f.goneReason()
		}
		return f.Unreadable
	}
	return ""
}

// FileAt returns the plan's file that is at a path now. If the current revision does not touch
// that path, FileAt makes a file for it.
func FileAt(ws *workspace.Workspace, l *ReadAhead, v *view.Plan, path string) *view.File {
	for _, f := range v.Files {
		if f.Path == path {
			return f
		}
	}
	f := &heldFile{Standing: view.Standing{Change: &plan.Change{Path: path, Action: plan.Update}, Outside: true}}
	f.place(l, v.Plan)
	return f.viewAs(ws, v.Plan, v.Revision)
}

// While an approval or an undo is carried out, clients follow it file by file. What the texts
// have shown so far is kept with the execution and never stored. In the store, a file that the
// editor was asked for is applying until the whole execution has its result, since a later file
// may be refused and all files are then reverted. After a crash the texts decide.

// eachUpTo is how many files an execution may have for each to get an event of its own, for
// editors that follow the events: an event has the whole plan. Above that, about steps events
// report them.
const (
	eachUpTo = 200
	steps    = 10
)

// follow calls note with the table locked, and announces the plan if there is an event about the
// nth file of the execution.
func (x *Execution) follow(n int, note func()) {
	b, h, all := x.b, x.held, len(x.intent.Parts)
	if all <= eachUpTo && b.session.Editor().Follows() || n%max(1, all/steps) == 0 {
		b.announce(h, "", func(*table, *entry) { note() })
	} else {
		b.with(h, func(*table, *entry) { note() })
	}
}

// Landed records that the texts of the first n parts of the execution have the requested changes,
// and announces the plan. The result of the execution may still differ.
func (x *Execution) Landed(n int) {
	x.follow(n, func() {
		for i := range n {
			if _, known := x.seen[i]; !known {
				x.seen[i] = edits.Applied{Status: edits.Done}
			}
		}
	})
}

// TakenBack records that a part of an approval was reverted for the given reason, and announces
// the plan.
func (x *Execution) TakenBack(part int, reason string) {
	x.b.PlacedAs(x.held, x.intent.Parts[part].File, x.held.Plan()) // places its hunks in the text without the change
	x.follow(part, func() { x.seen[part] = edits.Applied{Status: edits.Refused, Reason: reason} })
}

// underway returns the view of a plan for clients. While an execution is under way, each file
// that is applying has the status that its text has shown.
func (t *table) underway(h *entry) *view.Plan {
	v, x := t.planView(h), h.execution
	if x == nil || x.waiting || len(x.seen) == 0 {
		return v
	}
	now := *v
	now.Plan, now.Files = v.Plan.Clone(), slices.Clone(v.Files)
	at := make(map[*plan.Change]int, len(h.files))
	for i, f := range h.files {
		at[f.Change] = i
	}
	for i, p := range x.intent.Parts {
		o, known := x.seen[i]
		at, held := at[p.File.Change]
		if !known || !held || h.mark(h.files[at]).Status != plan.FileApplying {
			continue // nothing is known about it, or its result is stored
		}
		p.NoteOutcome(now.Plan, x.intent.Verdict, o, false)
		now.Files[at] = h.files[at].viewAs(t.ws, now.Plan, now.Revision)
	}
	return &now
}
