package decide_test

import (
	"slices"
	"testing"

	"redline/agent/audit"
	"redline/agent/decision"
)

// audited returns the events of the workspace's audit log, which must be
// whole, with the clients that they have.
func (s *session) audited() []string {
	s.t.Helper()
	report, err := s.Store.VerifyAudit(s.Context())
	if err != nil || !report.Whole() {
		s.t.Errorf("%s %v", report.Sentence(), err)
	}
	var list []string
	err = s.Store.AuditLog(s.Context(), s.Dir, func(e audit.Entry) error {
		r, err := e.Decode()
		text := string(r.Event)
		if r.Client != "" {
			text += " " + r.Client
		}
		list = append(list, text)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

func (s *session) wantAudited(want ...string) {
	s.t.Helper()
	if got := s.audited(); !slices.Equal(got, want) {
		s.t.Errorf("the audit log has %q\nwant %q", got, want)
	}
}

// What was shown is in the log once for each client and revision, and before
// what the client decides about it, however soon that is.
func TestShownComesBeforeTheDecision(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	p := s.Plan("numbers", edit("a.txt", "one", "1"), edit("a.txt", "three", "3"))
	for range 3 {
		s.Shown(p.Plan, p.Revision, p.Hash, "Helix")
	}
	s.MustApprove(decision.Request{Plan: p.Plan, Hash: p.Hash, Hunks: []string{"h1"}, Client: "Helix"})
	s.Shown(p.Plan, p.Revision, p.Hash, "VS Code")
	s.Shown(p.Plan, p.Revision, p.Hash, "Helix")
	if _, err := s.Reject(s.Context(), decision.Request{Plan: p.Plan, Hash: p.Hash, Client: "VS Code"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undo(s.Context(), decision.Request{Plan: p.Plan, Client: "VS Code"}); err != nil {
		t.Fatal(err)
	}
	s.wantAudited("revised", "shown Helix", "approved Helix", "executed Helix", "shown VS Code", "rejected VS Code", "undone VS Code", "executed VS Code")

	s.Restart() // another session: it is shown anew
	s.Shown(p.Plan, p.Revision, p.Hash, "Helix")
	s.End() // it is stored by itself, and by then
	if got := s.audited(); len(got) != 9 || got[8] != "shown Helix" {
		t.Errorf("%q", got)
	}
}

// What is found out without a decision is on record too.
func TestWhatIsFoundOutIsAudited(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	p := s.Plan("numbers", edit("a.txt", "one", "1"))
	s.Open("a.txt")
	s.Editor.OnApply = s.InBuffer
	s.MustApprove(decision.Request{Plan: p.Plan})
	b, _ := s.Workspace.Buffer("a.txt")
	s.Workspace.Close(b.URI) // without saving
	s.AwaitState(p.Plan, "awaiting_approval")
	s.wantAudited("revised", "approved", "executed", "settled")
}
