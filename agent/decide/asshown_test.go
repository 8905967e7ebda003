package decide_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"redline/agent/plan"
	"redline/agent/view"
)

// The stored plan that an approval carries out must be the one that was shown, in the session
// that showed it and in one that begins after it was changed.
func TestAPlanThatWasChangedInTheStoreIsNotCarriedOut(t *testing.T) {
	for what, statement := range map[string]string{
		"an operation": `UPDATE revisions SET operations = replace(operations, 'Add(', 'Sub(')`,
		"a hunk":       `UPDATE revisions SET changes = replace(changes, '"h2"', '"h9"')`,
		"a file":       `UPDATE revisions SET changes = replace(changes, 'shop.go', 'main.go')`,
		"the hash":     `UPDATE revisions SET hash = 'sha256:00'`,
		"the texts":    `UPDATE texts SET text = CAST('rm' AS BLOB)`,
	} {
		t.Run(what, func(t *testing.T) {
			s := newSession(t, map[string]string{"shop.go": shop})
			p := s.PlanRename()
			s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}) // an approval before does not help
			before := len(s.Editor.Asked())
			s.Tamper(statement)
			_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
			s.WantRefused(err, plan.HashMismatch)
			if _, err := s.Undo(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err == nil {
				t.Error("what was changed was taken back")
			}
			if n := len(s.Editor.Asked()); n != before {
				t.Errorf("the editor was asked for %d changes", n-before)
			}
			if got, err := s.Store.Decisions(s.Context(), s.Dir, 1); err != nil || len(got) != 1 {
				t.Errorf("decisions %+v, %v", got, err)
			}
			other := s.Another()
			if _, err := other.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err == nil {
				t.Error("another session approved what was changed")
			}
			if _, err := other.Approve(s.Context(), view.Request{Plan: 1}); err == nil {
				t.Error("another session approved what was changed, without a hash")
			}
		})
	}
}

// A replaced record with a matching hash is another plan: it can be reviewed, and is approved
// only by its own hash.
func TestAnotherRecordIsReviewedAgain(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	kept, err := s.Store.Plan(s.Context(), s.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := kept.Revisions[0]
	r.Description = "another"
	hash := plan.ApprovalHash(1, &r)
	s.Tamper(`UPDATE revisions SET description = 'another', hash = '` + hash + `'`)
	_, err = s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.HashMismatch)
	if again := s.PlanNow(1); again.Description != "another" || again.Hash != hash {
		t.Errorf("what is to be reviewed is still %q, %s", again.Description, again.Hash)
	}
	if err := os.RemoveAll(filepath.Join(s.Dir, ".redline", "plans")); err != nil { // it shows the plan before
		t.Fatal(err)
	}
	s.MustApprove(view.Request{Plan: 1, Hash: hash})
}

// Each decision is recorded with its scope, who made it, when, and from which program.
func TestDecisionsAreRecordedWithTheirScope(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop, "a.txt": "one\n", "b.txt": "two\n"})
	p := s.Plan("several", edit("shop.go", "func Total(", "func Add("), edit("shop.go", "return Total(1, 2)", "return Add(1, 2)"),
		edit("a.txt", "one", "1"), edit("b.txt", "two", "2"))
	bind := func(d view.Request) view.Request {
		d.Plan, d.Hash, d.Client = 1, p.Hash, "Helix"
		return d
	}
	s.MustApprove(bind(view.Request{Hunks: []string{"h2"}}))
	s.MustApprove(bind(view.Request{Paths: []string{"a.txt"}}))
	s.MustApprove(bind(view.Request{Operation: "o1", Who: "approval.auto"}))
	s.MustApprove(bind(view.Request{}))
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1, Client: "command line"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reject(s.Context(), bind(view.Request{Reason: "no"})); err != nil {
		t.Fatal(err)
	}
	got, err := s.Store.Decisions(s.Context(), s.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"h1", "h2", "h3", "h4"}
	want := []plan.Decision{
		{Verdict: plan.VerdictApprove, Hunks: []string{"h2"}, Who: "user", Client: "Helix"},
		{Verdict: plan.VerdictApprove, Path: "a.txt", Hunks: []string{"h3"}, Who: "user", Client: "Helix"},
		{Verdict: plan.VerdictApprove, Operation: "o1", Hunks: []string{"h1"}, Who: "approval.auto", Client: "Helix"},
		{Verdict: plan.VerdictApprove, Hunks: []string{"h4"}, Who: "user", Client: "Helix"},
		{Verdict: plan.VerdictUndo, Hunks: all, Who: "user", Client: "command line"},
		{Verdict: plan.VerdictReject, Hunks: all, Who: "user", Client: "Helix", Reason: "no"},
	}
	for i := range want {
		want[i].Plan, want[i].Revision, want[i].Hash = 1, 1, p.Hash
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(plan.Decision{}, "At"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	for i, d := range got {
		if d.At.IsZero() || i > 0 && d.At.Before(got[i-1].At) {
			t.Errorf("decision %d is of %s", i, d.At)
		}
	}
}
