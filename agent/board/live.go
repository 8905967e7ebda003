package board

import (
	"errors"
	"strings"

	"redline/agent/plan"
	"redline/agent/readahead"
	"redline/agent/view"
	"redline/edits"
	"redline/edits/track"
	"redline/workspace"
)

// onBuffer keeps every plan's hunks on their lines while the user types. It
// runs on the goroutine that changes the buffer, in order, and so reads no
// file for a keystroke.
func (b *Board) onBuffer(e workspace.BufferEvent) {
	if e.Path == "" {
		return
	}
	t, l := b.lockWith(func(t *table) []readahead.Paths { return t.filesFor(e) })
	defer t.unlock()
	b.wakeCommands()
	if e.Kind == workspace.Changed {
		t.typed[e.Path]++
	}
	var steps []string // the texts after each of the event's edits, made once
	for _, h := range t.plans {
		if e.Kind != workspace.Changed && h.pastAt(e.Path) {
			b.reconcilePastLater(t, h, e.Path)
		}
		for _, f := range h.files {
			switch {
			case !f.isPutWhere(e):
			case e.Kind == workspace.FoundSaved:
				b.placeSoon(t, h, f)
			default:
				f.lookInTheWay(l, h.Plan())
				t.changed(h)
			}
			if f.livePath(h.Plan()) != e.Path {
				if e.Kind != workspace.Changed && e.Kind != workspace.FoundSaved && f.change.Action == plan.Rename && f.change.NewPath == e.Path {
					f.place(l, h.Plan()) // the user may have moved it there
					t.changed(h)
				}
				continue
			}
			switch {
			case e.Kind == workspace.Changed && f.live == e.Before:
				if steps == nil {
					steps = textsAfter(e)
				}
				f.followed(h.Plan(), e, steps)
			case f.live != nil && f.live == e.After:
				// It was read in between.
			case e.Kind == workspace.FoundSaved:
				b.placeSoon(t, h, f)
			case e.Kind == workspace.Changed:
				f.placeLive(l, h.Plan())
			default:
				f.place(l, h.Plan())
			}
			f.undone.heard(e.Kind)
			f.view = nil
			t.changed(h)
			b.reconcileLater(t, h, f, e.Kind)
		}
	}
}

// placeSoon is place off the goroutine that changes buffers.
func (b *Board) placeSoon(t *table, h *entry, f *heldFile) {
	if b.root.Err() != nil {
		return
	}
	b.spawn(func() {
		t, l := b.lockReadFile(f.change)
		defer t.unlock()
		if h.file(f.change.Path) == f {
			f.place(l, h.Plan())
			t.changed(h)
		}
	})
}

// filesFor lists the files that onBuffer reads for an event: none for a keystroke in a text that
// is followed, and none for what Redline has found out itself, at a time when the user may type.
func (t *table) filesFor(e workspace.BufferEvent) (files []readahead.Paths) {
	if e.Kind == workspace.FoundSaved {
		return nil
	}
	for _, h := range t.plans {
		for _, f := range h.files {
			followed := f.live != nil && (f.live == e.After || e.Kind == workspace.Changed && f.live == e.Before)
			here := f.livePath(h.Plan()) == e.Path
			mayMove := !here && e.Kind != workspace.Changed && f.change.Action == plan.Rename && f.change.NewPath == e.Path
			if f.isPutWhere(e) || here && !followed || mayMove {
				files = append(files, pathsOf(f.change))
			}
		}
	}
	return files
}

// isPutWhere reports whether the event may change that a creation or a move can be put
// where it puts the file.
func (f *heldFile) isPutWhere(e workspace.BufferEvent) bool {
	target := f.change.NewPath
	if f.change.Action == plan.Create {
		target = f.change.Path
	}
	return target == e.Path && (e.Kind != workspace.Changed || isBlank(e.Before) != isBlank(e.After))
}

func isBlank(l *edits.Lines) bool { return edits.Blank(l.Text()) }

// textsAfter returns the text after each of an event's edits.
func textsAfter(e workspace.BufferEvent) []string {
	texts := make([]string, len(e.Edits))
	text := e.Before.Text()
	for i, es := range e.Edits {
		if i == len(e.Edits)-1 {
			text = e.After.Text()
		} else if next, err := edits.Apply(text, es); err == nil {
			text = next
		}
		texts[i] = text
	}
	return texts
}

// follow moves the hunks with the edits of the live text.
func (f *heldFile) follow(e workspace.BufferEvent, texts []string) {
	for i, es := range e.Edits {
		f.placed = f.placed.Shift(es, texts[i])
		f.lookForMade()
	}
	f.live = e.After
	f.exists = f.exists || !isBlank(e.After) // it may be in its buffer only
}

// place updates what is known of a file from what was read: where it is, whether it can
// be put where the plan puts it, its text, and where in that the hunks of p are. The
// caller holds Board.mu.
func (f *heldFile) place(l *readahead.Files, p *plan.Plan) {
	f.lookForMove(l, p)
	f.placeLive(l, p)
	f.lookInTheWay(l, p)
}

// placeLive is place for a file whose path is known. The caller holds Board.mu.
func (f *heldFile) placeLive(l *readahead.Files, p *plan.Plan) {
	path := f.livePath(p)
	file, err := l.File(path)
	if f.unreadable = otherwise(l.Folders(), p, path); f.unreadable != "" {
		file = workspace.File{Exists: true} // that of another name may be another file
	} else if err != nil {
		f.unreadable = unreadable(l, path, err)
		file = workspace.File{Exists: true} // what cannot be read has no text, but is not gone
	}
	live, before := f.live, ""
	if live != nil {
		before = live.Text()
	}
	switch {
	case file.Buffer != nil:
		live = file.Buffer.Lines
	case live == nil || live.Text() != file.Text:
		live = edits.NewLines(file.Text)
	}
	if f.live != live || !f.follows(p) {
		f.live, f.placedFor, f.undone = live, p, undone{}
		ref, pieces := f.reference(func(id string) bool { return p.Progress.Hunk(id).Status == plan.HunkApplied })
		f.placed = track.Place(ref, pieces, live.Text())
		f.has = make([]bool, len(f.change.Hunks))
		for i, hunk := range f.change.Hunks {
			f.has[i] = p.Progress.Hunk(hunk.ID).Status == plan.HunkApplied
		}
		f.lookForMade()
	}
	if f.exists && !file.Exists {
		f.disk.text = before
	}
	f.exists = file.Exists
	if file.Exists {
		f.disk.sought, f.disk.moved = false, ""
	}
	f.view = nil
}

// unreadable says, for the user, why path has no text. err is why it could not be read.
func unreadable(l *readahead.Files, path string, err error) string {
	if _, isDir, err := l.Stat(path); err == nil && isDir {
		return "a folder of the name " + path + " exists now"
	}
	if r, ok := errors.AsType[*workspace.Refusal](err); ok {
		short := *r // without the advice, which is for a model
		short.Reason, _, _ = strings.Cut(r.Reason, ";")
		err = &short
	}
	return err.Error()
}

// lookInTheWay updates whether a creation or a move can put its file at the new path. The
// caller holds Board.mu.
func (f *heldFile) lookInTheWay(l *readahead.Files, p *plan.Plan) {
	path, was := f.livePath(p), f.inTheWay
	f.inTheWay = ""
	switch {
	case f.change.Action == plan.Create:
		f.inTheWay = inTheWay(l, path)
	case f.change.Action == plan.Rename && path == f.change.Path && !l.SameFile(pathsOf(f.change)):
		f.inTheWay = inTheWay(l, f.change.NewPath)
		if _, open := l.Buffer(f.change.NewPath); open && f.inTheWay == "" {
			f.inTheWay = "a new file of the name " + f.change.NewPath + " is open now"
		}
	}
	if why := otherwise(l.Folders(), p, path); why != "" && (f.change.Action == plan.Create || f.change.Action == plan.Rename) {
		f.inTheWay = why
	}
	if f.inTheWay != was {
		f.view = nil
	}
}

// inTheWay says why a file cannot be put at path, "" if it can.
func inTheWay(l *readahead.Files, path string) string {
	if b, open := l.Buffer(path); open && !isBlank(b.Lines) {
		return "a file of the name " + path + " exists now"
	}
	switch exists, isDir, err := l.Stat(path); {
	case isDir:
		return "a folder of the name " + path + " exists now"
	case err != nil:
		return err.Error()
	case exists:
		return "a file of the name " + path + " exists now"
	}
	return ""
}

// follows reports whether the hunks of p are already followed from edit to edit. Then do
// not search for them again: where a block is repeated, the text alone does not say which
// one is meant.
func (f *heldFile) follows(p *plan.Plan) bool {
	if f.placedFor == p || f.placedFor == nil {
		return f.placedFor == p
	}
	whole := f.change.Action == plan.Create || f.change.Action == plan.Delete
	for i, hunk := range f.change.Hunks {
		applied := p.Progress.Hunk(hunk.ID).Status == plan.HunkApplied
		if _, ok := f.placed.At(i); applied != f.has[i] && (whole || !ok) {
			return false
		}
	}
	return true
}

// decidedBetween reports whether the file's record differs between two values of its plan.
// If not, its hunks are where they were.
func (f *heldFile) decidedBetween(was, now *plan.Plan) bool {
	if was.Current != now.Current {
		return true
	}
	for _, hunk := range f.change.Hunks {
		if was.Progress.Hunk(hunk.ID).Status != now.Progress.Hunk(hunk.ID).Status {
			return true
		}
	}
	before, after := was.Progress.File(was.Current, f.change.Path), now.Progress.File(now.Current, f.change.Path)
	return before.Status != after.Status || before.Move != after.Move
}

// placeAll finds the hunks of all files of a plan.
func (t *table) placeAll(l *readahead.Files, h *entry) {
	for _, f := range h.files {
		f.place(l, h.Plan())
	}
	t.changed(h)
}

// lookAgain places the hunks of the files that no editor shows in their texts as just read:
// nothing reports changes on the disk reliably.
func (t *table) lookAgain(l *readahead.Files, h *entry) {
	for _, f := range h.files {
		if _, open := t.ws.Buffer(f.livePath(h.Plan())); !open {
			f.place(l, h.Plan())
		} else {
			f.lookInTheWay(l, h.Plan()) // the disk under the buffer
		}
		t.changed(h)
	}
}

// reference returns the file's text with only the named hunks applied, and the lines of
// each hunk in it.
func (f *heldFile) reference(applied func(id string) bool) (string, []edits.Span) {
	return plan.Reference(f.base, f.proposed, f.change.Hunks, applied)
}

// livePath returns the path of the file now: of a moved file, the new one.
func (f *heldFile) livePath(p *plan.Plan) string { return view.PathIn(f.change, f.moved, p) }
