package decide

import (
	"context"
	"errors"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/state"
)

// TextEdit is a user's edit of the proposed text of a file.
type TextEdit struct {
	Plan     int
	Revision int    // the revision that was edited
	Hash     string // its hash, "" for any
	Path     string
	Was      *string // the text that the user was shown; nil: the one that is proposed now
	Text     string  // what it is now
}

// EditText makes a revision from a user's edit of a proposed text. Unchanged hunks keep their ids and
// the decisions on them. If the text is unchanged, it returns the plan unchanged.
func (ds *Decisions) EditText(ctx context.Context, t TextEdit) (state.Plan, error) {
	if t.Was != nil && *t.Was == t.Text {
		return ds.board.PlanState(ctx, t.Plan)
	}
	if limit := ds.ws.LimitOf(t.Path); int64(len(t.Text)) > limit {
		return state.Plan{}, plan.Refuse(plan.Invalid, "%s would have %d bytes, and a file may have %d at most (limits.max_file).", t.Path, len(t.Text), limit)
	}
	h, err := ds.reviseByUser(ctx, t.Plan, func(ctx context.Context, h *board.Held, next *plan.Plan) (ownRevision, error) {
		return t.revise(ctx, ds, h, next)
	})
	if errors.Is(err, errNoRevision) {
		return ds.board.PlanState(ctx, t.Plan)
	}
	return ds.announced(h, err)
}

// revise returns the revision that the user wants, or errNoRevision if it is the current one.
func (t TextEdit) revise(ctx context.Context, ds *Decisions, h *board.Held, next *plan.Plan) (ownRevision, error) {
	r := h.Revision()
	if t.Revision != r.Number || t.Hash != "" && t.Hash != r.Hash {
		return ownRevision{}, plan.Refuse(plan.HashMismatch, "Plan %d is at revision %d now, and you edited revision %d: look at it again.", t.Plan, r.Number, t.Revision)
	}
	if t.Was == nil {
		for _, f := range ds.board.Seen(h).Files {
			if f.Change.Path == t.Path {
				now, _ := f.ProposedNow()
				t.Was = &now
			}
		}
		if t.Was == nil {
			t.Was = new(string) // the plan does not change the file, which is a problem below
		}
	}
	textOf, missing := board.StoredTexts(ctx, ds.store, nil)
	var made ownRevision
	edit, problems := preview.EditText(next, r, t.Path, *t.Was, t.Text, textOf)
	if len(problems) == 0 && !edit.Empty() {
		made.revision, made.texts, problems = edit.Revise(next, r, textOf, withoutIn(ctx, ds.ws, next))
	}
	switch err := missing(); {
	case err != nil:
		return made, err
	case len(problems) > 0:
		return made, plan.Refuse(plan.Invalid, "%s", problems[0].Reason)
	case edit.Empty():
		return made, errNoRevision
	}
	return made, nil
}
