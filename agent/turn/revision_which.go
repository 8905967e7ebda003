package turn

import (
	"fmt"
	"strings"

	"redline/agent/board"
	"redline/agent/event"
	"redline/agent/precise"
	"redline/agent/subject"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// waitsFor returns the waiting plan that a message would change without naming it, nil for
// none. Feedback, a message from the plan's own files, and one that names its conversation name
// the plan.
func (rs *revisions) waitsFor(t *turn) *board.Held {
	m := &t.request
	if m.Revise != 0 || m.Comment != nil || m.FromChat || m.Named || m.Again {
		return nil
	}
	if _, own := rs.ws.Own().Is(m.Path); own {
		return nil
	}
	h := rs.board.Held(rs.board.PlanOf(t.Conversation.ID))
	if h == nil || !h.Plan().State.Open() {
		return nil
	}
	return h
}

// namesElse returns the files and identifiers that a message is about if none of them belongs
// to the waiting plan h. It looks at the disk.
func (rs *revisions) namesElse(t *turn, h *board.Held) []string {
	if h == nil {
		return nil
	}
	m := subject.Message{Text: t.request.Text, Exists: func(path string) bool {
		exists, isDir, err := rs.ws.Stat(path)
		return err == nil && exists && !isDir
	}}
	if t.request.Selection != "" {
		m.Selected = t.request.Path
	}
	return subject.Apart(m, subjectOf(rs.board.View(h)))
}

// subjectOf returns what a plan is about.
func subjectOf(v *view.Plan) subject.Plan {
	p := subject.Plan{Goal: v.Plan.Goal}
	texts := []string{v.Revision.Description}
	for _, s := range v.Revision.Steps {
		texts = append(texts, s.Description)
	}
	for _, o := range v.Revision.Operations {
		texts = append(texts, string(o.Args))
	}
	for _, f := range v.Files {
		p.Paths = append(p.Paths, f.Change.Path)
		if f.Change.NewPath != "" {
			p.Paths = append(p.Paths, f.Change.NewPath)
		}
		texts = append(texts, f.Base, f.Proposed)
	}
	p.Paths = append(p.Paths, v.Revision.Predicted...)
	p.Has = func(word string) bool {
		for _, text := range texts {
			if precise.In(text, word) {
				return true
			}
		}
		return false
	}
	return p
}

// sayApart tells the user that a message begins a new plan though one waits.
func (rs *revisions) sayApart(t *turn, h *board.Held, named []string) {
	n := h.Number()
	rs.session.Notify(event.Event{Kind: event.Noticed, Turn: t.ID, Conversation: t.Conversation.ID, PlanNumber: n, Text: fmt.Sprintf(
		"Plan %d still waits: this begins a plan of its own, since plan %d has nothing of %s. To change plan %d instead, send /rework %d and the request.",
		n, n, edits.Visible(strings.Join(named, ", ")), n, n)})
}

// sayRevises tells the user that a message changes the plan that waits.
func (rs *revisions) sayRevises(t *turn, h *board.Held) {
	n, goal := h.Number(), h.Plan().Goal
	t.before = goal
	rs.session.Notify(event.Event{Kind: event.Noticed, Turn: t.ID, Conversation: t.Conversation.ID, PlanNumber: n, Text: fmt.Sprintf(
		"This changes plan %d, which waits (%s). /apart makes it a plan of its own.", n, edits.Visible(phrase.FirstLine(goal, 80)))})
}

// goalWith adds a turn's request to the goal of the plan that it changes, if the request
// did not name the plan: otherwise the goal would not mention the change.
func goalWith(goal string, t *turn) string {
	if t.before == "" {
		return goal
	}
	return phrase.FirstLine(goal+"; then: "+goalOf(t), 200)
}
