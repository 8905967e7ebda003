package agent

import (
	"strings"

	"redline/agent/plan"
	"redline/agent/preview"
)

// previewName is the preview's name among Redline's own files.
func (a *Agent) previewName(h *heldPlan) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return preview.Name(h.plan.Number, h.revision.Number)
}

// writePreview writes the preview file of the current revision. A preview that
// cannot be written is said in the log; the plan does not depend on it.
func (a *Agent) writePreview(h *heldPlan) {
	a.mu.Lock()
	p, r, text := h.plan, h.revision, h.texts()
	a.mu.Unlock()
	name := preview.Name(p.Number, r.Number)
	shown := preview.Render(p, r, text)
	if _, _, err := a.ws.Own().Write(name, []byte(shown)); err != nil {
		a.log.Warn("the preview could not be written", errorField(err))
		return
	}
	a.mu.Lock()
	if h.revision.Hash == r.Hash {
		h.preview, h.written = a.ws.Own().Path(name), plan.BlobOf(shown)
	}
	a.changed(h)
	a.mu.Unlock()
}

// previewText returns what is in a preview, and whether that is in an editor and
// not saved.
func (a *Agent) previewText(name string) (text string, unsaved bool, err error) {
	if b, ok := a.ws.BufferURI(a.ws.Own().URI(name)); ok {
		return b.Lines.Text(), b.Dirty, nil
	}
	data, err := a.ws.Own().Read(name)
	return strings.TrimPrefix(string(data), "\ufeff"), false, err
}

// renewPreview writes the preview of a plan again with what has become of its
// parts, unless it is gone or the user has it open or has edited it.
func (a *Agent) renewPreview(h *heldPlan) {
	name := a.previewName(h)
	if _, open := a.ws.BufferURI(a.ws.Own().URI(name)); open {
		return
	}
	a.mu.Lock()
	p, r, text, written := h.plan, h.revision, h.texts(), h.written
	a.mu.Unlock()
	data, err := a.ws.Own().Read(name)
	if err != nil {
		return
	}
	if plan.BlobOf(string(data)) != written {
		if e, problems := preview.Read(p, r, text, string(data)); len(problems) > 0 || !e.Empty() {
			return
		}
	}
	if preview.Render(p, r, text) != string(data) {
		a.writePreview(h)
	}
}

// findPreview notes the preview that an earlier session has written.
func (a *Agent) findPreview(h *heldPlan) {
	name := a.previewName(h)
	if _, err := a.ws.Own().Read(name); err != nil {
		return
	}
	a.mu.Lock()
	h.preview = a.ws.Own().Path(name)
	a.changed(h)
	a.mu.Unlock()
}
