package agent

import (
	"slices"

	"redline/agent/plan"
	"redline/workspace"
)

// lookList is what is still to be looked at of a plan, off the read loop. What the
// editor says of many files at once, as when it saves or closes all of them, is
// looked at together: the work is in proportion to the files, however many there
// are.
type lookList struct {
	running bool        // somebody looks
	text    bool        // a text has changed that may tell what became of an edit
	files   []*heldFile // that the editor has opened, saved or closed
	past    []string    // paths of such files to which an earlier revision has applied something
}

func (l *lookList) any() bool { return l.text || len(l.files)+len(l.past) > 0 }

// lookLater has it found out, off the read loop, what became of a file that an
// editor did not answer for, or of what was applied and may never be saved, or was
// taken back and saved.
// The caller holds a.mu.
func (a *Agent) lookLater(h *heldPlan, f *heldFile, kind workspace.EventKind) {
	status := h.mark(f).Status
	moved := kind != workspace.Changed // the editor has opened, saved or closed it
	switch {
	case h.execution != nil && !h.execution.waiting:
		return // still being asked
	case status != plan.FileApplying && status != plan.FileUnverified && !(moved && (h.mark(f).Unsaved || len(f.undone.saved) > 0)):
		return
	}
	h.toLook.text = true
	if kind == workspace.Opened && h.execution != nil {
		moved = false // as an editor does first that is late to make the edit in it
	}
	if moved && !slices.Contains(h.toLook.files, f) {
		h.toLook.files = append(h.toLook.files, f)
	}
	a.lookSoon(h)
}

// lookAgainLater has it found out, off the read loop, whether what another process
// has found out about a plan is so in the buffers of this editor that are not
// saved: it may not know of them, and has looked at the disk. The caller holds a.mu.
func (a *Agent) lookAgainLater(h *heldPlan) {
	unsaved := func(path string) bool {
		b, open := a.ws.Buffer(path)
		return open && b.Dirty
	}
	for _, f := range h.files {
		if unsaved(f.livePath(h.plan)) {
			a.lookLater(h, f, workspace.Opened)
		}
	}
	for _, c := range h.past {
		if path := c.livePath(h.plan); unsaved(path) {
			a.recheckPastLater(h, path)
		}
	}
}

// recheckPastLater is recheckPast off the read loop. The caller holds a.mu.
func (a *Agent) recheckPastLater(h *heldPlan, path string) {
	if !slices.Contains(h.toLook.past, path) {
		h.toLook.past = append(h.toLook.past, path)
	}
	a.lookSoon(h)
}

// lookSoon has somebody look at what is on the list of a plan. The caller holds a.mu.
func (a *Agent) lookSoon(h *heldPlan) {
	if h.toLook.running || a.root.Err() != nil { // when the session is over, Leave looks
		return
	}
	h.toLook.running = true
	a.spawn(func() {
		for a.lookOnce(h) {
		}
	})
}

// lookOnce looks at what is on the list of a plan, and tells whether anything was.
func (a *Agent) lookOnce(h *heldPlan) bool {
	a.mu.Lock()
	list, number := h.toLook, h.plan.Number
	on := list.any() && a.root.Err() == nil
	h.toLook = lookList{running: on}
	a.mu.Unlock()
	if !on {
		return false
	}
	var changed bool
	note := func(one bool, err error) error {
		changed = changed || one
		return err
	}
	err := contained(func() (err error) {
		if list.text {
			err = note(a.lookAt(a.root, h, list.files, false))
		}
		if err == nil && len(list.files) > 0 {
			err = note(a.recheck(a.root, h, list.files, true))
		}
		if err == nil && len(list.past) > 0 {
			err = note(a.recheckPast(a.root, h, list.past, true))
		}
		if changed {
			a.announce(h, "")
		}
		return err
	})
	if err != nil {
		a.log.Error("what became of an edit could not be recorded", planField(number), errorField(err))
	}
	return true
}
