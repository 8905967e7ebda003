package board

import (
	"slices"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

// onBuffer keeps every plan's hunks on their lines while the user types. It runs on the goroutine
// that changes the buffer, in order, so it reads no file for a keystroke.
func (b *Board) onBuffer(e workspace.BufferEvent) {
	if e.Path == "" {
		return
	}
	t, l := b.lockWith(nil, func(t *table) []Paths { return t.filesFor(e) })
	defer t.unlock()
	if e.Kind == workspace.Changed {
		t.typed[e.Path]++
	}
	var steps []string // the texts after each of the event's edits, made once
	for _, h := range t.plans {
		past := func(c *view.Earlier) bool { return c.Change.Path == e.Path || c.Change.NewPath == e.Path }
		if e.Kind != workspace.Changed && slices.ContainsFunc(h.past, past) {
			b.Reconciler.pastLater(h, e.Path)
		}
		for _, f := range h.files {
			switch {
			case !f.putsAt(e):
			case e.Kind == workspace.FoundSaved:
				b.placeSoon(t, h, f)
			default:
				f.lookInTheWay(l, h.Plan())
				t.changed(h)
			}
			if f.PathIn(h.Plan()) != e.Path {
				if e.Kind != workspace.FoundSaved && f.mayMoveTo(e) {
					f.place(l, h.Plan()) // the user may have moved the file there
					t.changed(h)
				}
				continue
			}
			switch {
			case e.Kind == workspace.Changed && f.Live == e.Before:
				if steps == nil {
					steps = textsAfter(e)
				}
				f.follow(h.Plan(), e, steps)
			case f.Live != nil && f.Live == e.After:
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
			b.Reconciler.fileLater(h, f, e.Kind)
		}
	}
}

// placeSoon places a file in the background, off the goroutine that changes buffers.
func (b *Board) placeSoon(t *table, h *entry, f *heldFile) {
	if b.root.Err() != nil {
		return
	}
	b.session.Spawn(func() {
		t, l := b.lockReadFile(f.Change)
		defer t.unlock()
		if h.file(f.Change.Path) == f {
			f.place(l, h.Plan())
			t.changed(h)
		}
	})
}

// filesFor lists the files that onBuffer reads for an event: none for a keystroke in a text that
// is followed, and none for an event that Redline itself has found, since the user may be typing.
func (t *table) filesFor(e workspace.BufferEvent) (files []Paths) {
	if e.Kind == workspace.FoundSaved {
		return nil
	}
	for _, h := range t.plans {
		for _, f := range h.files {
			followed := f.Live != nil && (f.Live == e.After || e.Kind == workspace.Changed && f.Live == e.Before)
			here := f.PathIn(h.Plan()) == e.Path
			if f.putsAt(e) || here && !followed || !here && f.mayMoveTo(e) {
				files = append(files, pathsOf(f.Change))
			}
		}
	}
	return files
}

// mayMoveTo reports whether the user may have moved the file to the event's path.
func (f *heldFile) mayMoveTo(e workspace.BufferEvent) bool {
	return e.Kind != workspace.Changed && f.Change.Action == plan.Rename && f.Change.NewPath == e.Path
}

// putsAt reports whether the event is at the path where the plan creates the file or to which it
// moves it, and may have freed or taken that path.
func (f *heldFile) putsAt(e workspace.BufferEvent) bool {
	target := f.Change.NewPath
	if f.Change.Action == plan.Create {
		target = f.Change.Path
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

// undone records which applied hunks of a file the user has reverted in the editor, by typing or
// with its undo. They become pending once the editor has saved that. A program that restores the
// old file, such as a checkout, reverts nothing: the editor reads the file again and sends no
// didSave.
type undone struct {
	hunks []string // ids of hunks whose old lines are back; not saved yet
	saved []string // the same, saved
	found bool     // since the last edit, the text was found equal to the disk's
}

// edited records which hunks an edit of the text has reverted (back), and which it has applied
// again.
func (u *undone) edited(back, again []string) {
	if u.found { // the disk had that text although the editor reported no save
		u.hunks, u.found = nil, false
	}
	made := func(id string) bool { return slices.Contains(again, id) }
	u.hunks = append(slices.DeleteFunc(u.hunks, made), back...)
	u.saved = slices.DeleteFunc(u.saved, made)
}

// heard records that the editor has saved or closed the file, or that the file was found saved.
func (u *undone) heard(kind workspace.EventKind) {
	switch kind {
	case workspace.SavedEvent, workspace.Closed: // the disk decides
		u.saved = append(u.saved, u.hunks...)
		u.hunks, u.found = nil, false
	case workspace.FoundSaved:
		u.found = true
	}
}

// isOpen reports whether the user has reverted a hunk without saving: the disk still has it.
func (u *undone) isOpen(id string) bool { return !u.found && slices.Contains(u.hunks, id) }

// follow moves the hunks with the edits of the live text, and records which hunks that are applied
// in p the user has reverted with them.
func (f *heldFile) follow(p *plan.Plan, e workspace.BufferEvent, texts []string) {
	had := f.Has // replaced, never changed
	for i, es := range e.Edits {
		f.Placement = f.Placement.Shift(es, texts[i])
		f.lookForMade()
	}
	f.Live = e.After
	f.Exists = f.Exists || !isBlank(e.After) // it may be only in its buffer
	var back, again []string
	for i, hunk := range f.Change.Hunks {
		switch {
		case had[i] == f.Has[i]:
		case f.Has[i]:
			again = append(again, hunk.ID)
		case p.Progress.Applied(hunk.ID):
			back = append(back, hunk.ID)
		}
	}
	f.undone.edited(back, again)
}

// TypedIn returns a number that changes when the user types in a file that a draft has read or
// changed. For a nil draft it is always 0.
func (b *Board) TypedIn(d *draft.Draft) int {
	if d == nil {
		return 0
	}
	paths := d.Looked()
	t := b.lock()
	defer t.unlock()
	n := 0
	for _, path := range paths {
		n += t.typed[path]
	}
	return n
}
