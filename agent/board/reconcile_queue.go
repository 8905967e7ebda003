package board

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/workspace"
)

// reconcileQueue is the queue of what is to be compared with its text of a plan, off the read loop.
// Files that the editor saves or closes all at once are compared together, so that the work is in
// proportion to their number.
type reconcileQueue struct {
	running bool        // somebody goes through it
	text    bool        // a text has changed that may show what became of an edit
	files   []*heldFile // files that the editor has opened, saved or closed
	past    []string    // paths of such files to which an earlier revision has applied something
}

func (l *reconcileQueue) any() bool { return l.text || len(l.files)+len(l.past) > 0 }

// add puts back what was taken from the queue.
func (l *reconcileQueue) add(taken reconcileQueue) {
	l.text = l.text || taken.text
	for _, f := range taken.files {
		if !slices.Contains(l.files, f) {
			l.files = append(l.files, f)
		}
	}
	for _, path := range taken.past {
		if !slices.Contains(l.past, path) {
			l.past = append(l.past, path)
		}
	}
}

// evidence returns the evidence about the files in the queue.
func (l *reconcileQueue) evidence() evidence {
	return evidence{applied: l.files, past: len(l.past) > 0, paths: l.past, said: true}
}

// reconcileLater queues a file to be compared with its text, off the read loop, if an editor was
// asked for it and has not answered, or if hunks in it may never be saved or were reverted and
// saved.
func (b *Board) reconcileLater(t *table, h *entry, f *heldFile, kind workspace.EventKind) {
	status := h.mark(f).Status
	moved := kind != workspace.Changed // the editor has opened, saved or closed it
	switch {
	case h.execution != nil && !h.execution.waiting:
		return // still being asked
	case status != plan.FileApplying && status != plan.FileUnverified && !(moved && (h.mark(f).Unsaved || len(f.undone.saved) > 0)):
		return
	}
	h.toReconcile.text = true
	if kind == workspace.Opened && h.execution != nil {
		moved = false // as an editor does first that is late to make the edit in it
	}
	if moved && !slices.Contains(h.toReconcile.files, f) {
		h.toReconcile.files = append(h.toReconcile.files, f)
	}
	b.reconcileSoon(t, h)
}

// reconcileUnsavedLater queues the unsaved buffers of this editor after another process has
// stored a plan: that process may not know of them, and has gone by the disk.
func (b *Board) reconcileUnsavedLater(t *table, h *entry) {
	unsaved := func(path string) bool {
		b, open := b.ws.Buffer(path)
		return open && b.Dirty
	}
	for _, f := range h.files {
		if unsaved(f.PathIn(h.Plan())) {
			b.reconcileLater(t, h, f, workspace.Opened)
		}
	}
	for _, c := range h.past {
		if path := c.LivePath(h.Plan()); unsaved(path) {
			b.reconcilePastLater(t, h, path)
		}
	}
}

// reconcilePastLater queues what earlier revisions have applied to a file.
func (b *Board) reconcilePastLater(t *table, h *entry, path string) {
	if !slices.Contains(h.toReconcile.past, path) {
		h.toReconcile.past = append(h.toReconcile.past, path)
	}
	b.reconcileSoon(t, h)
}

// reconcileSoon starts going through a plan's queue in the background, unless somebody does.
func (b *Board) reconcileSoon(t *table, h *entry) {
	if h.toReconcile.running || b.root.Err() != nil { // when the session is over, CatchUp looks
		return
	}
	h.toReconcile.running = true
	b.session.Spawn(func() {
		for b.reconcileOnce(h.Held) {
		}
	})
}

// reconcileOnce compares what is in the queue of a plan, and reports whether to go on. When the
// session ends, the queue keeps what was not compared.
func (b *Board) reconcileOnce(h *Held) bool {
	t := b.lock()
	list := t.of(h).toReconcile
	on := list.any() && b.root.Err() == nil
	if on {
		t.of(h).toReconcile = reconcileQueue{running: true}
	} else {
		t.of(h).toReconcile.running = false
	}
	t.unlock()
	if !on {
		return false
	}
	e := list.evidence()
	e.asked, e.shown = list.text, list.files
	if b.reconcileLogged(b.root, h, e) {
		b.Announce(h, "")
	}
	if b.root.Err() != nil { // it may have been cut off
		t = b.lock()
		t.of(h).toReconcile.add(list)
		t.unlock()
	}
	return true
}

// CatchUp compares the files that the editor has saved, opened or closed, as far as the end of
// the session has cut that off. Call it after Close, while the workspace still has the editor's
// buffers. Without it the record would say that what was saved last is unsaved, and the next
// session would take it for lost if the disk does not have it by then.
func (b *Board) CatchUp(ctx context.Context) error {
	for _, h := range b.Plans("") {
		t := b.lock()
		list := t.of(h).toReconcile
		t.of(h).toReconcile = reconcileQueue{running: list.running}
		t.unlock()
		if _, err := b.reconcile(ctx, h, list.evidence()); err != nil {
			return err
		}
	}
	return nil
}

// Answered handles a late reply to workspace/applyEdit: it reads the file at path again and
// records the result. What its text does not show by then will not come any more.
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
				case <-x.done: // what it came to so far is recorded
				case <-b.root.Done():
					return
				}
				b.answeredFor(h.Held, x, f)
			})
		}
	}
}

// answeredFor is Answered for one file of an execution that waits for it.
func (b *Board) answeredFor(h *Held, x *Execution, f *heldFile) {
	t := b.lock()
	waits := t.of(h).execution == x && x.waiting
	t.unlock()
	if waits && b.reconcileLogged(b.root, h, evidence{asked: true, shown: []*heldFile{f}}) {
		b.Announce(h, "")
	}
}
