package web

import (
	"net/http"

	"redline/agent/decide"
	"redline/agent/plan"
	"redline/edits"
)

// edit makes a revision of the plan from the user's own lines in place of those of a hunk.
func (s *Server) edit(r *http.Request) (any, error) {
	body, err := read[struct {
		Revision int    `json:"revision"`
		Hash     string `json:"hash"`
		Path     string `json:"path"`
		Hunk     string `json:"hunk"`
		Text     string `json:"text"`
	}](r)
	if err != nil {
		return nil, err
	}
	_, v, err := s.viewed(r.Context())
	if err != nil {
		return nil, err
	}
	if err := bound(v, body.Revision, body.Hash); err != nil {
		return nil, err
	}
	f, h, ok := hunkNamed(v, body.Hunk)
	if named, known := fileAt(v, body.Path); !ok || !known || named != f {
		return nil, &problem{http.StatusNotFound, "The plan has no such change."}
	}
	if h.Status != plan.HunkPending {
		return nil, plan.Refuse(plan.WrongState, "Hunk %s of plan %d is %s: only what is not decided yet can be edited.", h.ID, v.Plan.Number, h.Status)
	}
	was := f.Proposed // with the hunks that are decided: what is edited is one that is not
	now, err := edits.Apply(was, []edits.Edit{{Span: h.New, New: body.Text}})
	if err != nil {
		return nil, err
	}
	p, err := s.a.EditText(r.Context(), decide.TextEdit{
		Plan: s.o.Plan, Revision: body.Revision, Hash: body.Hash, Path: f.Change.Path, Was: &was, Text: now,
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"revision": p.Revision}, nil
}
