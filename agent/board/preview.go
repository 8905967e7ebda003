package board

import (
	"strings"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/preview"
)

// Preview is what a session knows of the preview of a plan.
type Preview struct {
	Path    string    // its workspace path, "" if there is none
	Written plan.Blob // its text as this session has written it, "" if it has not
	Taken   plan.Blob // the edited preview that the revision was made of, "" for none in this session
}

// Preview returns the preview of a plan's current revision.
func (b *Board) Preview(h *Held) Preview {
	t := b.lock()
	defer t.unlock()
	return t.of(h).preview
}

// PreviewTaken records that the plan's current revision, whose number it returns, was made from
// an edited preview with the given text.
func (b *Board) PreviewTaken(h *Held, text string) (revision int) {
	t := b.lock()
	defer t.unlock()
	t.of(h).preview.Taken = plan.BlobOf(text)
	return h.Revision().Number
}

// PreviewName returns the name of a plan's preview among Redline's own files.
func (b *Board) PreviewName(h *Held) string {
	return preview.Name(h.Number(), h.Revision().Number)
}

// WritePreview writes the preview file of the current revision. If it cannot, it logs that: the
// plan does not depend on it.
func (b *Board) WritePreview(h *Held) {
	t := b.lock()
	p, r, text := h.Plan(), h.Revision(), t.of(h).texts()
	t.unlock()
	name := preview.Name(p.Number, r.Number)
	shown := preview.Render(p, r, text)
	if _, _, err := b.ws.Own().Write(name, []byte(shown)); err != nil {
		b.log.Warn("the preview could not be written", zap.Error(err))
		return
	}
	t = b.lock()
	if h.Revision().Hash == r.Hash {
		t.of(h).preview.Path, t.of(h).preview.Written = b.ws.Own().Path(name), plan.BlobOf(shown)
	}
	t.changed(t.of(h))
	t.unlock()
}

// PreviewText returns the text of a preview, and whether an editor has that unsaved.
func (b *Board) PreviewText(name string) (text string, unsaved bool, err error) {
	if b, ok := b.ws.BufferURI(b.ws.Own().URI(name)); ok {
		return b.Lines.Text(), b.Dirty, nil
	}
	data, err := b.ws.Own().Read(name)
	return strings.TrimPrefix(string(data), "\ufeff"), false, err
}

// RefreshPreview writes the preview of a plan again with the statuses of now, unless the preview
// is gone or the user has it open or has edited it.
func (b *Board) RefreshPreview(h *Held) { b.refreshPreview(h, false) }

// refreshPreview is RefreshPreview. With restore it also writes a preview that is gone.
func (b *Board) refreshPreview(h *Held, restore bool) {
	name := b.PreviewName(h)
	data, err := b.ws.Own().Read(name)
	if err != nil && restore {
		b.WritePreview(h)
	}
	if _, open := b.ws.BufferURI(b.ws.Own().URI(name)); open || err != nil {
		return
	}
	t := b.lock()
	p, r, text, written := h.Plan(), h.Revision(), t.of(h).texts(), t.of(h).preview.Written
	t.unlock()
	if plan.BlobOf(string(data)) != written {
		if e, problems := preview.Read(p, r, text, string(data)); len(problems) > 0 || !e.Empty() {
			return
		}
	}
	if preview.Render(p, r, text) != string(data) {
		b.WritePreview(h)
	}
}

// findPreview finds the preview that an earlier session has written.
func (b *Board) findPreview(h *Held) {
	name := b.PreviewName(h)
	if _, err := b.ws.Own().Read(name); err != nil {
		return
	}
	t := b.lock()
	t.of(h).preview.Path = b.ws.Own().Path(name)
	t.changed(t.of(h))
	t.unlock()
}
