package web

import (
	"context"
	"net/http"

	"redline/agent"
	"redline/agent/view"
)

// choice reads a decision of the page, whose files have ids, and returns the view that it is about.
func (s *Server) choice(r *http.Request) (c agent.Choice, v *view.Plan, err error) {
	if c, err = read[agent.Choice](r); err != nil {
		return c, nil, err
	}
	if _, v, err = s.viewed(r.Context()); err != nil {
		return c, nil, err
	}
	c.Plan, c.Way, c.Client = s.o.Plan, view.ByPage, Client
	if err := c.Binds(v); err != nil { // before the ids, which are of a revision
		return c, v, err
	}
	for _, parts := range []*agent.Parts{&c.Approve, &c.Reject} {
		for i, id := range parts.Files {
			f, ok := fileAt(v, id)
			if !ok {
				return c, v, &problem{http.StatusNotFound, "The plan has no such file."}
			}
			parts.Files[i] = f.Change.Path
		}
	}
	return c, v, c.Check(v)
}

// previewDecision says what a decision would do.
func (s *Server) previewDecision(r *http.Request) (any, error) {
	c, v, err := s.choice(r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"sentences": c.Sentences(v)}, nil
}

// decide carries out a decision, through the editor that has the workspace open. The page hears the
// results of commands as they come.
func (s *Server) decide(r *http.Request) (any, error) {
	c, v, err := s.choice(r)
	if err != nil {
		return nil, err
	}
	sentences := c.Sentences(v)
	way, err := s.carryOut(r.Context(), v, agent.Handed{Choice: c})
	if err != nil {
		return nil, err
	}
	return s.decided(r.Context(), way, sentences)
}

// decided answers with what was done.
func (s *Server) decided(ctx context.Context, way string, sentences []string) (any, error) {
	p, err := s.state(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	return map[string]any{"way": way, "sentences": sentences, "plan": s.o.Ranges(&p)}, nil
}

// undo takes back what was applied of the plan.
func (s *Server) undo(r *http.Request) (any, error) {
	body, err := read[struct {
		Revision int    `json:"revision"`
		Hash     string `json:"hash"`
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
	c := agent.Choice{Plan: s.o.Plan, Revision: body.Revision, Hash: body.Hash, Way: view.ByPage, Client: Client}
	way, err := s.carryOut(r.Context(), v, agent.Handed{Choice: c, Undo: true})
	if err != nil {
		return nil, err
	}
	return s.decided(r.Context(), way, []string{"What was applied of the plan is taken back."})
}
