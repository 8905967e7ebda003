package decide_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

// checked is a session with a plan of two edits, and a file that the plan breaks. report makes language servers report
// on the plan as it is now.
func checked(t *testing.T) (s *session, report func() *plan.Problems) {
	s = newSession(t, map[string]string{"sum.go": "package sum\n\n// é𝄞\nfunc Sum() int { return 1 }\n\nvar a = 1\n", "main.go": "package sum\n\nvar é𝄞 = Sum()\n", "open.txt": "x\n"})
	s.Plan("rename Sum", edit("sum.go", "func Sum", "// Total is a sum.\nfunc Total"), edit("sum.go", "a = 1", "a = x"))
	place := func(line, column int) plan.Place { return plan.Place{Line: line, Column: column} }
	return s, func() *plan.Problems {
		t.Helper()
		p := &plan.Problems{
			Added: []plan.Problem{
				{Path: "sum.go", Range: plan.Range{Start: place(6, 8), End: place(6, 9)}, Severity: plan.SeverityError, Message: "undefined: x", Source: "compiler", Code: "UndeclaredName"},
				{Path: "main.go", Range: plan.Range{Start: place(2, 13), End: place(2, 16)}, Severity: plan.SeverityError, Message: "undefined: Sum", Source: "compiler", Code: "UndeclaredName"},
			},
			Fixed: 1, Checked: []plan.Checked{{Language: "go", Server: "gopls", State: plan.CheckedAll}},
		}
		v := s.Board.View(s.Board.Held(1))
		texts := view.UnsavedTexts(s.Workspace).WithPlan(v)
		basis := view.BasisOf(v, texts, time.Time{})
		basis.Reads = []string{".go"}
		disk, err := workspace.Fingerprint(s.Context(), s.Workspace, basis.DependsOn)
		s.Must(err)
		began := time.Now() // what changes from now on is compared with what was read
		p.Basis.Disk, p.Basis.Reads = disk, basis.Reads
		s.Must(s.Board.AddProblems(s.Context(), v, texts, began, p))
		return p
	}
}

func said(p state.Plan) string {
	if p.Problems == nil {
		return "not known"
	}
	var lines []string
	for _, one := range p.Problems.Added {
		lines = append(lines, one.Path+": "+one.Message)
	}
	return strings.Join(lines, "; ")
}

const bothErrors = "main.go: undefined: Sum; sum.go: undefined: x"

// What language servers report is a part of the plan's state while it is about the texts that the plan would leave: also
// after a restart, and not once the user has typed or decided otherwise.
func TestProblemsAreThoseOfTheTexts(t *testing.T) {
	s, report := checked(t)
	want := func(when, what string) {
		t.Helper()
		if got := said(s.PlanNow(1)); got != what {
			t.Errorf("%s: %s, want %s", when, got, what)
		}
	}
	want("before anything is known", "not known")
	report()
	want("with a report", bothErrors)
	s.Restart()
	want("after a restart", bothErrors)
	s.Write("other.go", "package sum\n")
	want("after a change that nobody has reported", bothErrors)
	s.Restart()
	want("after a change and a restart", "not known")
	report()

	s.Open("open.txt")
	s.TypeAt("open.txt", "x", "y")
	want("after typing", "not known")
	s.Replace("open.txt", "yx", "x")
	s.Save("open.txt")
	want("after the old text is back", bothErrors)

	s.MustApprove(view.Request{Plan: 1, Hunks: []string{"h1"}})
	want("with a part approved", bothErrors) // the texts that the plan leads to are the same
	s.Restart()
	want("with a part approved, after a restart", bothErrors)
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hunks: []string{"h2"}}); err != nil {
		t.Fatal(err)
	}
	want("with the other part rejected", "not known")
}

// A report on a revision that is not the current one is dropped, and one that is known already is not announced again.
func TestProblemsOfAnotherRevision(t *testing.T) {
	s, report := checked(t)
	before := s.Board.View(s.Board.Held(1))
	report()
	report()
	events := s.Editor.Events(state.ProblemsFound)
	if len(events) != 1 || events[0].PlanNumber != 1 || events[0].Conversation == "" || events[0].Plan == nil || said(*events[0].Plan) != bothErrors {
		t.Fatalf("the events are %+v", events)
	}
	s.Rework(edit("main.go", "Sum()", "Total()"))
	if got := said(s.PlanNow(1)); got != "not known" {
		t.Errorf("the new revision has the problems of the old one: %s", got)
	}
	s.Must(s.Board.AddProblems(s.Context(), before, view.UnsavedTexts(s.Workspace).WithPlan(before), time.Now(), &plan.Problems{Fixed: 7}))
	if got, events := said(s.PlanNow(1)), s.Editor.Events(state.ProblemsFound); got != "not known" || len(events) != 1 {
		t.Errorf("a late report has become %s, with %d events", got, len(events))
	}
}

// What is before a problem in its line is known, so that columns can be counted in other units than bytes.
func TestLinesOfProblems(t *testing.T) {
	s, report := checked(t)
	report()
	added := s.PlanNow(1).Problems.Added
	want := plan.Range{Start: plan.Place{Line: 2, Column: 13}, End: plan.Place{Line: 2, Column: 16}, BeforeStart: "var é𝄞 = ", BeforeEnd: "var é𝄞 = Sum"}
	if diff := cmp.Diff(want, added[0].In); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if at := added[1].In; at.BeforeStart != "" {
		t.Errorf("a line in ASCII is kept: %+v", at)
	}
}

// A preview says what is reported once it is known, also one that is open; the user's own stays.
func TestPreviewSaysTheProblems(t *testing.T) {
	s, report := checked(t)
	const page = ".redline/plans/0001-r1.md"
	written := make(chan struct{}, 1)
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		defer func() { written <- struct{}{} }()
		return s.InBuffer(c)
	}
	s.Open(page)
	report()
	select {
	case <-written:
	case <-s.Context().Done():
		t.Fatal("the open preview was not written")
	}
	if now := s.Text(page); !strings.Contains(now, "## Problems\n\nWith all of these edits, as they were when this page was written: adds 2 errors, fixes 1.\n\n- main.go:3: error: `undefined: Sum` (`compiler UndeclaredName`)\n- sum.go:7: ") {
		t.Errorf("the preview is\n%s", now)
	}
	if asked := len(s.Editor.Asked()); asked != 1 {
		t.Errorf("the editor was asked %d times", asked)
	}
}

// A file that is saved with the text that it had, or only has another time, makes no report out of date: in the
// session, and in the next one. One byte does.
func TestASaveOfTheSameTextKeepsAReport(t *testing.T) {
	for _, c := range []struct{ name, more, want string }{{"the same text", "", bothErrors}, {"another byte", "\n", "not known"}} {
		t.Run(c.name, func(t *testing.T) {
			s, report := checked(t)
			report()
			s.Write("main.go", s.Read("main.go")+c.more)
			s.Must(os.Chtimes(filepath.Join(s.Dir, "main.go"), time.Now(), time.Now().Add(time.Hour)))
			s.Workspace.ChangedOnDisk([]string{"main.go"}, time.Now())
			if got := said(s.PlanNow(1)); got != c.want {
				t.Errorf("after the save: %s, want %s", got, c.want)
			}
			s.Restart()
			if got := said(s.PlanNow(1)); got != c.want {
				t.Errorf("after the save and a restart: %s, want %s", got, c.want)
			}
		})
	}
}

// A report that the servers make again, after a file has changed, holds again.
func TestTheSameReportHoldsAgain(t *testing.T) {
	s, report := checked(t)
	report()
	s.Workspace.ChangedOnDisk([]string{"other.go"}, time.Now())
	if got := said(s.PlanNow(1)); got != "not known" {
		t.Fatalf("after a change: %s", got)
	}
	report()
	if got := said(s.PlanNow(1)); got != bothErrors {
		t.Errorf("after the second check: %s", got)
	}
}
