package web_test

import (
	"errors"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/plan"
)

// comments of the plan as another process sees them: "notes.md 3 new: text".
func (r *review) comments() (all []plan.Comment) {
	r.t.Helper()
	other := r.Beside(r.Dir)
	defer other.Agent.Close()
	p, err := other.Agent.Board.PlanState(r.Context(), 1)
	r.Must(err)
	return p.Comments
}

// Comments are kept with the plan, and a rework sends those that are open as one feedback.
func TestComments(t *testing.T) {
	r := begin(t)
	add := func(members m) (id string) {
		t.Helper()
		c := m{"revision": 1, "side": "new"}
		for name, value := range members {
			c[name] = value
		}
		var made struct{ ID string }
		r.ask("POST", "/api/comments", c, &made)
		return made.ID
	}
	add(m{"path": "f1", "line": 3, "text": "Call it Sum."})
	add(m{"path": "f2", "line": 3, "side": "old", "text": "Keep this."})
	gone := add(m{"path": "f2", "line": 1, "text": "No."})
	r.ask("DELETE", "/api/comments/"+gone, nil, &struct{}{})
	all := r.comments()
	if len(all) != 2 || all[0].ID == all[1].ID || all[0].Path != "shop.go" || all[0].Author != "user" || all[1].Side != plan.OldSide || all[1].Done {
		t.Fatalf("%+v", all)
	}
	r.Model.Stages(agenttest.Edit("notes.md", "Total is Add.", "Total is Sum."))
	var turn struct{ Turn string }
	r.ask("POST", "/api/rework", m{"revision": 1, "hash": r.plan.Hash, "text": "Two things."}, &turn)
	r.Wait(turn.Turn)
	want := "Two things.\n\nshop.go, line 3 (func Add(a, b int) int { return a + b }):\nCall it Sum.\n\nnotes.md, line 3 of the old text (Nothing yet.):\nKeep this."
	if got := r.UserMessages(); !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
	if s := r.shown(); s.Plan.Revision != 2 {
		t.Errorf("%+v", s)
	}
	if all := r.comments(); len(all) != 2 || !all[0].Done || !all[1].Done {
		t.Errorf("%+v", all)
	}
}

// A comment has a line of the revision that was shown.
func TestRefusedComments(t *testing.T) {
	r := begin(t)
	for _, c := range []struct {
		comment m
		status  int
		words   string
	}{
		{m{"revision": 2, "path": "f1", "line": 3, "text": "x"}, 409, "changed since"},
		{m{"revision": 1, "path": "f1", "line": 9, "text": "x"}, 422, "no line 9"},
		{m{"revision": 1, "path": "f1", "line": 0, "text": "x"}, 422, "no line 0"},
		{m{"revision": 1, "path": "f1", "line": 3, "text": " "}, 422, "is empty"},
		{m{"revision": 1, "path": "f1", "line": 3, "side": "both", "text": "x"}, 422, "neither"},
		{m{"revision": 1, "path": "shop.go", "line": 3, "text": "x"}, 404, "no such file"},
		{m{"path": "f1", "line": 3, "text": "x"}, 400, "which revision"},
		{m{"revision": 1, "path": "f1", "line": 3, "text": strings.Repeat("x", 9000)}, 422, "9000 bytes"},
	} {
		r.refused("POST", "/api/comments", c.comment, c.status, c.words)
	}
	r.refused("DELETE", "/api/comments/c1", nil, 422, "no comment c1")
	if all := r.comments(); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

// A rework that makes no revision leaves the comments open: one that fails, that the user cancels, or
// whose process ends. The next one sends them.
func TestCommentsStayOpen(t *testing.T) {
	r := begin(t)
	r.ask("POST", "/api/comments", m{"revision": 1, "path": "f1", "line": 3, "text": "why?"}, &struct{}{})
	open := func(when string) {
		t.Helper()
		if all := r.comments(); len(all) != 1 || all[0].Done {
			t.Errorf("%s: %+v", when, all)
		}
	}
	rework := func() string {
		t.Helper()
		id, _, err := r.Agent.Turns.Rework(r.Context(), 1, "", "test")
		r.Must(err)
		return id
	}
	r.Model.Will(agenttest.Reply{Err: errors.New("the provider is down")})
	turn := rework()
	_, err := r.Agent.Conversations.Wait(r.Context(), turn)
	r.Must(err)
	open("failed")

	asked, never := make(chan struct{}), make(chan struct{})
	r.Model.Will(agenttest.Reply{Begun: asked, Wait: never})
	turn = rework()
	<-asked
	r.Agent.Conversations.Cancel(func(*conversation.Turn) bool { return true })
	_, err = r.Agent.Conversations.Wait(r.Context(), turn)
	r.Must(err)
	open("cancelled")

	asked = make(chan struct{})
	r.Model.Will(agenttest.Reply{Begun: asked, Wait: never})
	rework()
	<-asked
	r.Restart()
	open("after a crash")

	r.Model.Stages(agenttest.Edit("notes.md", "Total is Add.", "Total is Sum."))
	turn, _, err = r.Agent.Turns.Mend(r.Context(), 1, "", "", "test") // nothing has failed: the comments say what to do
	r.Must(err)
	r.Wait(turn)
	if got := r.UserMessages(); !strings.Contains(got, "):\nwhy?") || !r.comments()[0].Done {
		t.Errorf("%s", got)
	}
}
