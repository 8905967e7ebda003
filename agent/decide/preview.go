package decide

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/view"
	"redline/internal/phrase"
)

// PreviewRead is the result of reading a preview that the user may have edited.
type PreviewRead struct {
	Plan     int
	Revision int               // the revision made from it; 0 if nothing was changed
	Problems []preview.Problem // lines that cannot be read; if any, no revision was made
}

// CheckPreview returns the lines of a preview that cannot be read, and whether the preview differs
// from its revision. name is the preview's name among Redline's own files, text its content. It
// makes no revision.
func (ds *Decisions) CheckPreview(ctx context.Context, name, text string) (problems []preview.Problem, edited bool, err error) {
	e, err := ds.readPreview(ctx, name, text)
	return e.problems, !e.edit.Empty(), err
}

// EditPreview makes a revision from a preview that the user has edited, unless its meaning is
// unchanged. It never changes the preview. The error is the store's; whatever the user can fix is
// reported as a problem.
func (ds *Decisions) EditPreview(ctx context.Context, name, text string) (PreviewRead, error) {
	e, err := ds.readPreview(ctx, name, text)
	if err != nil {
		return PreviewRead{Plan: e.plan, Problems: e.problems}, err
	}
	return ds.revisePreview(ctx, e, text)
}

// revisePreview makes a revision from a preview that was read from text; see
// [Decisions.EditPreview].
func (ds *Decisions) revisePreview(ctx context.Context, e previewEdit, text string) (PreviewRead, error) {
	out := PreviewRead{Plan: e.plan, Problems: e.problems}
	if len(e.problems) > 0 || e.edit.Empty() {
		return out, nil
	}
	h, err := ds.reviseByUser(ctx, e.plan, func(ctx context.Context, h *board.Held, next *plan.Plan) (made ownRevision, err error) {
		switch {
		case ds.previews.WasTaken(h, text): // the newest revision was made from the same text
			return made, errNoRevision
		case next.Current != e.revision:
			out.Problems = e.outdated(next.Current)
			return made, errNoRevision
		}
		r, _ := next.Revision(e.revision)
		textOf, missing := board.StoredTexts(ctx, ds.store, nil)
		made.revision, made.texts, out.Problems = e.edit.Revise(next, r, textOf, ds.withoutIn(ctx, next))
		if err = missing(); err == nil && len(out.Problems) > 0 {
			err = errNoRevision
		}
		return made, err
	})
	refused, isRefusal := errors.AsType[*plan.Refusal](err)
	switch {
	case errors.Is(err, errNoRevision):
		return out, nil
	case isRefusal:
		out.Problems = []preview.Problem{{Reason: refused.Reason}}
		return out, nil
	case err != nil:
		return out, err
	}
	ds.board.Announce(h, "")
	ds.previews.Take(h, text)
	out.Revision = h.Revision().Number
	return out, nil
}

// errNoRevision means that no revision is made from a preview.
var errNoRevision = errors.New("no revision is made from the preview")

// withoutIn returns a function that removes operations from a revision being made for p.
func (ds *Decisions) withoutIn(ctx context.Context, p *plan.Plan) preview.Without {
	return func(r *plan.Revision, ids []string, text func(plan.Blob) string) (preview.Rest, error) {
		own, err := ds.without(ctx, p, r, ids, func(b plan.Blob) (string, error) { return text(b), nil })
		return preview.Rest{Operations: own.revision.Operations, Changes: own.revision.Changes, Texts: own.texts}, err
	}
}

// previewEdit is the result of reading a preview.
type previewEdit struct {
	plan, revision int
	edit           preview.Edit
	problems       []preview.Problem
}

// outdated returns the problem of a preview that does not show the newest revision.
func (e previewEdit) outdated(newest int) []preview.Problem {
	return []preview.Problem{{Reason: fmt.Sprintf("This preview is of revision %d, and revision %d is the newest: make the change in %s, nothing of what is here is lost.",
		e.revision, newest, view.PreviewName(e.plan, newest))}}
}

// readPreview reads a preview as an edit of the revision that it names.
func (ds *Decisions) readPreview(ctx context.Context, name, text string) (e previewEdit, err error) {
	var ok bool
	if e.plan, e.revision, ok = view.PreviewOf(name); !ok {
		return e, nil
	}
	if plan, revision, ok := preview.Named(text); !ok || plan != e.plan || revision != e.revision {
		e.problems = []preview.Problem{{Reason: fmt.Sprintf("The first line must be as it was: # Plan %d, revision %d.", e.plan, e.revision)}}
		return e, nil
	}
	h, err := ds.board.Find(ctx, e.plan)
	if refusal, ok := errors.AsType[*plan.Refusal](err); ok {
		e.problems = []preview.Problem{{Reason: refusal.Reason}}
		return e, nil
	}
	if err != nil {
		return e, err
	}
	p := h.Plan()
	r, ok := p.Revision(e.revision)
	if !ok {
		e.problems = []preview.Problem{{Reason: fmt.Sprintf("Plan %d has no revision %d.", e.plan, e.revision)}}
		return e, nil
	}
	if ds.previews.WasTaken(h, text) {
		return e, nil
	}
	textOf, missing := board.StoredTexts(ctx, ds.store, nil)
	for _, c := range r.Changes {
		textOf(c.Base)
		textOf(c.Proposed)
	}
	if err := missing(); err != nil { // its hunks do not exist in such a text
		return e, err
	}
	e.edit, e.problems = preview.Read(p, r, textOf, text)
	if e.revision != p.Current && (len(e.problems) > 0 || !e.edit.Empty()) {
		e.problems = e.outdated(p.Current)
	}
	return e, nil
}

// settlePreview refuses an approval if the preview differs from what would happen. If the preview
// was edited and saved, settlePreview first makes the newest revision from it.
func (ds *Decisions) settlePreview(ctx context.Context, h *board.Held) error {
	n, name := h.Number(), view.PreviewName(h.Number(), h.Revision().Number)
	text, buffer, err := ds.previewText(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && ds.previews.IsOwn(h, text):
		return nil // it is gone, or unchanged since Redline wrote it
	case err != nil: // it may forbid something
		return plan.Refuse(plan.Invalid, "The preview of plan %d, %s, cannot be read (%s): make it readable, or delete it.", n, ds.ws.Own().Path(name), phrase.TrimStop(err.Error()))
	}
	e, err := ds.readPreview(ctx, name, text)
	if err != nil || len(e.problems) == 0 && e.edit.Empty() {
		return err
	}
	if buffer {
		return plan.Refuse(plan.UnsavedPreview, "The preview of plan %d has unsaved changes: save it, which makes a revision of it, or undo them.", n)
	}
	read, err := ds.revisePreview(ctx, e, text)
	switch {
	case err != nil:
		return err
	case len(read.Problems) > 0:
		p := read.Problems[0]
		return plan.Refuse(plan.Invalid, "The preview of plan %d was edited and cannot be read, line %d of %s: %s", n, p.Line+1, ds.ws.Own().Path(name), p.Reason)
	case read.Revision > 0:
		return plan.Refuse(plan.HashMismatch, "The preview of plan %d was edited: it is revision %d now, so look at it again.", n, read.Revision)
	}
	return nil
}

// previewText returns the text of a preview, and whether an editor has that text unsaved.
func (ds *Decisions) previewText(name string) (text string, unsaved bool, err error) {
	if b, ok := ds.ws.BufferURI(ds.ws.Own().URI(name)); ok {
		return b.Lines.Text(), b.Dirty, nil
	}
	data, err := ds.ws.Own().Read(name)
	return strings.TrimPrefix(string(data), "\ufeff"), false, err
}
