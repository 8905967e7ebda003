package decide_test

import (
	"slices"
	"testing"

	"redline/agent/audit"
	"redline/agent/view"
)

// audited returns the events of the workspace's audit log with their clients. The log must be
// whole.
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

// The log has one record for each client and revision that was shown, before the client's decision
// on it, however soon that decision comes.
func TestShownComesBeforeTheDecision(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	p := s.Plan("numbers", edit("a.txt", "one", "1"), edit("a.txt", "three", "3"))
	for range 3 {
		s.Shown(p.Plan, p.Revision, p.Hash, "Helix")
	}
	s.MustApprove(view.Request{Plan: p.Plan, Hash: p.Hash, Hunks: []string{"h1"}, Client: "Helix"})
	s.Shown(p.Plan, p.Revision, p.Hash, "VS Code")
	s.Shown(p.Plan, p.Revision, p.Hash, "Helix")
	if _, err := s.Reject(s.Context(), view.Request{Plan: p.Plan, Hash: p.Hash, Client: "VS Code"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undo(s.Context(), view.Request{Plan: p.Plan, Client: "VS Code"}); err != nil {
		t.Fatal(err)
	}
	s.wantAudited("revised", "shown Helix", "approved Helix", "executed Helix", "shown VS Code", "rejected VS Code", "undone VS Code", "executed VS Code")

	s.Restart() // another session: it counts as shown anew
	s.Shown(p.Plan, p.Revision, p.Hash, "Helix")
	s.End() // it was stored in the background by then
	if got := s.audited(); len(got) != 9 || got[8] != "shown Helix" {
		t.Errorf("%q", got)
	}
}

// An outcome that is found without a decision is recorded, too.
func TestWhatIsFoundOutIsAudited(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	p := s.Plan("numbers", edit("a.txt", "one", "1"))
	s.Open("a.txt")
	s.Editor.OnApply = s.InBuffer
	s.MustApprove(view.Request{Plan: p.Plan})
	b, _ := s.Workspace.Buffer("a.txt")
	s.Workspace.Close(b.URI) // without saving
	s.AwaitState(p.Plan, "awaiting_approval")
	s.wantAudited("revised", "approved", "executed", "settled")
}
