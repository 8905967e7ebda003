package web

import (
	"net/http"

	"redline/agent/plan"
)

// comment stores a comment on a line.
func (s *Server) comment(r *http.Request) (any, error) {
	body, err := read[struct {
		Revision int              `json:"revision"`
		Path     string           `json:"path"`
		Line     int              `json:"line"`
		Side     plan.CommentSide `json:"side"`
		Text     string           `json:"text"`
	}](r)
	if err != nil {
		return nil, err
	}
	_, f, err := s.fileNamed(r.Context(), body.Path)
	if err != nil {
		return nil, err
	}
	if body.Revision < 1 {
		return nil, malformed("The comment does not say which revision was shown.")
	}
	id, err := s.a.Comments.Add(r.Context(), s.o.Plan, plan.Comment{
		Revision: body.Revision, Path: f.Change.Path, Line: body.Line, Side: body.Side, Text: body.Text, Author: plan.AuthorUser,
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": id}, nil
}

// uncomment removes a comment.
func (s *Server) uncomment(r *http.Request) (any, error) {
	if err := s.a.Comments.Remove(r.Context(), s.o.Plan, r.PathValue("id")); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}
