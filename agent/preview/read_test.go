package preview

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	_ "redline/internal/seed"
)

// sample is a plan with its texts.
type sample struct {
	plan  *plan.Plan
	texts texts
}

func (s *sample) revision() *plan.Revision { return s.plan.Latest() }

func (s *sample) page() string { return Render(s.plan, s.revision(), s.texts.of, Beside{}) }

// read reads an edited preview, which must have no problems.
func (s *sample) read(t fataler, edited string) Edit {
	t.Helper()
	e, problems := Read(s.plan, s.revision(), s.texts.of, edited)
	if len(problems) > 0 {
		t.Fatalf("problems: %+v in\n%s", problems, edited)
	}
	return e
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// revise makes the next revision of an edited preview, which must be possible.
func (s *sample) revise(t fataler, edited string) *plan.Revision {
	t.Helper()
	e := s.read(t, edited)
	next, news, problems := e.Revise(s.plan, s.revision(), s.texts.of, s.without)
	if len(problems) > 0 {
		t.Fatalf("problems: %+v in\n%s", problems, edited)
	}
	for b, text := range news {
		s.texts[b] = text
	}
	return s.plan.Add(next, s.texts.of)
}

// without removes operations by whole hunks: the calls of a sample cannot be staged
// again.
func (s *sample) without(r *plan.Revision, ids []string, text func(plan.Blob) string) (Rest, error) {
	decided := func(hunk string) bool { return s.plan.Progress.Hunk(hunk).Status != plan.HunkPending }
	rest, err := draft.Without(r, ids, decided, func(b plan.Blob) (string, error) { return text(b), nil },
		func(*draft.Draft, plan.Operation) ([]draft.Staged, error) { return nil, errors.New("a sample") })
	return Rest{Operations: rest.Operations, Changes: rest.Changes, Texts: rest.Texts}, err
}

// sampleOf makes a plan of one revision.
func sampleOf(make func(texts) plan.Revision) *sample {
	s := &sample{plan: &plan.Plan{Number: 7, Goal: "x", NextOperation: 20}, texts: texts{}}
	s.plan.Add(make(s.texts), s.texts.of)
	return s
}

// everything is a plan with everything that a preview can show.
func everything() *sample {
	return sampleOf(func(b texts) plan.Revision {
		base := numbered(40)
		r := plan.Revision{
			Description: "Move things.\n\n- first\n- second\u202e",
			Steps: []plan.Step{
				{ID: "s1", Description: "make room", Rationale: "it is\nfull", Risk: "low"},
				{ID: "s2", Description: "check", DependsOn: []string{"s1"}},
			},
			Operations: []plan.Operation{
				op("o1", "s1", "rename_file", "old.txt"), op("o2", "s1", "edit_file", "new.txt"),
				op("o3", "s1", "write_file", "new/c.txt"), op("o4", "", "delete_file", "gone.txt"),
				op("o5", "s1", "edit_file", "b.txt"), op("o6", "s1", "edit_file", "b.txt"),
				command("o7", "s2", "go test ./...", `{"command":"go test ./...","cwd":"sub","timeout_seconds":30}`),
				command("o8", "s2", "echo a\necho ```", `{"command":"echo a\necho `+"```"+`"}`),
			},
			Changes: []plan.Change{
				b.change(plan.Rename, "old.txt", "new.txt", "a\nb\n", "a\nc\n", "o1", "o2"),
				b.change(plan.Create, "new/c.txt", "", "", "x\ny", "o3"),
				b.change(plan.Delete, "gone.txt", "", "x\r\ny\r\n", "", "o4"),
				b.change(plan.Update, "b.txt", "", base, replaced(base, "line 4\n", "row 4\n", "line 30\n", "line 30\nline 30½\n"), "o5", "o6"),
			},
		}
		r.Changes[0].MovedBy = []string{"o1"}
		r.Changes[0].Hunks[0].Operations = []string{"o2"}
		r.Changes[3].Hunks[0].Operations = []string{"o5"}
		r.Changes[3].Hunks[1].Operations = []string{"o6"}
		return r
	})
}

var (
	anyLine = rapid.SampledFrom([]string{"a\n", "b\n", "```\n", "### x\n", "@@ -1 +1 @@\n", "--- a/x\n", "\n", "  \n", "c\r\n", "d", "e \n", "\u202ee\n", "\xff\n", "f\rg\n", "\\ No newline at end of file\n", "h\r\r\n"})
	anyText = rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(anyLine, 0, 30).Draw(t, "lines"), "") })
)

// anySample is any plan with some changes of files.
func anySample(t *rapid.T) *sample {
	return sampleOf(func(b texts) plan.Revision {
		r := plan.Revision{Description: anyText.Draw(t, "description")}
		if rapid.Bool().Draw(t, "steps") {
			r.Steps = []plan.Step{{ID: "s1", Description: "first · applied"}, {ID: "s2", Description: "- [x] o1", Rationale: "> why"}}
			if rapid.Bool().Draw(t, "a condition") {
				r.Steps[1].When = &plan.Condition{Step: "s1", Outcome: plan.OutcomeFailed, OutputMatches: "  - [x] o1\n```"}
			}
		}
		add := func(o plan.Operation) string {
			o.Step = rapid.SampledFrom([]string{"", "s1", "s2", "s3"}).Draw(t, "step")
			r.Operations = append(r.Operations, o)
			return o.ID
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "files") {
			path, id := string(rune('a'+i)), "o"+string(rune('1'+i))
			base, proposed := anyText.Draw(t, "base"), anyText.Draw(t, "proposed")
			switch action := rapid.SampledFrom([]plan.Action{plan.Create, plan.Update, plan.Update, plan.Rename, plan.Delete}).Draw(t, "action"); action {
			case plan.Create:
				r.Changes = append(r.Changes, b.change(action, path, "", "", proposed, add(op(id, "", "write_file", path))))
			case plan.Delete:
				r.Changes = append(r.Changes, b.change(action, path, "", base, "", add(op(id, "", "delete_file", path))))
			case plan.Rename:
				r.Changes = append(r.Changes, b.change(action, path, path+" → x", base, proposed, add(op(id, "", "rename_file", path))))
			default:
				if base != proposed {
					r.Changes = append(r.Changes, b.change(action, path, "", base, proposed, add(op(id, "", "edit_file", path))))
				}
			}
		}
		if line := anyText.Draw(t, "command"); strings.TrimSpace(line) != "" {
			add(command("o9", "", line, `{}`))
		}
		return r
	})
}

// A preview as rendered has no changes; neither has one with other line ends, without
// trailing spaces, or with other statuses, numbers and graphs.
func TestUnchangedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		for _, page := range []string{s.page(), s.earlierPage()} {
			for _, edited := range []string{page, page + "\n", "\n" + page,
				strings.ReplaceAll(page, "\n", "\r\n"),
				strings.ReplaceAll(strings.ReplaceAll(page, "\r\n", "\n"), "\n", "\r\n"),
				strings.ReplaceAll(page, "\r\n", "\n"),
				strings.Replace(page, "\n## Files\n", "\n```mermaid\ngraph TD\n  o1 --> o2\n```\n\n## Files\n", 1),
				blankEnd.ReplaceAllString(page, "\n"),
			} {
				e, problems := Read(s.plan, s.revision(), s.texts.of, edited)
				if len(problems) > 0 || !e.Empty() {
					t.Fatalf("%+v %+v of\n%s\nfor\n%s", problems, e, edited, page)
				}
			}
		}
	})
}

// An edit of one added line is exactly that.
func TestEditedLineProperty(t *testing.T) {
	plain := rapid.SampledFrom([]string{"a", "b", "", "c ", "--- x", "+++ x", "@@ -1 +1 @@", "\\ No"})
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		text := func(name string) string {
			lines := rapid.SliceOfN(plain, 1, 25).Draw(t, name)
			return strings.Join(lines, end) + rapid.SampledFrom([]string{"", end}).Draw(t, name+" ends")
		}
		action := rapid.SampledFrom([]plan.Action{plan.Create, plan.Update, plan.Rename}).Draw(t, "action")
		base, proposed, newPath := "", text("proposed"), ""
		if action != plan.Create {
			base = text("base")
		}
		if action == plan.Rename {
			newPath = "g"
		}
		if base == proposed || strings.TrimSpace(proposed) == "" {
			t.Skip("nothing is added")
		}
		s := sampleOf(func(b texts) plan.Revision {
			return plan.Revision{
				Operations: []plan.Operation{op("o1", "", "edit_file", "f")},
				Changes:    []plan.Change{b.change(action, "f", newPath, base, proposed, "o1")},
			}
		})
		page := s.page()
		lines := strings.Split(page, "\n")
		var added []int
		inside := false
		for i, line := range lines {
			inside = inside || strings.HasPrefix(line, "@@ ")
			if inside && strings.HasPrefix(line, "+") {
				added = append(added, i)
			}
		}
		if len(added) == 0 {
			t.Skip("nothing is added")
		}
		k := rapid.IntRange(0, len(added)-1).Draw(t, "which")
		lines[added[k]] = "+NEW"
		if end == "\r\n" && rapid.Bool().Draw(t, "CR") {
			lines[added[k]] += "\r"
		}
		e := s.read(t, strings.Join(lines, "\n"))
		if len(e.Files) != 1 {
			t.Fatalf("%+v\n%s", e, page)
		}
		want := changedLine(base, proposed, s.revision().Changes[0].Hunks, k, end)
		if e.Files[0].Proposed != want {
			t.Fatalf("got\n%q\nwant\n%q\nbase\n%q\nline %d of\n%s", e.Files[0].Proposed, want, base, added[k], strings.Join(lines, "\n"))
		}
		r := s.revise(t, strings.Join(lines, "\n"))
		if r.Changes[0].Proposed != plan.BlobOf(want) {
			t.Fatal("the revision has another text")
		}
		checkHunks(t, s, r)
		if e := s.read(t, s.page()); !e.Empty() {
			t.Fatalf("the next preview is not as it is: %+v", e)
		}
	})
}

// changedLine returns proposed with the k-th added line changed.
func changedLine(base, proposed string, hunks []plan.Hunk, k int, end string) string {
	var b strings.Builder
	at := 0
	for _, h := range hunks {
		b.WriteString(base[at:h.Old.Start])
		for _, row := range rowsOf(proposed[h.New.Start:h.New.End]) {
			if k == 0 {
				row = "NEW" + endOf(row)
			}
			k--
			b.WriteString(row)
		}
		at = h.Old.End
	}
	return b.String() + base[at:]
}

// checkHunks checks that the hunks of a revision lead from base to proposed.
func checkHunks(t fataler, s *sample, r *plan.Revision) {
	t.Helper()
	for i := range r.Changes {
		c := &r.Changes[i]
		if got, err := edits.Apply(s.texts.of(c.Base), c.Edits(s.texts.of(c.Proposed))); err != nil || got != s.texts.of(c.Proposed) {
			t.Fatalf("the hunks of %s lead to %q (%v), want %q", c.Path, got, err, s.texts.of(c.Proposed))
		}
		for _, id := range c.Operations {
			if _, ok := r.Operation(id); !ok {
				t.Fatalf("%s was made by %s, which is not there", c.Path, id)
			}
		}
		for _, h := range c.Hunks {
			for _, id := range c.MakersOf(&h) {
				if !slices.Contains(c.Operations, id) {
					t.Fatalf("%s was made by %s, which is none of the change's %v", h.ID, id, c.Operations)
				}
			}
		}
	}
}

// Statuses are shown, and ignored when read.
func TestStatuses(t *testing.T) {
	s := everything()
	s.plan.Progress.MarkHunk("h4", plan.HunkApplied, "")
	s.plan.Progress.MarkHunk("h3", plan.HunkRejected, "")
	s.plan.Progress.MarkCommand("o7", plan.CommandMark{Status: plan.CommandWaitingForSave})
	page := s.page()
	for _, want := range []string{"- [x] Step 1: make room · in progress\n", "- [x] edit b.txt, 1 of 2 · applied\n", "- [x] delete gone.txt (+0 −2) · rejected\n", "at most 30 s, for step 2 · waiting for save\n", "- [x] edit b.txt, 2 of 2\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	older := everything().page()
	if e := s.read(t, older); !e.Empty() {
		t.Errorf("%+v", e)
	}
	s.plan.Progress = plan.Progress{}
	if e := s.read(t, page); !e.Empty() {
		t.Errorf("%+v", e)
	}
}

// Bytes that a preview cannot show survive an edit of the diff.
func TestHiddenBytesStay(t *testing.T) {
	base := "a\r\nb\u200b\nc\nd\xff\ne\n"
	proposed := "A\r\nB\u200b\nc\nD\xff\nE"
	s := sampleOf(func(b texts) plan.Revision {
		return plan.Revision{
			Operations: []plan.Operation{op("o1", "", "edit_file", "f")},
			Changes:    []plan.Change{b.change(plan.Update, "f", "", base, proposed, "o1")},
		}
	})
	page := s.page()
	for _, c := range []struct{ old, new, want string }{
		{"+E\n", "+e!\n", "A\r\nB\u200b\nc\nD\xff\ne!"},
		{"+A\r\n", "+AA\r\n", "AA\r\nB\u200b\nc\nD\xff\nE"},
		{"+A\r\n", "+AA\n", "AA\r\nB\u200b\nc\nD\xff\nE"},
		{"+E\n\\ No newline at end of file\n", "+E\n", "A\r\nB\u200b\nc\nD\xff\nE\n"},
		{"+B⟨U+200B⟩\n", "+b⟨U+200B⟩\n", "A\r\nb\u200b\nc\nD\xff\nE"},
		{"+D⟨0xFF⟩\n", "", "A\r\nB\u200b\nc\nE"},
	} {
		if !strings.Contains(page, c.old) {
			t.Fatalf("no %q in\n%s", c.old, page)
		}
		e := s.read(t, strings.Replace(page, c.old, c.new, 1))
		if len(e.Files) != 1 || e.Files[0].Proposed != c.want {
			t.Errorf("%q: %s", c.new, cmp.Diff(c.want, e.Files[0].Proposed))
		}
	}
	if _, problems := Read(s.plan, s.revision(), s.texts.of, strings.Replace(page, "+B⟨U+200B⟩\n", "+Bee⟨U+200B⟩\n", 1)); len(problems) != 1 {
		t.Errorf("%+v", problems)
	}
}

// Large pages, and pages of only blocks, are read too.
func TestLargePages(t *testing.T) {
	s := everything()
	page := s.page()
	for name, edited := range map[string]string{
		"noise":             strings.Repeat("x", 1<<20),
		"lines":             page + strings.Repeat("x\n", 1<<19),
		"items":             strings.Repeat("- [x] edit b.txt, 1 of 2\n", 1<<15),
		"blocks":            strings.Replace(page, "@@ -1,7 +1,7 @@ h4\n", strings.Repeat("@@ -1,7 +1,7 @@\n line 1\n+x\n", 1<<15)+"@@ -1,7 +1,7 @@ h4\n", 1),
		"fences":            page + strings.Repeat("```diff\n", 1<<17),
		"added":             strings.Replace(page, "+row 4\n", strings.Repeat("+row 4\n+⟨U+200B⟩\n", 1<<15), 1),
		"added differently": strings.Replace(page, "+row 4\n", strings.Repeat("+row\n+4\n+\n", 1<<16), 1),
	} {
		e, problems := Read(s.plan, s.revision(), s.texts.of, edited)
		if len(problems) > maxProblems {
			t.Errorf("%s: %d problems", name, len(problems))
		}
		if bad := name != "added differently"; bad != (len(problems) > 0) || !bad && len(e.Files) != 1 {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}

// Whatever an edited preview holds, Read returns, and the result is a complete revision.
func FuzzRead(f *testing.F) {
	f.Add(uint16(0), uint16(0), "", uint16(0), uint16(0), "")
	f.Add(uint16(400), uint16(10), "- [ ]", uint16(20), uint16(3), "\n- [x] o1")
	f.Add(uint16(900), uint16(30), "+x\n@@\n", uint16(600), uint16(0), "```diff\n@@ -1 +1 @@\n-a\n")
	f.Add(uint16(0), uint16(9999), "# Plan 7, revision 1\n### b.txt (update, +1 −1)\n", uint16(9999), uint16(0), "```diff\n@@ @@\n line 1\n+x\n```\n")
	f.Fuzz(func(t *testing.T, at1, n1 uint16, put1 string, at2, n2 uint16, put2 string) {
		s := everything()
		splice := func(text string, at, n int, put string) string {
			at = min(at, len(text))
			n = min(n, len(text)-at)
			return text[:at] + put + text[at+n:]
		}
		edited := splice(splice(s.page(), int(at1), int(n1), put1), int(at2), int(n2), put2)
		e, problems := Read(s.plan, s.revision(), s.texts.of, edited)
		lines := strings.Count(edited, "\n") + 1
		for _, p := range problems {
			if p.Line < 0 || p.Line >= lines {
				t.Fatalf("%+v in %d lines", p, lines)
			}
		}
		if len(problems) > 0 || e.Empty() {
			return
		}
		next, news, problems := e.Revise(s.plan, s.revision(), s.texts.of, s.without)
		if len(problems) > 0 {
			return
		}
		for b, text := range news {
			s.texts[b] = text
		}
		checkHunks(t, s, s.plan.Add(next, s.texts.of))
	})
}

func BenchmarkRead(b *testing.B) {
	blobs := texts{}
	base := numbered(20_000)
	p := &plan.Plan{Number: 1, Goal: "many lines"}
	r := p.Add(plan.Revision{
		Operations: []plan.Operation{op("o1", "", "edit_file", "f")},
		Changes:    []plan.Change{blobs.change(plan.Update, "f", "", base, strings.ReplaceAll(base, "9\n", "nine\n"), "o1")},
	}, blobs.of)
	edited := strings.Replace(Render(p, r, blobs.of, Beside{}), "+line 1nine\n", "+line 19!\n", 1)
	b.ReportAllocs()
	for b.Loop() {
		if e, problems := Read(p, r, blobs.of, edited); len(problems) > 0 || len(e.Files) != 1 {
			b.Fatal(problems)
		}
	}
}

var blankEnd = regexp.MustCompile(`[ \t]+\n`)
