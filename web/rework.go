package web

import (
	"net/http"

	"redline/agent/plan"
	"redline/agent/view"
)

// bound refuses a request about another revision than the current one.
func bound(v *view.Plan, revision int, hash string) error {
	if hash == "" {
		return plan.Refuse(plan.Invalid, "The request does not say which revision was shown.")
	}
	return view.Request{Revision: revision, Hash: hash}.Binds(v.Plan, v.Revision)
}

// rework asks for another revision of the plan, with the open comments as feedback.
func (s *Server) rework(r *http.Request) (any, error) {
	body, err := read[struct {
		Revision int    `json:"revision"`
		Hash     string `json:"hash"`
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
	turn, _, err := s.a.Turns.Rework(r.Context(), s.o.Plan, body.Text, Client)
	if err != nil {
		return nil, err
	}
	return map[string]any{"turn": turn}, nil
}
