package board

import (
	"context"
	"strings"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/view"
	"redline/edits"
)

// Preview is what a session knows about the preview of a plan.
type Preview struct {
	Path    string    // its workspace path, "" if there is none
	Written plan.Blob // its text as this session has written it, "" if it has not
	Taken   plan.Blob // the edited preview from which the revision was made, "" for none in this session
}

// Preview returns the preview of a plan's current revision.
func (b *Board) Preview(h *Held) Preview { return b.peek(h).preview }

// PreviewTaken records that the plan's current revision was made from an edited preview with the
// given text, and returns the revision's number.
func (b *Board) PreviewTaken(h *Held, text string) (revision int) {
	b.with(h, func(_ *table, e *entry) { e.preview.Taken = plan.BlobOf(text) })
	return h.Revision().Number
}

// PreviewName returns the name of the plan's preview among Redline's own files.
func (h *Held) PreviewName() string { return preview.Name(h.Number(), h.Revision().Number) }

// WritePreview writes the preview file of the current revision. It only logs a failure: the plan
// does not depend on the preview.
func (b *Board) WritePreview(h *Held) {
	v := b.View(h)
	name := preview.Name(v.Plan.Number, v.Revision.Number)
	shown := b.render(v)
	if _, _, err := b.ws.Own().Write(name, []byte(shown)); err != nil {
		b.log.Warn("the preview could not be written", zap.Error(err))
		return
	}
	b.with(h, func(t *table, e *entry) {
		if h.Revision().Hash == v.Revision.Hash {
			e.preview.Path, e.preview.Written = b.ws.Own().Path(name), plan.BlobOf(shown)
		}
		t.changed(e)
	})
}

// render returns the current preview of a plan.
func (b *Board) render(v *view.Plan) string {
	unparsed, others := map[string]string{}, map[string]int{}
	for _, f := range v.Files {
		if n := f.OtherNames(); n > 0 {
			others[f.Change.Path] = n
		}
		if why := f.Unparsed(); why != "" {
			unparsed[f.Change.Path] = why
		}
	}
	return preview.Render(v.Plan, v.Revision, v.Texts(), preview.Beside{Trials: view.Trials(b.ws, v), Unparsed: unparsed, OtherNames: others})
}

// RefreshPreview rewrites the preview of a plan with the current statuses, unless the preview is
// gone or the user has it open or has edited it.
func (b *Board) RefreshPreview(h *Held) { b.refreshPreview(h, false) }

// RefreshShown does what RefreshPreview does, and rewrites a preview that is open through the
// editor, unless the user has edited it. It waits for the editor: call it without a plan's lock.
func (b *Board) RefreshShown(h *Held) {
	buffer, open := b.ws.BufferURI(b.ws.Own().URI(h.PreviewName()))
	if !open {
		b.RefreshPreview(h)
		return
	}
	v := b.View(h)
	now, next := buffer.Lines.Text(), b.render(v)
	if strings.Contains(now, "\r\n") {
		next = strings.ReplaceAll(next, "\n", "\r\n")
	}
	ours := plan.BlobOf(now) == b.Preview(h).Written || !buffer.Dirty && unedited(v, now)
	if buffer.Path == "" || now == next || !ours {
		return
	}
	change := edits.Change{Path: buffer.Path, Base: now}
	for _, hunk := range edits.Diff(now, next) {
		change.Edits = append(change.Edits, hunk.Edit())
	}
	outcome, err := b.session.Editor().Apply(b.session.Context(), []edits.Change{change}, nil)
	if err != nil || len(outcome) == 0 || outcome[0].Status != edits.Done {
		b.log.Debug("an open preview was not rewritten", zap.Int("plan", h.Number()), zap.Error(err))
		return
	}
	b.with(h, func(_ *table, e *entry) { e.preview.Written = plan.BlobOf(next) })
	b.ws.FoundSaved(buffer.URI, next) // it has no text of the user's, so there is nothing to wait for
}

// unedited reports whether a text of a plan's preview means the same as what Redline wrote.
func unedited(v *view.Plan, text string) bool {
	e, problems := preview.Read(v.Plan, v.Revision, v.Texts(), text)
	return len(problems) == 0 && e.Empty()
}

// refreshPreview does what RefreshPreview does; if restore is true, it also writes a preview that
// is gone.
func (b *Board) refreshPreview(h *Held, restore bool) {
	name := h.PreviewName()
	data, err := b.ws.Own().Read(name)
	if err != nil && restore {
		b.WritePreview(h)
	}
	if _, open := b.ws.BufferURI(b.ws.Own().URI(name)); open || err != nil {
		return
	}
	v := b.View(h)
	if plan.BlobOf(string(data)) != b.Preview(h).Written && !unedited(v, string(data)) {
		return
	}
	if b.render(v) != string(data) {
		b.WritePreview(h)
	}
}

// findPreview finds the preview that an earlier session wrote.
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

// OpenPlan begins the review of a plan that the user opens, and returns the workspace path of the
// preview. It rewrites the preview if that is gone or its statuses are out of date.
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
