package board

import (
	"context"
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
func (b *Board) Preview(h *Held) Preview { return b.peek(h).preview }

// PreviewTaken records that the plan's current revision, whose number it returns, was made from
// an edited preview with the given text.
func (b *Board) PreviewTaken(h *Held, text string) (revision int) {
	b.with(h, func(_ *table, e *entry) { e.preview.Taken = plan.BlobOf(text) })
	return h.Revision().Number
}

// PreviewName returns the name of the plan's preview among Redline's own files.
func (h *Held) PreviewName() string { return preview.Name(h.Number(), h.Revision().Number) }

// WritePreview writes the preview file of the current revision. If it cannot, it logs that: the
// plan does not depend on it.
func (b *Board) WritePreview(h *Held) {
	p, r, text := b.withTexts(h)
	name := preview.Name(p.Number, r.Number)
	shown := preview.Render(p, r, text)
	if _, _, err := b.ws.Own().Write(name, []byte(shown)); err != nil {
		b.log.Warn("the preview could not be written", zap.Error(err))
		return
	}
	b.with(h, func(t *table, e *entry) {
		if h.Revision().Hash == r.Hash {
			e.preview.Path, e.preview.Written = b.ws.Own().Path(name), plan.BlobOf(shown)
		}
		t.changed(e)
	})
}

// withTexts returns a plan, its current revision and a lookup in the texts of that.
func (b *Board) withTexts(h *Held) (*plan.Plan, *plan.Revision, func(plan.Blob) string) {
	t := b.lock()
	defer t.unlock()
	return h.Plan(), h.Revision(), t.of(h).texts()
}

// RefreshPreview writes the preview of a plan again with the statuses of now, unless the preview
// is gone or the user has it open or has edited it.
func (b *Board) RefreshPreview(h *Held) { b.refreshPreview(h, false) }

// refreshPreview is RefreshPreview. With restore it also writes a preview that is gone.
func (b *Board) refreshPreview(h *Held, restore bool) {
	name := h.PreviewName()
	data, err := b.ws.Own().Read(name)
	if err != nil && restore {
		b.WritePreview(h)
	}
	if _, open := b.ws.BufferURI(b.ws.Own().URI(name)); open || err != nil {
		return
	}
	p, r, text := b.withTexts(h)
	if plan.BlobOf(string(data)) != b.Preview(h).Written {
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
	name := h.PreviewName()
	if _, err := b.ws.Own().Read(name); err != nil {
		return
	}
	b.with(h, func(t *table, e *entry) {
		e.preview.Path = b.ws.Own().Path(name)
		t.changed(e)
	})
}

// OpenPlan begins the review of a plan that the user opens. It returns the workspace path of the
// preview, and writes that again if it is gone or its statuses are out of date.
func (b *Board) OpenPlan(ctx context.Context, n int) (string, error) {
	h, err := b.Find(ctx, n)
	if err != nil {
		return "", err
	}
	if err := b.beginReview(ctx, h); err != nil {
		return "", err
	}
	name := h.PreviewName()
	b.refreshPreview(h, true)
	b.Announce(h, "")
	return b.ws.Own().Path(name), nil
}

func (b *Board) beginReview(ctx context.Context, h *Held) error {
	tx := b.Lock(h)
	defer tx.Unlock()
	next := h.Plan().Clone()
	if next.Apply(plan.UserReviewing) != nil {
		return nil // the review has begun, or the plan is decided
	}
	next.Updated = b.now().UTC()
	return tx.Save(ctx, next, nil, plan.UserReviewing)
}

// Diff returns the unified diff of a plan's current revision against the texts that it was made
// from.
func (b *Board) Diff(ctx context.Context, n int) (string, error) {
	h, err := b.Find(ctx, n)
	if err != nil {
		return "", err
	}
	e := b.peek(h)
	var text strings.Builder
	for _, f := range e.files {
		text.WriteString(f.Change.Diff(f.Base, f.Proposed))
	}
	return text.String(), nil
}
