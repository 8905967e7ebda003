package preview

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/agent/plan"
)

// Any edit of a proposed text that becomes a revision leads to exactly that text, in hunks that fit
// the revision's texts; what was rejected and not touched stays rejected.
func TestEditTextLeadsToTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		r := s.revision()
		if len(r.Changes) == 0 {
			return
		}
		c := rapid.SampledFrom(r.Changes).Draw(t, "change")
		rejected := map[string]bool{}
		for _, h := range c.Hunks {
			if c.Action != plan.Create && rapid.Bool().Draw(t, "rejected") {
				rejected[h.ID] = true
				s.plan.Progress.MarkHunk(h.ID, plan.HunkRejected, "no")
			}
		}
		was, _ := plan.Reference(s.texts.of(c.Base), s.texts.of(c.Proposed), c.Hunks, func(id string) bool { return !rejected[id] })
		lines := rowsOf(was)
		from := rapid.IntRange(0, len(lines)).Draw(t, "from")
		to := rapid.IntRange(from, min(len(lines), from+3)).Draw(t, "to")
		text := strings.Join(lines[:from], "") + strings.Join(rapid.SliceOfN(anyLine, 0, 3).Draw(t, "new"), "") + strings.Join(lines[to:], "")
		e, problems := EditText(s.plan, r, c.Path, was, text, s.texts.of)
		if len(problems) > 0 || e.Empty() {
			return
		}
		next, news, problems := e.Revise(s.plan, r, s.texts.of, s.without)
		if len(problems) > 0 {
			return
		}
		for b, text := range news {
			s.texts[b] = text
		}
		made := s.plan.Add(next, s.texts.of)
		checkHunks(t, s, made)
		now, ok := made.Change(c.Path)
		if !ok {
			if want := sameEnds(was, text); want != s.texts.of(c.Base) {
				t.Fatalf("the change is gone, want %q", want)
			}
			return
		}
		got, _ := plan.Reference(s.texts.of(now.Base), s.texts.of(now.Proposed), now.Hunks, func(id string) bool { return s.plan.Progress.Hunk(id).Status != plan.HunkRejected })
		if want := sameEnds(was, text); got != want {
			t.Fatalf("the text is %q, want %q", got, want)
		}
	})
}

// An editor writes all line ends in one way. Lines that are otherwise the same keep theirs.
func TestSameEnds(t *testing.T) {
	for _, c := range [][3]string{
		{"a\r\nb\nc", "a\nx\nc", "a\r\nx\nc"},
		{"a\r\nb\n", "a\r\nb\r\n", "a\r\nb\n"},
		{"a\nb\n", "a\nc\n", "a\nc\n"},
		{"a\r\nb", "a\r\nb\r\n", "a\r\nb\r\n"},
		{"a\r\nb\r\n", "a\r\nb", "a\r\nb"},
		{"a\n", "\ufeffa\n", "a\n"},
	} {
		if got := sameEnds(c[0], c[1]); got != c[2] {
			t.Errorf("%q, %q: got %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
