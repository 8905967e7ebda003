package preview

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
)

// If the user removes the block of one hunk, the others keep their ids and texts.
func TestAdjacentHunksAreKept(t *testing.T) {
	base := "a\nb\nc\nd\n"
	proposed := "A\nB\nc\nx\nd\n"
	s := sampleOf(func(b texts) plan.Revision {
		c := b.change(plan.Update, "f", "", base, proposed, "o1", "o2", "o3")
		c.Hunks = plan.HunksOf(blame.Areas{
			{Old: edits.Span{Start: 0, End: 2}, New: edits.Span{Start: 0, End: 2}},
			{Old: edits.Span{Start: 2, End: 4}, New: edits.Span{Start: 2, End: 4}},
			{Old: edits.Span{Start: 6, End: 6}, New: edits.Span{Start: 6, End: 8}},
		}, base, proposed)
		for i, id := range []string{"o1", "o2", "o3"} {
			c.Hunks[i].Operations = []string{id}
		}
		return plan.Revision{
			Operations: []plan.Operation{op("o1", "", "edit_file", "f"), op("o2", "", "edit_file", "f"), op("o3", "", "edit_file", "f")},
			Changes:    []plan.Change{c},
		}
	})
	page := s.page()
	s.plan.Progress.MarkHunk("h1", plan.HunkRejected, "no")
	r := s.revise(t, strings.Replace(page, "+B\n", "+Bee\n+and more\n", 1))
	checkHunks(t, s, r)
	if got := hunkIDs(r); got != "h1 h4 h3" {
		t.Errorf("hunks %s", got)
	}
	if got := s.texts.of(r.Changes[0].Proposed); got != "A\nBee\nand more\nc\nx\nd\n" {
		t.Errorf("got %q", got)
	}
	// o2 made nothing else: an operation of the user's own takes its place.
	if got := operationIDs(r); got != "o1 o3 o21" {
		t.Errorf("operations %s", got)
	}
	own, _ := r.Operation("o21")
	if want := `{"patch":"--- a/f\n+++ b/f\n@@ -1,5 +1,6 @@\n A\n-b\n+Bee\n+and more\n c\n x\n d\n"}`; own.Tool != "apply_patch" || string(own.Args) != want {
		t.Errorf("%s %s, want %s", own.Tool, own.Args, want)
	}
	if _, h, _ := r.Hunk("h4"); len(h.Operations) != 1 || h.Operations[0] != "o21" {
		t.Errorf("%+v", h)
	}
}

func hunkIDs(r *plan.Revision) string {
	var ids []string
	for _, c := range r.Changes {
		for _, h := range c.Hunks {
			ids = append(ids, h.ID)
		}
	}
	return strings.Join(ids, " ")
}

func operationIDs(r *plan.Revision) string {
	var ids []string
	for _, o := range r.Operations {
		ids = append(ids, o.ID)
	}
	return strings.Join(ids, " ")
}

// Possible changes, and their results.
func TestRevise(t *testing.T) {
	for name, c := range map[string]struct {
		pairs      []string // of old and new text in the page
		operations string
		hunks      string
		check      func(*testing.T, *sample, *plan.Revision)
	}{
		"an operation": {[]string{"- [x] edit b.txt, 1", "- [ ] edit b.txt, 1"}, "o1 o2 o3 o4 o6 o7 o8", "h1 h2 h3 h5", func(t *testing.T, s *sample, r *plan.Revision) {
			if got := s.texts.of(r.Changes[3].Proposed); strings.Contains(got, "row 4") || !strings.Contains(got, "30½") {
				t.Errorf("got %q", got)
			}
		}},
		"a deletion": {[]string{"- [x] delete gone", "- [ ] delete gone"}, "o1 o2 o3 o5 o6 o7 o8", "h1 h2 h4 h5", nil},
		"the edit of a moved file": {[]string{"- [x] edit new.txt", "- [ ] edit new.txt"}, "o1 o3 o4 o5 o6 o7 o8", "h2 h3 h4 h5", func(t *testing.T, s *sample, r *plan.Revision) {
			if c := r.Changes[0]; c.Action != plan.Rename || c.Base != c.Proposed || len(c.Hunks) != 0 {
				t.Errorf("%+v", c)
			}
		}},
		"a command": {[]string{"- [x] Command 1", "- [ ] Command 1"}, "o1 o2 o3 o4 o5 o6 o8", "h1 h2 h3 h4 h5", nil},
		"a step": {[]string{"- [x] Step 2", "- [ ] Step 2"}, "o1 o2 o3 o4 o5 o6", "h1 h2 h3 h4 h5", func(t *testing.T, s *sample, r *plan.Revision) {
			if len(r.Steps) != 1 {
				t.Errorf("%+v", r.Steps)
			}
		}},
		"a step that others come after": {[]string{"- [x] Step 1", "- [ ] Step 1"}, "o7 o8", "", func(t *testing.T, s *sample, r *plan.Revision) {
			if len(r.Steps) != 1 || len(r.Steps[0].DependsOn) != 0 {
				t.Errorf("%+v", r.Steps)
			}
		}},
		"the text of a command": {[]string{"  go test ./...\n", "  go vet ./... &&\n  go test ./...\n"}, "o1 o2 o3 o4 o5 o6 o21 o8", "h1 h2 h3 h4 h5", func(t *testing.T, s *sample, r *plan.Revision) {
			o, _ := r.Operation("o21")
			if o.Command != "go vet ./... &&\ngo test ./..." || string(o.Args) != `{"command":"go vet ./... \u0026\u0026\ngo test ./...","cwd":"sub","timeout_seconds":30}` || o.Step != "s2" {
				t.Errorf("%+v %s", o, o.Args)
			}
		}},
		"the description": {[]string{"> - first\n", "> - first of all\n>\n"}, "o1 o2 o3 o4 o5 o6 o7 o8", "h1 h2 h3 h4 h5", func(t *testing.T, s *sample, r *plan.Revision) {
			if r.Description != "Move things.\n\n- first of all\n\n- second\u202e" {
				t.Errorf("%q", r.Description)
			}
		}},
		"a line of a file that is created": {[]string{"+x\n", "+x\n+z\n"}, "o1 o2 o21 o4 o5 o6 o7 o8", "h1 h6 h3 h4 h5", func(t *testing.T, s *sample, r *plan.Revision) {
			o, _ := r.Operation("o21")
			if o.Tool != "write_file" || string(o.Args) != `{"content":"x\nz\ny","path":"new/c.txt"}` || o.Path != "new/c.txt" {
				t.Errorf("%+v %s", o, o.Args)
			}
		}},
		"a line of a file that is moved": {[]string{"+c\n", "+see\n"}, "o1 o21 o3 o4 o5 o6 o7 o8", "h6 h2 h3 h4 h5", func(t *testing.T, s *sample, r *plan.Revision) {
			o, _ := r.Operation("o21")
			if c := r.Changes[0]; o.Path != "new.txt" || !slices.Equal(c.Movers(), []string{"o1"}) || s.texts.of(c.Proposed) != "a\nsee\n" {
				t.Errorf("%+v %+v", o, c)
			}
		}},
		"a line that stays goes": {[]string{" line 7\n", "-line 7\n"}, "o1 o2 o3 o4 o5 o6 o21 o7 o8", "h1 h2 h3 h4 h6 h5", nil},
		"a block is taken away": {[]string{"@@ -28,6 +28,7 @@ h5\n line 28\n line 29\n line 30\n+line 30½\n line 31\n line 32\n line 33\n", ""},
			"o1 o2 o3 o4 o5 o7 o8", "h1 h2 h3 h4", nil},
		"what goes stays": {[]string{"-line 4\n+row 4\n", " line 4\n"}, "o1 o2 o3 o4 o6 o7 o8", "h1 h2 h3 h5", nil},
		"another order": {[]string{"  - [x] write new/c.txt (+2 −0)\n", "", "  - [x] edit b.txt, 1 of 2\n", "  - [x] edit b.txt, 1 of 2\n  - [x] write new/c.txt (+2 −0)\n"},
			"o1 o2 o4 o5 o3 o6 o7 o8", "h1 h3 h4 h5 h2", nil},
		"another step": {[]string{"  - [x] edit b.txt, 2 of 2\n", "", "  After: step 1\n", "  After: step 1\n  - [x] edit b.txt, 2 of 2\n"},
			"o1 o2 o3 o4 o5 o6 o7 o8", "h1 h2 h3 h4 h5", func(t *testing.T, s *sample, r *plan.Revision) {
				if o, _ := r.Operation("o6"); o.Step != "s2" {
					t.Errorf("%+v", o)
				}
			}},
	} {
		revised := func(t *testing.T, pageOf func(*sample) string) {
			s := everything()
			before := s.revision().Hash
			page := pageOf(s)
			for i := 0; i < len(c.pairs); i += 2 {
				if !strings.Contains(page, c.pairs[i]) {
					t.Fatalf("no %q in\n%s", c.pairs[i], page)
				}
				page = strings.Replace(page, c.pairs[i], c.pairs[i+1], 1)
			}
			r := s.revise(t, page)
			checkHunks(t, s, r)
			if got := operationIDs(r); got != c.operations {
				t.Errorf("operations %s, want %s", got, c.operations)
			}
			if got := hunkIDs(r); got != c.hunks {
				t.Errorf("hunks %s, want %s", got, c.hunks)
			}
			if r.Hash == before || r.Parent != 1 {
				t.Errorf("%+v", r)
			}
			if c.check != nil {
				c.check(t, s, r)
			}
			if e := s.read(t, s.page()); !e.Empty() {
				t.Errorf("the next preview is not as it is: %+v", e)
			}
		}
		t.Run(name, func(t *testing.T) { revised(t, (*sample).page) })
		for i := range c.pairs { // as an earlier version would name the items
			c.pairs[i] = earlier.Replace(c.pairs[i])
		}
		t.Run(name+", of an earlier version", func(t *testing.T) { revised(t, (*sample).earlierPage) })
	}
}

// A line that cannot be read is a problem on that line.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		pairs []string
		line  string // that the problem is on
		want  string
	}{
		"the title":             {[]string{"revision 1", "revision 2"}, "# Plan 7", "must be as it was"},
		"the hash":              {[]string{"hash: sha256:", "hash: sha256:0"}, "hash: ", "not the hash"},
		"the goal":              {[]string{"**Goal:** x", "**Goal:** y"}, "**Goal:** y", "cannot be read"},
		"a note":                {[]string{"## Steps\n", "## Steps\n\nWhy so many?\n"}, "Why so many?", "cannot be read"},
		"text of an operation":  {[]string{"edit b.txt, 1 of 2", "edit b.txt, first"}, "  - [x] edit b.txt, first", "Only the tick and the place"},
		"a new operation":       {[]string{"## Steps\n", "## Steps\n- [x] Command 99\n"}, "- [x] Command 99", "Nothing can be added"},
		"an operation gone":     {[]string{"  - [x] edit b.txt, 1 of 2\n", ""}, "## Steps", "The line of edit b.txt, 1 of 2 is not in the list"},
		"an operation twice":    {[]string{"  - [x] edit b.txt, 1 of 2\n", "  - [x] edit b.txt, 1 of 2\n  - [x] edit b.txt, 1 of 2\n"}, "  - [x] edit b.txt, 1", "twice"},
		"an open fence":         {[]string{"+line 30½\n line 31\n line 32\n line 33\n```", "+line 30½\n line 31\n line 32\n line 33\n"}, "```diff", "never closed"},
		"a file":                {[]string{"### b.txt", "### c.txt"}, "### c.txt", "no such file"},
		"a line without a sign": {[]string{" line 7\n", "line 7\n"}, "line 7", "Every line of a diff begins"},
		"a line that stays":     {[]string{" line 7\n", " line seven\n"}, " line seven", "not as the file is"},
		"a line that goes":      {[]string{"-line 4\n", ""}, " line 5", "not as the file is"},
		"a deletion":            {[]string{"-y\r\n", " y\r\n"}, " y", "deleted as a whole"},
		"an empty file":         {[]string{"+x\n+y\n\\ No newline at end of file\n", ""}, "### new/c.txt", "untick"},
		"an empty command":      {[]string{"  go test ./...\n", ""}, "  ```sh", "empty"},
		"a new diff":            {[]string{"## Files\n", "## Files\n\n```diff\n```\n"}, "```diff", "belongs to nothing"},
		"a line without end":    {[]string{"+row 4\n", "+row 4\n\\ No newline at end of file\n"}, "\\ No newline", "Only the last line"},
		"an escape":             {[]string{"second⟨U+202E⟩", "2nd⟨U+202E⟩"}, "> - 2nd", "written out"},
		"names of another file": {[]string{"--- a/b.txt\n+++ b/b.txt\n", "--- a/old.txt\n+++ b/new.txt\n"}, "--- a/old.txt", "Only the names of the file"},
		"no place":              {[]string{"@@ -1,7 +1,7 @@ h4\n line 1\n line 2\n line 3\n-line 4\n+row 4\n line 5\n line 6\n line 7\n", "@@ @@\n+row 4\n"}, "@@ @@", "Nothing says where"},
	} {
		t.Run(name, func(t *testing.T) {
			s := everything()
			page := s.page()
			for i := 0; i < len(c.pairs); i += 2 {
				if !strings.Contains(page, c.pairs[i]) {
					t.Fatalf("no %q in\n%s", c.pairs[i], page)
				}
				page = strings.Replace(page, c.pairs[i], c.pairs[i+1], 1)
			}
			_, problems := Read(s.plan, s.revision(), s.texts.of, page)
			lines := strings.Split(page, "\n")
			for _, p := range problems {
				if strings.HasPrefix(lines[p.Line], c.line) && strings.Contains(p.Reason, c.want) {
					return
				}
			}
			t.Errorf("%+v", problems)
		})
	}
}

// A change that the rest of the plan or its progress does not allow is a problem on its
// line.
func TestRefusedEdits(t *testing.T) {
	for name, c := range map[string]struct {
		pairs []string
		mark  func(*plan.Plan)
		line  string
		want  string
	}{
		"shared hunk":          {[]string{"- [x] edit f, 1", "- [ ] edit f, 1"}, nil, "  - [ ] edit f, 1", "reject the hunks instead"},
		"applied hunk changed": {[]string{"+z\n", "+zed\n"}, func(p *plan.Plan) { p.Progress.MarkHunk("h2", plan.HunkApplied, "") }, "-c", "undo it before"},
		"run":                  {[]string{"  true\n", "  false\n"}, func(p *plan.Plan) { p.Progress.MarkCommand("o5", plan.CommandMark{Status: plan.CommandSucceeded}) }, "- [x] Command 1", "cannot be changed"},
		"order":                {[]string{"  - [x] edit f, 1 of 2\n", "", "  - [x] edit f, 2 of 2\n", "  - [x] edit f, 2 of 2\n  - [x] edit f, 1 of 2\n"}, nil, "  - [x] edit f, 2", "Edit f, 2 of 2 must come after edit f, 1 of 2"},
		"contradiction":        {[]string{"- [x] edit g", "- [ ] edit g", "+z\n", "+zed\n"}, nil, "  - [ ] edit g", "undo one of the two"},
		"nothing left":         {[]string{"- [x] Step 1", "- [ ] Step 1"}, nil, "#", "reject it instead"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sampleOf(func(b texts) plan.Revision {
				return plan.Revision{
					Operations: []plan.Operation{
						op("o1", "", "apply_patch", "f"), op("o2", "", "edit_file", "f"), op("o3", "", "edit_file", "g"),
						command("o5", "", "true", `{}`), op("o6", "", "delete_file", "t"), op("o7", "", "rename_file", "u"),
					},
					Changes: []plan.Change{
						b.change(plan.Update, "f", "", "a\n", "b\n", "o1", "o2"),
						b.change(plan.Update, "g", "", "c\n", "z\n", "o3"),
						b.change(plan.Delete, "t", "", "t\n", "", "o6"),
						b.change(plan.Rename, "u", "t", "u\n", "u\n", "o7"),
					},
				}
			})
			if c.mark != nil {
				c.mark(s.plan)
			}
			page := s.page()
			n := 1
			if name == "nothing left" {
				n = -1
			}
			for i := 0; i < len(c.pairs); i += 2 {
				if !strings.Contains(page, c.pairs[i]) {
					t.Fatalf("no %q in\n%s", c.pairs[i], page)
				}
				page = strings.Replace(page, c.pairs[i], c.pairs[i+1], n)
			}
			e := s.read(t, page)
			_, _, problems := e.Revise(s.plan, s.revision(), s.texts.of, s.without)
			lines := strings.Split(page, "\n")
			for _, p := range problems {
				if strings.HasPrefix(lines[p.Line], c.line) && strings.Contains(p.Reason, c.want) {
					return
				}
			}
			t.Errorf("%+v", problems)
		})
	}
}

// Problems are in the order of the page, and limited in number.
func TestRefusedEditsAreInOrder(t *testing.T) {
	s := sampleOf(func(b texts) plan.Revision {
		var r plan.Revision
		for i := range maxProblems + 10 {
			path := string(rune('a'+i/26)) + string(rune('a'+i%26))
			r.Operations = append(r.Operations, op("o"+strconv.Itoa(i+1), "", "edit_file", path))
			r.Changes = append(r.Changes, b.change(plan.Update, path, "", "a\n", "b\n", "o"+strconv.Itoa(i+1)))
		}
		return r
	})
	e := s.read(t, strings.NewReplacer("- [x]", "- [ ]", "\n+b\n", "\n+c\n").Replace(s.page()))
	_, _, problems := e.Revise(s.plan, s.revision(), s.texts.of, s.without)
	if len(problems) != maxProblems || !slices.IsSortedFunc(problems, func(a, b Problem) int { return a.Line - b.Line }) {
		t.Errorf("%d problems: %+v", len(problems), problems)
	}
}

// earlier gives the items of [everything] the names that earlier versions gave them.
var earlier = strings.NewReplacer(
	"edit b.txt, 1 of 2", "o5 edit_file b.txt", "edit b.txt, 2 of 2", "o6 edit_file b.txt", "edit b.txt, 1", "o5",
	"edit new.txt", "o2", "write new/c.txt (+2 −0)", "o3 write_file new/c.txt (+2 −0)", "delete gone", "o4",
	"Command 1", "o7", "Step 1", "s1", "Step 2", "s2", "After: step 1", "After: s1",
)
