package agent

import (
	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// onBuffer keeps every plan's hunks on their lines while the user types. It
// runs on the goroutine that changes the buffer, in order.
func (a *Agent) onBuffer(e workspace.BufferEvent) {
	if e.Path == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if e.Path == a.chatPath() && e.Kind == workspace.Opened {
		a.chatOpened = e.After.Text()
	}
	for _, h := range a.plans {
		for _, f := range h.files {
			if f.livePath(h.plan) != e.Path {
				continue
			}
			if e.Kind == workspace.Changed && f.live != nil {
				f.follow(e)
			} else {
				a.place(h, f)
			}
			f.view = nil
			a.changed(h)
			if h.execution == nil || h.execution.waiting {
				a.settleLater(h, f, e.Kind)
				a.recheckLater(h, f, e.Kind)
			}
		}
	}
}

// follow moves the hunks with an edit of the live text.
func (f *heldFile) follow(e workspace.BufferEvent) {
	text := e.Before.Text()
	for i, es := range e.Edits {
		if i == len(e.Edits)-1 {
			text = e.After.Text()
		} else if next, err := edits.Apply(text, es); err == nil {
			text = next
		}
		f.placed = f.placed.Shift(es, text)
	}
	f.live = e.After
}

// place reads the file as it is now and finds the hunks in it. The caller
// holds a.mu.
func (a *Agent) place(h *heldPlan, f *heldFile) {
	file, err := a.ws.Read(f.livePath(h.plan))
	if err != nil {
		file = workspace.File{} // what cannot be read has no text: its hunks are stale
	}
	switch {
	case file.Buffer != nil:
		f.live = file.Buffer.Lines
	case f.live == nil || f.live.Text() != file.Text:
		f.live = edits.NewLines(file.Text)
	}
	f.exists = file.Exists
	f.placed = f.placement(h.plan, f.live.Text())
	f.view = nil
}

// placement finds the hunks in a text, as far as the plan has been applied.
func (f *heldFile) placement(p *plan.Plan, live string) edits.Placement {
	ref, pieces := f.reference(func(id string) bool { return p.Progress.Hunk(id).Status == plan.HunkApplied })
	return edits.Place(ref, pieces, live)
}

// reference is the file's text with just the named hunks in it, and the lines
// that each hunk has there.
func (f *heldFile) reference(applied func(id string) bool) (string, []edits.Span) {
	return plan.Reference(f.base, f.proposed, f.change.Hunks, applied)
}

// livePath is where the file is now: a renamed file is at its new path.
func (f *heldFile) livePath(p *plan.Plan) string {
	if f.change.Action == plan.Rename && p.Progress.File(p.Current, f.change.Path).Move == plan.FileApplied {
		return f.change.NewPath
	}
	return f.change.Path
}
