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
	"redline/workspace"
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
	e, ok := named(name, text)
	if ok {
		h, findErr := ds.board.Find(ctx, e.plan)
		if err = findErr; err == nil {
			err = ds.readPreview(ctx, h, &e, text)
		}
	}
	err = e.refusal(err)
	return e.problems, !e.edit.Empty(), err
}

// EditPreview makes a revision from a preview that the user has edited, unless its meaning is
// unchanged. It never changes the preview. The error is the store's; whatever the user can fix is
// reported as a problem.
func (ds *Decisions) EditPreview(ctx context.Context, name, text string) (out PreviewRead, err error) {
	e, ok := named(name, text)
	if ok {
		var tx *board.Tx
		if tx, err = ds.board.Open(ctx, e.plan); err == nil {
			defer tx.Unlock()
			err = ds.readPreview(ctx, tx.Held, &e, text)
		}
		if err == nil {
			out.Revision, err = ds.revisePreview(ctx, tx, &e, text)
		}
	}
	err = e.refusal(err)
	out.Plan, out.Problems = e.plan, e.problems
	return out, err
}

// revisePreview makes a revision from a preview that was read from text, of the plan that tx has
// locked, and returns its number; see [Decisions.EditPreview].
func (ds *Decisions) revisePreview(ctx context.Context, tx *board.Tx, e *previewEdit, text string) (revision int, err error) {
	if len(e.problems) > 0 || e.edit.Empty() {
		return 0, nil
	}
	h, err := ds.revise(ctx, tx, func(ctx context.Context, _ *board.Held, next *plan.Plan) (made ownRevision, err error) {
		r, _ := next.Revision(e.revision)
		textOf, missing := board.StoredTexts(ctx, ds.store, nil)
		made.revision, made.texts, e.problems = e.edit.Revise(next, r, textOf, withoutIn(ctx, ds.ws, next))
		if err = missing(); err == nil && len(e.problems) > 0 {
			err = errNoRevision
		}
		return made, err
	})
	switch err = e.refusal(err); {
	case err != nil && !errors.Is(err, errNoRevision):
		return 0, err
	case len(e.problems) > 0:
		return 0, nil
	}
	ds.board.Announce(h, "")
	ds.previews.Take(h, text)
	return h.Revision().Number, nil
}

// errNoRevision means that no revision is made of what the user has edited.
var errNoRevision = errors.New("no revision is made of the edit")

// withoutIn returns a function that removes operations from a revision being made for p.
func withoutIn(ctx context.Context, ws *workspace.Workspace, p *plan.Plan) preview.Without {
	return func(r *plan.Revision, ids []string, text func(plan.Blob) string) (preview.Rest, error) {
		own, err := without(ctx, ws, p, r, ids, func(b plan.Blob) (string, error) { return text(b), nil })
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

// refusal makes a problem of a refusal, and returns any other error.
func (e *previewEdit) refusal(err error) error {
	if refused, ok := errors.AsType[*plan.Refusal](err); ok {
		e.problems = []preview.Problem{{Reason: refused.Reason}}
		return nil
	}
	return err
}

// named returns the plan and the revision whose preview has a name. ok is false if the name is no
// preview's, or if the text names another one.
func named(name, text string) (e previewEdit, ok bool) {
	if e.plan, e.revision, ok = view.PreviewOf(name); !ok {
		return e, false
	}
	if plan, revision, ok := preview.Named(text); !ok || plan != e.plan || revision != e.revision {
		e.problems = []preview.Problem{{Reason: fmt.Sprintf("The first line must be as it was: # Plan %d, revision %d.", e.plan, e.revision)}}
		return e, false
	}
	return e, true
}

// readPreview reads a preview as an edit of the revision that it names.
func (ds *Decisions) readPreview(ctx context.Context, h *board.Held, e *previewEdit, text string) error {
	p := h.Plan()
	r, ok := p.Revision(e.revision)
	if !ok {
		e.problems = []preview.Problem{{Reason: fmt.Sprintf("Plan %d has no revision %d.", e.plan, e.revision)}}
		return nil
	}
	if ds.previews.WasTaken(h, text) {
		return nil
	}
	textOf, missing := board.StoredTexts(ctx, ds.store, nil)
	for _, c := range r.Changes {
		textOf(c.Base)
		textOf(c.Proposed)
	}
	if err := missing(); err != nil { // its hunks do not exist in such a text
		return err
	}
	e.edit, e.problems = preview.Read(p, r, textOf, text)
	if e.revision != p.Current && (len(e.problems) > 0 || !e.edit.Empty()) {
		e.problems = e.outdated(p.Current)
	}
	return nil
}

// settlePreview refuses an approval if the preview differs from what would happen. If the preview
// was edited and saved, settlePreview first makes the newest revision from it.
func (ds *Decisions) settlePreview(ctx context.Context, tx *board.Tx) error {
	h := tx.Held
	n, name := h.Number(), view.PreviewName(h.Number(), h.Revision().Number)
	text, unsaved, err := previewText(ds.ws, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && ds.previews.IsOwn(h, text):
		return nil // it is gone, or unchanged since Redline wrote it
	case err != nil: // it may forbid something
		return plan.Refuse(plan.Invalid, "The preview of plan %d, %s, cannot be read (%s): make it readable, or delete it.", n, ds.ws.Own().Path(name), phrase.TrimStop(err.Error()))
	}
	e, ok := named(name, text)
	if ok {
		err = ds.readPreview(ctx, h, &e, text)
	}
	if err != nil || len(e.problems) == 0 && e.edit.Empty() {
		return err
	}
	if unsaved {
		return plan.Refuse(plan.UnsavedPreview, "The preview of plan %d has unsaved changes: save it, which makes a revision of it, or undo them.", n)
	}
	revision, err := ds.revisePreview(ctx, tx, &e, text)
	switch {
	case err != nil:
		return err
	case len(e.problems) > 0:
		p := e.problems[0]
		return plan.Refuse(plan.Invalid, "The preview of plan %d was edited and cannot be read, line %d of %s: %s", n, p.Line+1, ds.ws.Own().Path(name), p.Reason)
	}
	return plan.Refuse(plan.HashMismatch, "The preview of plan %d was edited: it is revision %d now, so look at it again.", n, revision)
}

// previewText returns the text of a preview, and whether an editor has that text unsaved.
func previewText(ws *workspace.Workspace, name string) (text string, unsaved bool, err error) {
	if b, ok := ws.BufferURI(ws.Own().URI(name)); ok {
		return b.Lines.Text(), b.Dirty, nil
	}
	data, err := ws.Own().Read(name)
	return strings.TrimPrefix(string(data), "\ufeff"), false, err
}
