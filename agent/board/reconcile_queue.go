package board

import (
	"sync"

	"redline/workspace"
)

// reconciler compares plans with their texts off the read loop. It compares files that the
// editor saves or closes together at once, so that the work is proportional to their number.
type reconciler struct {
	b *Board

	mu      sync.Mutex         // guards the rest; no other lock is taken while it is held
	due     map[*Held]evidence // what must be compared
	running map[*Held]bool     // plans that are being compared
}

// later compares a plan in the background. What is not compared when the session ends stays due,
// for CatchUp.
func (r *reconciler) later(h *Held, e evidence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.due[h] = r.due[h].and(e)
	if r.running[h] || r.b.root.Err() != nil {
		return
	}
	r.running[h] = true
	r.b.session.Spawn(func() {
		for r.next(h) {
		}
	})
}

// next compares what is due for a plan, and reports whether to continue.
func (r *reconciler) next(h *Held) bool {
	r.mu.Lock()
	e := r.due[h]
	on := e.any() && r.b.root.Err() == nil
	if on {
		delete(r.due, h)
	} else {
		delete(r.running, h)
	}
	r.mu.Unlock()
	if !on {
		return false
	}
	if r.tryReconcile(r.b.root, h, e) {
		r.b.Announce(h, "")
	}
	if r.b.root.Err() != nil { // the end of the session may have cut it off
		r.mu.Lock()
		r.due[h] = r.due[h].and(e)
		r.mu.Unlock()
	}
	return true
}

// take returns what is due for a plan, and clears it.
func (r *reconciler) take(h *Held) evidence {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.due[h]
	delete(r.due, h)
	return e
}

// fileLater compares a file with its text, in the background, if an editor was asked for it and
// has not answered, or if hunks in it may never be saved or were reverted and saved.
func (r *reconciler) fileLater(h *entry, f *heldFile, kind workspace.EventKind) {
	m := h.mark(f)
	moved := kind != workspace.Changed // the editor has opened, saved or closed it
	switch {
	case h.execution != nil && !h.execution.waiting:
		return // the editor was asked and may still answer
	case !m.Asked() && !(moved && (m.Unsaved || len(f.undone.saved) > 0)):
		return
	}
	e := evidence{asked: true, said: true}
	if moved && !(kind == workspace.Opened && h.execution != nil) { // otherwise the editor opens the file to make a late edit in it
		e.files = []*heldFile{f}
	}
	r.later(h.Held, e)
}

// pastLater compares what earlier revisions have applied to a file, in the background.
func (r *reconciler) pastLater(h *entry, path string) {
	r.later(h.Held, evidence{past: true, paths: []string{path}, said: true})
}

// unsavedLater compares the unsaved buffers of this editor, in the background, after another
// process has stored the plan: that process may not know about them, and compared the disk.
func (r *reconciler) unsavedLater(h *entry) {
	unsaved := func(path string) bool {
		b, open := r.b.ws.Buffer(path)
		return open && b.Dirty
	}
	for _, f := range h.files {
		if unsaved(f.PathIn(h.Plan())) {
			r.fileLater(h, f, workspace.Opened)
		}
	}
	for _, c := range h.past {
		if path := c.LivePath(h.Plan()); unsaved(path) {
			r.pastLater(h, path)
		}
	}
}

// Answered handles a late reply to workspace/applyEdit: it reads the file at path again and
// records the result. A change that the text does not show by then will not come.
func (b *Board) Answered(path string) {
	t := b.lock()
	defer t.unlock()
	if b.root.Err() != nil {
		return
	}
	for _, h := range t.plans {
		x := h.execution
		for _, f := range h.files {
			if x == nil || f.Change.Path != path && f.Change.NewPath != path && f.PathIn(h.Plan()) != path {
				continue
			}
			b.session.Spawn(func() {
				select {
				case <-x.done: // its result so far is recorded
				case <-b.root.Done():
					return
				}
				b.reconciler.answered(h.Held, x, f)
			})
		}
	}
}

// answered compares a file after the editor has answered for it, if the execution x still waits.
func (r *reconciler) answered(h *Held, x *Execution, f *heldFile) {
	b := r.b
	t := b.lock()
	waits := t.of(h).execution == x && x.waiting
	t.unlock()
	if waits && b.reconciler.tryReconcile(b.root, h, evidence{asked: true, answered: f}) {
		b.Announce(h, "")
	}
}
