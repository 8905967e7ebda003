package decide_test

import (
	"slices"
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

// figures is a plan of three files, of which the last will be refused.
func figures(t *testing.T) (*session, state.Plan) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": "two\n", "c.txt": "three\n"})
	return s, s.Plan("figures", edit("a.txt", "two", "2"), edit("a.txt", "eight", "8"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"))
}

// refuses makes the editor refuse c.txt. It makes the changes of other files on disk; then
// answers a second request for a file, which reverts the first.
func (s *session) refuses(then func(c edits.Change) (edits.Applied, bool)) {
	asked := map[string]bool{}
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		if c.Path == "c.txt" {
			return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "no"}, true
		}
		if asked[c.Path] {
			return then(c)
		}
		asked[c.Path] = true
		return edits.Applied{}, false
	}
}

func (s *session) wantApprovalSays(p state.Plan, want string) {
	s.t.Helper()
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.ApplyFailed)
	if err == nil || err.Error() != want {
		s.t.Errorf("the user reads\n%v, want\n%s", err, want)
	}
}

func (s *session) wantStatuses(want ...string) {
	s.t.Helper()
	var got []string
	for _, f := range s.PlanNow(1).Files {
		got = append(got, f.Status)
		for _, h := range f.Hunks {
			got = append(got, h.Status)
		}
	}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			s.t.Errorf("the files and hunks are %v, want %v", got, want)
			return
		}
	}
}

func TestWhatIsTakenBackLeavesWhatWasTypedMeanwhile(t *testing.T) {
	s, p := figures(t)
	typed := false
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		if c.Path == "c.txt" && !typed {
			typed = true
			s.Write("a.txt", "// typed\n"+replaceAll(nine, "two", "2!", "eight", "8"))
			s.Write("b.txt", "2\nmore\n")
		}
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "no"}, c.Path == "c.txt"
	}
	s.wantApprovalSays(p, "c.txt was not changed: no. Still changed, because it could not be taken back: a.txt (hunk h1).")
	s.WantFile("a.txt", "// typed\n"+replaceAll(nine, "two", "2!"))
	s.WantFile("b.txt", "two\nmore\n")
	s.wantStatuses("failed", "applied", "pending", "pending", "pending", "pending", "pending")
	if got := s.PlanNow(1).State; got != "failed" {
		t.Errorf("state %s, want failed", got)
	}
}

func TestATakeBackThatIsNeverAnswered(t *testing.T) {
	for _, c := range []struct {
		name    string
		then    func(s *session) func(edits.Change) (edits.Applied, bool)
		settled []string // after a restart
		text    string   // of b.txt
	}{
		{"and is made", func(s *session) func(edits.Change) (edits.Applied, bool) { return s.LandsUnanswered },
			[]string{"pending", "pending"}, "two\n"},
		{"and is not made", func(*session) func(edits.Change) (edits.Applied, bool) { return decidetest.Unanswered },
			[]string{"applied", "applied"}, "2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := figures(t)
			then := c.then(s)
			s.refuses(func(change edits.Change) (edits.Applied, bool) {
				if change.Path != "b.txt" {
					return edits.Applied{}, false
				}
				return then(change)
			})
			s.wantApprovalSays(p, "c.txt was not changed: no. It is not known whether b.txt was changed: look at it.")
			s.WantFile("a.txt", nine)
			s.WantFile("b.txt", c.text)
			if got := s.PlanNow(1).Files[1].Status; got != "applying" && c.text == "2\n" {
				t.Errorf("b.txt is %s, want applying", got)
			}
			s.Restart()
			s.wantStatuses(append(append([]string{"pending", "pending", "pending"}, c.settled...), "pending", "pending")...)
			if got := s.PlanNow(1).State; got == "executing" {
				t.Errorf("the plan is still %s", got)
			}
			s.WantNothingUnfinished()
		})
	}
}

func TestATakeBackThatIsRefusedNamesWhatStays(t *testing.T) {
	s, p := figures(t)
	s.refuses(func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "it is locked"}, c.Path == "a.txt"
	})
	s.wantApprovalSays(p, "c.txt was not changed: no. Still changed, because it could not be taken back: a.txt (hunks h1 and h2).")
	s.WantFile("b.txt", "two\n")
	s.wantStatuses("applied", "applied", "applied", "failed", "pending", "failed", "pending")
	s.Editor.OnApply = nil
	s.MustUndo(view.Request{Plan: 1})
	s.WantFile("a.txt", nine)
}

func TestAFileThatNobodyShowsInTheMiddle(t *testing.T) {
	s, p := figures(t)
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		switch c.Path {
		case "b.txt":
			return edits.Applied{Path: c.Path, Status: edits.Unverified, Reason: "nobody shows it"}, true
		case "c.txt":
			return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "no"}, true
		}
		return edits.Applied{}, false
	}
	s.wantApprovalSays(p, "c.txt was not changed: no. It is not known whether b.txt was changed: look at it.")
	s.WantFile("a.txt", nine)
	s.wantStatuses("pending", "pending", "pending", "unverified", "approved", "pending", "pending")
}

// While a file is reverted, its view has the text that is reverted, not an earlier one.
func TestTheViewOfAFileThatIsTakenBackHasItsText(t *testing.T) {
	s, p := figures(t)
	var texts []string
	s.refuses(func(c edits.Change) (edits.Applied, bool) {
		for _, f := range s.Board.Snapshot().Plans[0].Files {
			if f.Path == c.Path {
				texts = append(texts, f.Live.Text())
			}
		}
		return edits.Applied{}, false
	})
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.ApplyFailed)
	want := []string{"2\n", strings.NewReplacer("two", "2", "eight", "8").Replace(nine)}
	if !slices.Equal(texts, want) {
		t.Errorf("the views have %q, want %q", texts, want)
	}
	s.WantFile("a.txt", nine)
}

// The late outcome of an approval that was reverted is that of an approval: c.txt was never
// changed, and does not count as reverted.
func TestTheOutcomeOfATakeBackThatIsAnsweredLate(t *testing.T) {
	s, p := figures(t)
	s.Open("b.txt")
	s.refuses(func(c edits.Change) (edits.Applied, bool) {
		if c.Path != "b.txt" {
			return edits.Applied{}, false
		}
		return s.LandsUnanswered(c)
	})
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.ApplyFailed)
	s.Workspace.Saved(s.Workspace.URI("b.txt"), nil)
	o := s.awaitOutcome()
	if o.Verdict != plan.VerdictApprove || o.Changes != 0 || o.Left != 4 {
		t.Errorf("%+v, want an approval of nothing", o)
	}
}

// awaitOutcome waits for an event with the outcome of a decision.
func (s *session) awaitOutcome() (o state.Outcome) {
	s.t.Helper()
	s.Until("an event has an outcome", func() bool {
		events := s.Editor.Events()
		i := slices.IndexFunc(events, func(e state.Event) bool { return e.Outcome != nil })
		if i >= 0 {
			o = *events[i].Outcome
		}
		return i >= 0
	})
	return o
}

func TestAFileThatCannotBeTakenBackDoesNotKeepTheOthers(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	p := s.Plan("figures", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"))
	failed := false
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		failed = failed || c.Path == "c.txt"
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "no"}, c.Path == "c.txt" || failed && c.Path == "a.txt"
	}
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.ApplyFailed)
	s.WantFile("b.txt", "two\n")
	if want := "c.txt was not changed: no. Still changed, because it could not be taken back: a.txt (hunk h1)."; err.Error() != want {
		t.Errorf("the user reads %q, want %q", err, want)
	}
	after, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	if err != nil || after.State != "completed" || after.Files[2].Status != "rejected" {
		t.Errorf("rejecting the rest: %v, %s, %s", err, after.State, after.Files[2].Status)
	}
}
