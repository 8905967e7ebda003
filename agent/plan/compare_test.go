package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
)

// session is a session whose revisions are compared.
type session struct {
	*decidetest.Session
	t *testing.T
}

func newSession(t *testing.T, files map[string]string) *session {
	t.Helper()
	return &session{decidetest.New(t, files), t}
}

const nine = decidetest.Nine

func edit(path, old, new string) decidetest.Call { return decidetest.Edit(path, old, new) }

func call(tool string, args map[string]any) decidetest.Call { return decidetest.NewCall(tool, args) }

// compareRevisions compares two revisions of plan 1.
func (s *session) compareRevisions(from, to int) (plan.Comparison, error) {
	return plan.Compare(s.Board.Held(1).Plan(), from, to, s.Store.Texts(s.Context()))
}

// compare returns how two revisions of plan 1 differ, as lines.
func (s *session) compare(from, to int) string {
	s.t.Helper()
	c, err := s.compareRevisions(from, to)
	if err != nil {
		s.t.Fatal(err)
	}
	rows := c.Operations
	for _, f := range c.Files {
		if len(f.NoPlace) > 0 {
			rows = append(rows, f.Path+" has no place for "+strings.Join(f.NoPlace, ", "))
		}
		rows = append(rows, strings.Split(strings.TrimSuffix(f.Diff, "\n"), "\n")...)
	}
	return strings.Join(rows, "\n")
}

func (s *session) wantComparison(from, to int, want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(strings.Join(want, "\n"), s.compare(from, to)); diff != "" {
		s.t.Errorf("revisions %d..%d (-want +got):\n%s", from, to, diff)
	}
}

func TestCompareAcrossWhatWasTyped(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": "b\n"})
	s.Plan("figures", edit("a.txt", "two", "2"), edit("a.txt", "eight", "8"), edit("b.txt", "b", "B"),
		call("run_command", map[string]any{"command": "make\n  test"}))
	s.Open("a.txt")
	s.TypeAt("a.txt", "one", "typed\n")
	s.TypeAt("a.txt", "five", "typed too\n")
	s.Rework(edit("a.txt", "nine", "9"), call("run_command", map[string]any{"command": "go vet"}))

	// Typing is in neither direction.
	s.wantComparison(1, 2,
		"added: o5 edit_file a.txt", "added: o6 run_command go vet",
		"--- a/a.txt", "+++ b/a.txt", "@@ -8,4 +8,4 @@", " six", " seven", " 8", "-nine", "+9")
	s.wantComparison(2, 1,
		"removed: o5 edit_file a.txt", "removed: o6 run_command go vet",
		"--- a/a.txt", "+++ b/a.txt", "@@ -6,4 +6,4 @@", " six", " seven", " 8", "-9", "+nine")
	s.wantComparison(2, 2)

	s.MustStage(decide.Staging{Remove: []string{"o3"}})
	s.MustStage(decide.Staging{Remove: []string{"o4"}})
	s.wantComparison(2, 4,
		"removed: o3 edit_file b.txt", "removed: o4 run_command make⟨U+000A⟩ test",
		"--- a/b.txt", "+++ b/b.txt", "@@ -1 +1 @@", "-B", "+b")
}

func TestCompareNamesWhatHasNoPlace(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.Plan("figures", edit("a.txt", "two", "2"), edit("a.txt", "eight", "8"))
	s.Open("a.txt")
	s.TypeAt("a.txt", "wo\n", "x")
	s.Rework(edit("a.txt", "nine", "9"))
	s.wantComparison(1, 2,
		"added: o3 edit_file a.txt", "a.txt has no place for h1",
		"--- a/a.txt", "+++ b/a.txt", "@@ -6,4 +6,4 @@", " six", " seven", " 8", "-nine", "+9")
}

func TestCompareWhatWasApplied(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": "b\n", "gone.txt": "g\n", "old.txt": "o\n"})
	s.Plan("figures", edit("a.txt", "two", "2"), edit("b.txt", "b", "B"), call("delete_file", map[string]any{"path": "gone.txt"}),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}),
		call("write_file", map[string]any{"path": "c.txt", "content": "c\n"}))
	s.MustApprove(view.Request{Plan: 1, Paths: []string{"a.txt", "gone.txt", "old.txt", "c.txt"}})
	// The next revision starts from the applied changes, so they are no difference.
	s.Rework(edit("new.txt", "o", "O"), edit("c.txt", "c", "C"))
	s.wantComparison(1, 2,
		"added: o6 edit_file new.txt", "added: o7 edit_file c.txt",
		"--- a/new.txt", "+++ b/new.txt", "@@ -1 +1 @@", "-o", "+O",
		"--- a/c.txt", "+++ b/c.txt", "@@ -1 +1 @@", "-c", "+C")
	// Nor are they in the other direction.
	s.wantComparison(2, 1,
		"removed: o6 edit_file new.txt", "removed: o7 edit_file c.txt",
		"--- a/c.txt", "+++ b/c.txt", "@@ -1 +1 @@", "-C", "+c",
		"--- a/new.txt", "+++ b/new.txt", "@@ -1 +1 @@", "-O", "+o")
}

func TestCompareFilesThatComeAndGo(t *testing.T) {
	s := newSession(t, map[string]string{"gone.txt": "g\n", "old.txt": "o\n"})
	s.Plan("files", call("delete_file", map[string]any{"path": "gone.txt"}),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}),
		call("write_file", map[string]any{"path": "c.txt", "content": "c\n"}))
	s.MustStage(decide.Staging{Clear: true})
	s.wantComparison(1, 2,
		"removed: o1 delete_file gone.txt", "removed: o2 rename_file old.txt", "removed: o3 write_file c.txt",
		"--- /dev/null", "+++ b/gone.txt", "@@ -0,0 +1 @@", "+g",
		"diff --git a/new.txt b/old.txt", "similarity index 100%", "rename from new.txt", "rename to old.txt",
		"--- a/c.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-c")
	s.wantComparison(2, 1,
		"added: o1 delete_file gone.txt", "added: o2 rename_file old.txt", "added: o3 write_file c.txt",
		"--- a/gone.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-g",
		"diff --git a/old.txt b/new.txt", "similarity index 100%", "rename from old.txt", "rename to new.txt",
		"--- /dev/null", "+++ b/c.txt", "@@ -0,0 +1 @@", "+c")
	_, err := s.compareRevisions(1, 3)
	s.WantRefused(err, plan.Invalid)
}

// That a new file becomes a program is a difference, although its text stays.
func TestCompareWhetherAFileIsExecutable(t *testing.T) {
	s := newSession(t, nil)
	creates := func(mode string) decidetest.Call {
		return call("apply_patch", map[string]any{"patch": "diff --git a/run b/run\nnew file mode " + mode + "\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+echo\n"})
	}
	s.Plan("a script", creates("100644"))
	s.Rework(call("delete_file", map[string]any{"path": "run"}), creates("100777"))
	s.wantComparison(1, 2, "removed: o1 apply_patch run", "added: o2 delete_file run", "added: o3 apply_patch run", "diff --git a/run b/run", "old mode 100644", "new mode 100755")
	s.wantComparison(2, 1, "removed: o2 delete_file run", "removed: o3 apply_patch run", "added: o1 apply_patch run", "diff --git a/run b/run", "old mode 100755", "new mode 100644")
	s.MustStage(decide.Staging{Clear: true})
	s.wantComparison(3, 2, "added: o2 delete_file run", "added: o3 apply_patch run",
		"diff --git a/run b/run", "new file mode 100755", "--- /dev/null", "+++ b/run", "@@ -0,0 +1 @@", "+echo")
}

// The two sides of a file differ by what the comparison tells of it, whatever was typed between.
func TestSidesAcrossWhatWasTyped(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n", "secret.txt": "no\n"})
	s.Plan("figures", edit("a.txt", "one", "1"), edit("b.txt", "b", "B"))
	s.Open("a.txt")
	s.TypeAt("a.txt", "two", "typed\n")
	s.Rework(edit("a.txt", "two", "2"))
	s.MustStage(decide.Staging{Remove: []string{"o2"}})
	p, text := s.Board.Held(1).Plan(), s.Store.Texts(s.Context())
	for _, c := range []struct {
		from, to int
		path     string
		was, is  plan.Side
	}{
		{1, 2, "a.txt", plan.Side{Path: "a.txt", Text: "1\ntyped\ntwo\n", Exists: true}, plan.Side{Path: "a.txt", Text: "1\ntyped\n2\n", Exists: true}},
		{2, 1, "a.txt", plan.Side{Path: "a.txt", Text: "1\n2\n", Exists: true}, plan.Side{Path: "a.txt", Text: "1\ntwo\n", Exists: true}},
		{2, 3, "b.txt", plan.Side{Path: "b.txt", Text: "B\n", Exists: true}, plan.Side{Path: "b.txt", Text: "b\n", Exists: true}},
	} {
		was, is, err := plan.Sides(p, c.from, c.to, c.path, text)
		if err != nil || was != c.was || is != c.is {
			t.Errorf("%s in %d and %d is %+v and %+v, %v", c.path, c.from, c.to, was, is, err)
		}
	}
	_, _, err := plan.Sides(p, 1, 2, "secret.txt", text)
	s.WantRefused(err, plan.NotAllowed)
	_, _, err = plan.Sides(p, 1, 9, "a.txt", text)
	s.WantRefused(err, plan.Invalid)
}

// A revision by itself leaves its own text in the files that it touches, and in those that only
// others touch the text that they are made from.
func TestARevisionByItself(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "gone.txt": "g\n", "old.txt": "o\n", "secret.txt": "no\n"})
	s.Plan("figures", edit("a.txt", "one", "1"))
	s.Rework(call("delete_file", map[string]any{"path": "gone.txt"}), call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}))
	s.MustStage(decide.Staging{Clear: true})
	p, text := s.Board.Held(1).Plan(), s.Store.Texts(s.Context())
	for _, c := range []struct {
		revision int
		path     string
		want     plan.Side
	}{
		{1, "a.txt", plan.Side{Path: "a.txt", Text: "1\n", Exists: true}},
		{1, "gone.txt", plan.Side{Path: "gone.txt", Text: "g\n", Exists: true}},
		{2, "gone.txt", plan.Side{Path: "gone.txt"}},
		{2, "old.txt", plan.Side{Path: "new.txt", Text: "o\n", Exists: true}},
		{2, "new.txt", plan.Side{Path: "new.txt", Text: "o\n", Exists: true}},
		{3, "a.txt", plan.Side{Path: "a.txt", Text: "one\n", Exists: true}},
	} {
		if got, err := plan.SideIn(p, c.revision, c.path, text); err != nil || got != c.want {
			t.Errorf("%s in revision %d is %+v, %v, want %+v", c.path, c.revision, got, err, c.want)
		}
	}
	_, err := plan.SideIn(p, 1, "secret.txt", text)
	s.WantRefused(err, plan.NotAllowed)
	_, err = plan.SideIn(p, 4, "a.txt", text)
	s.WantRefused(err, plan.Invalid)
}
