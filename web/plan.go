package web

import (
	"context"
	"net/http"
	"path"
	"strconv"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// Shown is what the page shows: GET /api/plan.
type Shown struct {
	Workspace  string   `json:"workspace"` // the name of its folder
	Version    string   `json:"version"`   // of the program
	Static     bool     `json:"static"`    // a file that can only be read
	Offline    bool     `json:"offline"`   // no model outside this machine is used
	Editor     Editor   `json:"editor"`
	Plan       any      `json:"plan"` // docs/reference/state.md
	View       View     `json:"view"`
	Seen       int      `json:"seen"`      // the revision that the user saw last here, 0 for none
	SeenFiles  []string `json:"seenFiles"` // ids of the files that the user has marked as seen
	CanApprove bool     `json:"canApprove"`
	Why        string   `json:"why,omitempty"` // why nothing can be approved here
	Decision   *Pending `json:"decision"`
	Reply      *Reply   `json:"reply,omitempty"` // what the last rework came to, if it made no revision
	Ended      bool     `json:"ended"`           // nothing is left to decide
}

// Editor is the editor that has the workspace open.
type Editor struct {
	Open bool   `json:"open"`
	Name string `json:"name,omitempty"`
}

// View is the drawn plan.
type View struct {
	Files []File `json:"files"`
}

// Pending is a decision that is being carried out.
type Pending struct {
	Since string `json:"since"` // when it was sent
	By    string `json:"by"`    // the editor
}

// viewed returns the plan's state and its view, of one revision.
func (s *Server) viewed(ctx context.Context) (state.Plan, *view.Plan, error) {
	for {
		p, err := s.state(ctx)
		if err != nil {
			return p, nil, err
		}
		h, err := s.a.Board.Find(ctx, s.o.Plan)
		if err != nil {
			return p, nil, err
		}
		v := s.a.Board.Seen(h)
		if v.Revision.Hash == p.Hash || ctx.Err() != nil {
			return p, v, ctx.Err()
		}
	}
}

// plan answers with all that the page shows.
func (s *Server) plan(r *http.Request) (any, error) {
	p, v, err := s.viewed(r.Context())
	if err != nil {
		return nil, err
	}
	shown := s.shown(r.Context(), &p, v)
	s.a.Session.Shown(p.Plan, p.Revision, p.Hash, Client)
	if s.o.Note != nil {
		s.o.Note(&p)
	}
	s.marks.show(p.Revision, shown.Seen)
	return shown, nil
}

// shown describes a plan for the page.
func (s *Server) shown(ctx context.Context, p *state.Plan, v *view.Plan) Shown {
	out := Shown{
		Workspace: path.Base(s.a.Session.Key()), Version: s.o.Version, Offline: s.a.ModelState().Provider == "builtin",
		Plan: s.o.Ranges(p), SeenFiles: s.marks.of(p.Revision), CanApprove: true, Ended: s.over(p),
	}
	if s.o.Seen != nil {
		out.Seen = s.marks.before(p.Revision, s.o.Seen(p))
	}
	if err := s.o.Forbidden.Check(p.Plan, view.ByPage); err != nil {
		out.CanApprove, out.Why = false, err.Error()
	}
	out.Reply = s.replies.on(p.Revision)
	out.Editor, out.Decision = editorOf(s.a), pendingOn(ctx, s.a, s.o.Plan)
	var before *plan.Revision
	if out.Seen > 0 && out.Seen != p.Revision {
		before, _ = v.Plan.Revision(out.Seen)
	}
	out.View.Files = filesOf(v, before)
	markMoves(out.View.Files)
	return out
}

// fileNamed returns the plan's view and the file that a request names by its id.
func (s *Server) fileNamed(ctx context.Context, id string) (*view.Plan, *view.File, error) {
	_, v, err := s.viewed(ctx)
	if err != nil {
		return nil, nil, err
	}
	f, ok := fileAt(v, id)
	if !ok {
		return nil, nil, &problem{http.StatusNotFound, "The plan has no such file."}
	}
	return v, f, nil
}

// oneFile answers with one file and all its lines.
func (s *Server) oneFile(r *http.Request) (any, error) {
	id := r.URL.Query().Get("path")
	v, f, err := s.fileNamed(r.Context(), id)
	if err != nil {
		return nil, err
	}
	for i := range v.Files {
		if v.Files[i] == f {
			return fileOf(v, i, nil, true), nil
		}
	}
	return nil, &problem{http.StatusNotFound, "The plan has no such file."}
}

// maxContext is how many lines one request unfolds.
const maxContext = 500

// context answers with unchanged lines around the changes.
func (s *Server) context(r *http.Request) (any, error) {
	q := r.URL.Query()
	from, err1 := strconv.Atoi(q.Get("from"))
	to, err2 := strconv.Atoi(q.Get("to"))
	if err1 != nil || err2 != nil || from < 1 || to < from {
		return nil, malformed("The lines cannot be read.")
	}
	_, f, err := s.fileNamed(r.Context(), q.Get("path"))
	if err != nil {
		return nil, err
	}
	rows, lines := contextOf(f, from, min(to, from+maxContext-1))
	return map[string]any{"rows": rows, "lines": lines}, nil
}

// hunk answers with the new lines of a hunk, to be edited.
func (s *Server) hunk(r *http.Request) (any, error) {
	_, v, err := s.viewed(r.Context())
	if err != nil {
		return nil, err
	}
	_, h, ok := hunkNamed(v, r.URL.Query().Get("id"))
	if !ok {
		return nil, &problem{http.StatusNotFound, "The plan has no such change."}
	}
	return raw{"text": h.NewText}, nil
}

// hunkNamed finds a hunk of a plan by its id.
func hunkNamed(v *view.Plan, id string) (*view.File, view.Hunk, bool) {
	for _, f := range v.Files {
		for i := range f.Len() {
			if f.Change.Hunks[i].ID == id {
				return f, f.Hunk(i), true
			}
		}
	}
	return nil, view.Hunk{}, false
}
