package decide_test

import (
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/view"
)

// previewed is a session with a plan of three edits in two files, and its preview.
func previewed(t *testing.T) (s *session, name, text string) {
	s = newSession(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n", "b.txt": "red\n"})
	s.Plan("figures", edit("a.txt", "one", "1"), edit("a.txt", "seven", "7"), edit("b.txt", "red", "green"))
	return s, "plans/0001-r1.md", s.Preview("0001-r1.md")
}

// An edited preview becomes a revision by the user. Unchanged hunks keep their ids and the
// decisions on them.
func TestEditedPreviewIsARevision(t *testing.T) {
	s, name, text := previewed(t)
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hunks: []string{"h2"}}); err != nil {
		t.Fatal(err)
	}
	before := s.PlanNow(1)
	p := s.edited(name, decidetest.ReplaceIn(t, text, "+green", "+blue\n+and more"))
	last := p.Revisions[len(p.Revisions)-1]
	if last.Revision != 2 || last.Parent != 1 || last.Author != "user" || p.Hash == before.Hash || p.State != "awaiting_approval" {
		t.Errorf("%+v in %s", last, p.State)
	}
	var hunks []string
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			hunks = append(hunks, h.ID+" "+h.Status)
		}
	}
	if got := strings.Join(hunks, ", "); got != "h1 pending, h2 rejected, h4 pending" {
		t.Errorf("hunks %s", got)
	}
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: before.Hash})
	s.WantRefused(err, plan.HashMismatch)
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("a.txt", "1\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	s.WantFile("b.txt", "blue\nand more\n")
}

// A preview that is read twice makes one revision. A further change of it is refused as outdated.
func TestOutdatedPreview(t *testing.T) {
	s, name, text := previewed(t)
	text = decidetest.ReplaceIn(t, text, "- [x] edit b.txt", "- [ ] edit b.txt")
	s.edited(name, text)
	for _, c := range []struct {
		text     string
		problems int
	}{{text, 0}, {decidetest.ReplaceIn(t, text, "- [ ] edit b.txt", "- [x] edit b.txt"), 0}, {decidetest.ReplaceIn(t, text, "- [x] edit a.txt, 1", "- [ ] edit a.txt, 1"), 1}} {
		read, err := s.EditPreview(s.Context(), name, c.text)
		if err != nil || read.Revision != 0 || len(read.Problems) != c.problems {
			t.Errorf("%+v %v", read, err)
		}
		if c.problems > 0 && !strings.Contains(read.Problems[0].Reason, "is of revision 1, and revision 2 is the newest") {
			t.Errorf("%+v", read.Problems)
		}
	}
	if p := s.PlanNow(1); p.Revision != 2 {
		t.Errorf("revision %d", p.Revision)
	}
	if s.Preview("0001-r1.md") == s.Preview("0001-r2.md") {
		t.Error("the second revision's preview is the first's")
	}
}

// Redline's own writing is not taken for an edit, even by a later session and after decisions
// that the preview shows.
func TestWrittenPreviewIsNoEdit(t *testing.T) {
	s, _, text := previewed(t)
	s.Restart()
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hunks: []string{"h3"}}); err != nil {
		t.Fatal(err)
	}
	if got := s.Preview("0001-r1.md"); !strings.Contains(got, "- [x] edit b.txt (+1 −1) · rejected\n") {
		t.Errorf("the preview is\n%s", got)
	}
	s.Write(".redline/plans/0001-r1.md", text) // as it was before that
	s.Restart()
	s.MustApprove(view.Request{Plan: 1})
	s.End() // waits for what is still being written
	if p := s.Preview("0001-r1.md"); !strings.Contains(p, "- [x] edit a.txt, 1 of 2 · applied\n") {
		t.Errorf("the preview is\n%s", p)
	}
	s.WantFile("a.txt", "1\ntwo\nthree\nfour\nfive\nsix\n7\n")
}

// A preview that is open or was edited by the user is not overwritten.
func TestPreviewOfTheUserStays(t *testing.T) {
	s, _, text := previewed(t)
	own := decidetest.ReplaceIn(t, text, "- [x] edit a.txt, 1", "- [ ] edit a.txt, 1")
	s.Write(".redline/plans/0001-r1.md", own)
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hunks: []string{"h3"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Previews.OpenPlan(s.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := s.Preview("0001-r1.md"); got != own {
		t.Errorf("the user's preview was written over:\n%s", got)
	}
	s.Write(".redline/plans/0001-r1.md", text)
	s.Open(".redline/plans/0001-r1.md")
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hunks: []string{"h2"}}); err != nil {
		t.Fatal(err)
	}
	if got := s.Preview("0001-r1.md"); got != text {
		t.Errorf("an open preview was written over:\n%s", got)
	}
}

// An open preview is rewritten after a trial, and no decision waits for it to be saved. One that the
// user has edited stays.
func TestOpenPreviewAfterATrial(t *testing.T) {
	s, _, text := previewed(t)
	const page = ".redline/plans/0001-r1.md"
	tried := func() {
		t.Helper()
		if _, err := s.Board.AddTrial(s.Context(), s.Board.Held(1), plan.Trial{Command: "make check", ExitCode: new(0)}); err != nil {
			t.Fatal(err)
		}
		s.Previews.RefreshShown(s.Board.Held(1))
	}
	s.Editor.OnApply = s.InBuffer
	s.Open(page)
	tried()
	if now := s.Text(page); !strings.Contains(now, "- `make check`: passed") || preview.WithoutBeside(now) != text {
		t.Errorf("the preview is\n%s", now)
	}
	if unsaved := s.Workspace.Unsaved(); len(unsaved) > 0 {
		t.Errorf("decisions elsewhere wait for %q", unsaved)
	}
	s.Retype(page, strings.ReplaceAll(text, "\n", "\r\n"))
	s.Save(page)
	tried()
	if now := s.Text(page); strings.ReplaceAll(preview.WithoutBeside(now), "\r\n", "\n") != text || strings.Count(now, "\n") != strings.Count(now, "\r\n") {
		t.Errorf("the preview is %q", now)
	}
	s.TypeAt(page, "- [x] edit a.txt, 1", "\n")
	edited := s.Text(page)
	tried()
	if now := s.Text(page); now != edited {
		t.Errorf("the user's preview is\n%s", now)
	}
}

// An approval is refused until the preview says what it would do.
func TestApprovalReadsThePreview(t *testing.T) {
	s, _, text := previewed(t)
	file := ".redline/plans/0001-r1.md"
	s.Open(file)
	s.TypeAt(file, "+green", "+dark\n")
	_, err := s.Approve(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.UnsavedPreview)
	b, _ := s.Workspace.Buffer(file)
	s.Workspace.Close(b.URI)

	s.Write(file, decidetest.ReplaceIn(t, text, "+green", "+green\nno line of a diff"))
	_, err = s.Approve(s.Context(), view.Request{Plan: 1, Hunks: []string{"h1"}})
	s.WantRefused(err, plan.Invalid)
	s.WantFile("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")

	s.Write(file, decidetest.ReplaceIn(t, text, "- [x] edit a.txt, 1", "- [ ] edit a.txt, 1"))
	_, err = s.Approve(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.HashMismatch)
	if err == nil || !strings.Contains(err.Error(), "it is revision 2 now") {
		t.Errorf("got %v", err)
	}
	if len(s.Editor.Asked()) > 0 {
		t.Error("something was changed by a refused approval")
	}
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n7\n")
	s.WantFile("b.txt", "green\n")
}

// An edit of the preview of a plan that cannot be revised is refused.
func TestEditedPreviewOfADonePlan(t *testing.T) {
	s, name, text := previewed(t)
	s.MustApprove(view.Request{Plan: 1})
	for _, c := range []struct{ text, want string }{
		{decidetest.ReplaceIn(t, text, "- [x] edit a.txt, 1", "- [ ] edit a.txt, 1"), "cannot be revised"},
		{decidetest.ReplaceIn(t, text, "# Plan 1", "# Plan 2"), "The first line must be as it was"},
		{"", "The first line must be as it was"},
	} {
		read, err := s.EditPreview(s.Context(), name, c.text)
		if err != nil || len(read.Problems) != 1 || !strings.Contains(read.Problems[0].Reason, c.want) {
			t.Errorf("%+v %v, want %q", read, err, c.want)
		}
	}
	if read, err := s.EditPreview(s.Context(), "plans/0009-r1.md", "# Plan 9, revision 1\n"); err != nil || len(read.Problems) != 1 {
		t.Errorf("%+v %v", read, err)
	}
	if read, err := s.EditPreview(s.Context(), "chat.md", "x"); err != nil || len(read.Problems) != 0 {
		t.Errorf("%+v %v", read, err)
	}
}

// The preview of a plan is rewritten when the outcome of a decision is known, also if the editor has
// not answered in time, and not while the decision is being carried out.
func TestPreviewFollowsALateOutcome(t *testing.T) {
	s, _, text := previewed(t)
	s.Editor.OnApply = s.LandsUnanswered
	s.MustApprove(view.Request{Plan: 1})
	if got := s.Preview("0001-r1.md"); got != text {
		t.Errorf("it was rewritten too early:\n%s", got)
	}
	s.Board.Reconciler.Answered("a.txt")
	s.AwaitState(1, "reviewing") // an editor that does not answer is asked for one file
	s.Until("the preview has the outcome", func() bool {
		return s.Preview("0001-r1.md") != text
	})
}
