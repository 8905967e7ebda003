// Package preview writes the preview of a plan's revision, a Markdown file that shows
// everything that would happen, and reads the user's edits of it.
//
// [Read] compares the parts of an edited page with those of the rendering of its
// revision, so nothing that Redline draws can be out of date, and Redline can tell its
// own text from the user's without storing it. It reads a diff row by row against base:
// the signs show what stays, and an unchanged row keeps its bytes. [Edit.Revise] makes
// the new revision. The user's edits become a separate operation on the result of the
// others, so that the list of operations stays true.
package preview

import (
	"context"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

// Previews writes the preview files of a session's plans. It observes the events of the session:
// it writes the preview of a new revision before the editor hears of it, and rewrites a preview
// once a plan has another value. Its methods may be called from any goroutine.
type Previews struct {
	session *session.Session
	ws      *workspace.Workspace
	board   *board.Board

	mu    sync.Mutex // no other lock is taken while it is held
	pages map[int]writtenPage
}

// writtenPage is what a session knows about the preview of one plan.
type writtenPage struct {
	hash    string     // of the revision that it shows
	plan    *plan.Plan // the value of the plan that it was compared with last
	written plan.Blob  // its text as this session has written it, "" if it has not
	fixed   string     // see fixed; "" once the plan is closed, or if this session has not written it
	taken   plan.Blob  // the edited preview from which the revision was made, "" for none in this session
}

// NewPreviews makes the previews of a session. They observe its events from then on.
func NewPreviews(s *session.Session, b *board.Board) *Previews {
	p := &Previews{session: s, ws: s.Workspace, board: b, pages: map[int]writtenPage{}}
	s.Observe(p.heard)
	return p
}

// heard writes the preview of a plan that an event is about, if there is something new to show.
func (p *Previews) heard(e state.Event) {
	if e.Kind == state.ProblemsFound {
		if h := p.board.Held(e.PlanNumber); h != nil {
			p.session.Spawn(func() { p.RefreshShown(h) }) // one that is open too: nobody has asked for the report
		}
		return
	}
	if e.Kind != state.PlanChanged {
		return
	}
	write, now := slices.Contains(e.Effects, plan.WritePreview), plan.State(e.Plan.State)
	if !write && !e.Again && (now == plan.Executing || now == plan.Drafting) {
		return
	}
	switch v := p.board.ViewOf(e.PlanNumber); {
	case v == nil:
	case write:
		p.write(v)
	case e.Again:
		p.refresh(v, true)
	case v.Plan.State != plan.Executing && v.Plan.State != plan.Drafting && p.of(v.Plan.Number, v.Revision.Hash).plan != v.Plan:
		p.refresh(v, false)
	}
}

// of returns what is known about the preview of a plan's revision.
func (p *Previews) of(n int, hash string) writtenPage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pages[n].of(hash)
}

// of returns what is known if it shows the revision with the given hash, else an empty one for that.
func (s writtenPage) of(hash string) writtenPage {
	if s.hash != hash {
		return writtenPage{hash: hash, taken: s.taken}
	}
	return s
}

// note changes what is known about the preview of a plan's revision.
func (p *Previews) note(n int, hash string, change func(*writtenPage)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.pages[n].of(hash)
	change(&now)
	p.pages[n] = now
}

// IsOwn reports whether a text of the preview of a plan's current revision is the one that this
// session has written.
func (p *Previews) IsOwn(h *board.Held, text string) bool {
	return p.of(h.Number(), h.Revision().Hash).written == plan.BlobOf(text)
}

// WasTaken reports whether the plan's newest revision was made from an edited preview with the
// given text.
func (p *Previews) WasTaken(h *board.Held, text string) bool {
	return p.of(h.Number(), h.Revision().Hash).taken == plan.BlobOf(text)
}

// Take records that the plan's current revision was made from an edited preview with the given
// text.
func (p *Previews) Take(h *board.Held, text string) {
	p.note(h.Number(), h.Revision().Hash, func(of *writtenPage) { of.taken = plan.BlobOf(text) })
}

// write writes the preview file of the current revision. It only logs a failure: the plan does not
// depend on the preview.
func (p *Previews) write(v *view.Plan) { p.put(v, p.render(v)) }

func (p *Previews) put(v *view.Plan, text string) {
	name := view.PreviewName(v.Plan.Number, v.Revision.Number)
	if _, _, err := p.ws.Own().Write(name, []byte(text)); err != nil {
		p.session.Log.Warn("the preview could not be written", zap.Error(err))
		return
	}
	p.note(v.Plan.Number, v.Revision.Hash, func(of *writtenPage) { of.plan, of.written = v.Plan, plan.BlobOf(text) })
	p.board.SetPreview(v, p.ws.Own().Path(name))
}

// render returns the current preview of a plan.
func (p *Previews) render(v *view.Plan) string {
	unparsed, others := map[string]string{}, map[string]int{}
	for _, f := range v.Files {
		if n := f.OtherNames(); n > 0 {
			others[f.Change.Path] = n
		}
		if why := f.Unparsed(); why != "" {
			unparsed[f.Change.Path] = why
		}
	}
	rest := p.of(v.Plan.Number, v.Revision.Hash).fixed
	if rest == "" {
		rest = fixed(v.Plan.Number, v.Revision, v.Texts())
	}
	p.note(v.Plan.Number, v.Revision.Hash, func(of *writtenPage) {
		if of.fixed = rest; !v.Plan.State.Open() {
			of.fixed = ""
		}
	})
	return named.status(v.Plan, v.Revision, Beside{Trials: view.Trials(p.ws, v), Problems: view.Problems(p.ws, v), Unparsed: unparsed, OtherNames: others}) + rest
}

// unedited reports whether a text of a plan's preview means the same as what Redline wrote.
func unedited(v *view.Plan, text string) bool {
	e, problems := Read(v.Plan, v.Revision, v.Texts(), text)
	return len(problems) == 0 && e.Empty()
}

// refresh rewrites the preview of a plan with the current statuses, unless the preview is open or
// the user has edited it. If restore is true, it also writes a preview that is gone.
func (p *Previews) refresh(v *view.Plan, restore bool) {
	name := view.PreviewName(v.Plan.Number, v.Revision.Number)
	data, err := p.ws.Own().Read(name)
	switch {
	case err != nil && restore:
		p.write(v)
		return
	case err != nil:
		return
	}
	p.board.SetPreview(v, p.ws.Own().Path(name))
	if _, open := p.ws.BufferURI(p.ws.Own().URI(name)); open {
		return
	}
	known := writtenPage{}
	p.note(v.Plan.Number, v.Revision.Hash, func(of *writtenPage) { of.plan, known = v.Plan, *of })
	if plan.BlobOf(string(data)) != known.written && !unedited(v, string(data)) {
		return
	}
	if text := p.render(v); text != string(data) {
		p.put(v, text)
	}
}

// RefreshShown rewrites the preview of a plan, also one that is open, through the editor, unless
// the user has edited it. It waits for the editor: call it without a plan's lock.
func (p *Previews) RefreshShown(h *board.Held) {
	v := p.board.View(h)
	buffer, open := p.ws.BufferURI(p.ws.Own().URI(view.PreviewName(v.Plan.Number, v.Revision.Number)))
	if !open {
		p.refresh(v, false)
		return
	}
	now, next := buffer.Lines.Text(), p.render(v)
	if strings.Contains(now, "\r\n") {
		next = strings.ReplaceAll(next, "\n", "\r\n")
	}
	ours := p.IsOwn(h, now) || !buffer.Dirty && unedited(v, now)
	if buffer.Path == "" || now == next || !ours {
		return
	}
	change := edits.Change{Path: buffer.Path, Base: now}
	for _, hunk := range edits.Diff(now, next) {
		change.Edits = append(change.Edits, hunk.Edit())
	}
	outcome, err := p.session.Editor().Apply(p.session.Context(), []edits.Change{change}, nil)
	if err != nil || len(outcome) == 0 || outcome[0].Status != edits.Done {
		p.session.Log.Debug("an open preview was not rewritten", zap.Int("plan", h.Number()), zap.Error(err))
		return
	}
	p.note(v.Plan.Number, v.Revision.Hash, func(of *writtenPage) { of.written = plan.BlobOf(next) })
	p.ws.FoundSaved(buffer.URI, next) // it has no text of the user's, so there is nothing to wait for
}

// OpenPlan begins the review of a plan that the user opens, and returns the workspace path of the
// preview. It rewrites the preview if that is gone or its statuses are out of date.
func (p *Previews) OpenPlan(ctx context.Context, n int) (string, error) {
	h, err := p.board.BeginReview(ctx, n)
	if err != nil {
		return "", err
	}
	v := p.board.View(h)
	p.refresh(v, true)
	p.board.Announce(h, "")
	return p.ws.Own().Path(view.PreviewName(v.Plan.Number, v.Revision.Number)), nil
}
