package landed

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/track"
	_ "redline/internal/seed"
)

func TestLandingsTable(t *testing.T) {
	const before = "a\nb\nc\nd\ne\n"
	for _, c := range []struct {
		name, proposed, after string
		want                  []edits.Landing
	}{
		{"in", "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n", []edits.Landing{edits.Landed}},
		{"not in", "a\nB\nc\nd\ne\n", before, []edits.Landing{edits.Absent}},
		{"one of two", "a\nB\nc\nD\ne\n", "a\nB\nc\nd\ne\n", []edits.Landing{edits.Landed, edits.Absent}},
		{"in, and typed elsewhere", "a\nB\nc\nd\ne\n", "x\na\nB\nc\nd\nee\n", []edits.Landing{edits.Landed}},
		{"not in, and typed elsewhere", "a\nB\nc\nd\ne\n", "x\na\nb\nc\nd\nee\n", []edits.Landing{edits.Absent}},
		{"in, and typed in the line", "a\nB\nc\nd\ne\n", "a\nBx\nc\nd\ne\n", []edits.Landing{edits.Unclear}},
		{"lines put in", "a\nx\ny\nb\nc\nd\ne\n", "a\nx\ny\nb\nc\nd\ne\n", []edits.Landing{edits.Landed}},
		{"lines not put in", "a\nx\ny\nb\nc\nd\ne\n", before, []edits.Landing{edits.Absent}},
		{"lines not put in, others typed there", "a\nx\ny\nb\nc\nd\ne\n", "a\nz\nb\nc\nd\ne\n", []edits.Landing{edits.Absent}},
		{"lines put in, others typed there", "a\nx\ny\nb\nc\nd\ne\n", "a\nz\nx\ny\nb\nc\nd\ne\n", []edits.Landing{edits.Landed}},
		{"a line taken out", "a\nc\nd\ne\n", "a\nc\nd\ne\n", []edits.Landing{edits.Landed}},
		{"a line not taken out", "a\nc\nd\ne\n", before, []edits.Landing{edits.Absent}},
		{"a line taken out, another typed there", "a\nc\nd\ne\n", "a\nz\nc\nd\ne\n", []edits.Landing{edits.Landed}},
		{"one of two that look alike elsewhere", "x\na\nb\nc\nd\nx\ne\n", "a\nb\nc\nd\nx\ne\n", []edits.Landing{edits.Absent, edits.Landed}},
		{"one of two in the same lines", "b\nc\nd\ne\nb\nc\nd\n", "b\nc\nd\ne\n", []edits.Landing{edits.Landed, edits.Absent}},
		{"something else altogether", "a\nB\nc\nd\ne\n", "1\n2\n3\n", []edits.Landing{edits.Unclear}},
	} {
		got := Of(before, edits.EditsOf(edits.Diff(before, c.proposed)), c.after)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestLandingsOfEditsInsideLines(t *testing.T) {
	const before = "one two\nthree\n"
	es := []edits.Edit{{Span: edits.Span{Start: 0, End: 3}, New: "1"}, {Span: edits.Span{Start: 4, End: 7}, New: "2"}, {Span: edits.Span{Start: 8, End: 8}, New: "x\n"}, {Span: edits.Span{Start: 9, End: 9}, New: "h"}, {Span: edits.Span{Start: 10, End: 10}, New: ""}}
	for _, c := range []struct {
		after string
		want  []edits.Landing
	}{
		{"1 2\nx\nthhree\n", []edits.Landing{edits.Landed, edits.Landed, edits.Landed, edits.Landed, edits.Landed}},
		{before, []edits.Landing{edits.Absent, edits.Absent, edits.Absent, edits.Absent, edits.Absent}},
		{"1 two\nx\nthhree\n", []edits.Landing{edits.Landed, edits.Absent, edits.Landed, edits.Landed, edits.Landed}},
		{"1 two!\nx\nthhree\n", []edits.Landing{edits.Unclear, edits.Unclear, edits.Landed, edits.Landed, edits.Landed}},
	} {
		if d := cmp.Diff(c.want, Of(before, es, c.after)); d != "" {
			t.Errorf("%q: %s", c.after, d)
		}
	}
	if got := Of(before, []edits.Edit{{Span: edits.Span{Start: 0, End: 99}, New: ""}}, before); got[0] != edits.Unclear {
		t.Errorf("an edit outside the text: %v", got)
	}
}

func TestLandingsWithoutTyping(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		before := edittest.Text(20).Draw(t, "before")
		es := edittest.Edits(before).Draw(t, "edits")
		after := edittest.Apply(t, before, es...)
		for i, got := range Of(before, es, after) {
			if got != edits.Landed {
				t.Fatalf("all of %v in %q: edit %d is %v", es, after, i, got)
			}
		}
		if before == after {
			return
		}
		for i, got := range Of(before, es, before) {
			if got == edits.Unclear {
				t.Fatalf("none of %v in %q: edit %d is unclear", es, before, i)
			}
		}
	})
}

// If nobody types, the text shows the landings: the common part of all choices of edits that lead
// to the text.
func TestLandingsOfSomeEdits(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		before := edittest.Text(12).Draw(t, "before")
		es := edittest.Edits(before).Draw(t, "edits")
		if rapid.Bool().Draw(t, "hunks") {
			es = edits.EditsOf(edits.Diff(before, edittest.Apply(t, before, es...)))
		}
		es = es[:min(len(es), 8)]
		chosen := func(mask int) string {
			var made []edits.Edit
			for i, e := range es {
				if mask>>i&1 == 1 {
					made = append(made, e)
				}
			}
			return edittest.Apply(t, before, made...)
		}
		all := 1<<len(es) - 1
		after := chosen(rapid.IntRange(0, all).Draw(t, "landed"))
		if after == before || after == chosen(all) {
			return // reported as a whole
		}
		with, without := 0, 0 // the edits that are in one of the choices, and that are not
		for mask := range all + 1 {
			if chosen(mask) == after {
				with, without = with|mask, without|^mask
			}
		}
		for i, got := range Of(before, es, after) {
			want := edits.Absent
			switch {
			case es[i].New == es[i].Span.Of(before):
				want = edits.Landed
			case with>>i&1 == 1 && without>>i&1 == 1:
				want = edits.Unclear
			case with>>i&1 == 1:
				want = edits.Landed
			}
			if got != want {
				t.Fatalf("of %v in %q, which is %q now: edit %d is %v, want %v", es, before, after, i, got, want)
			}
		}
	})
}

// If everything is alike, Of guesses nothing and returns soon.
func TestLandingsWhereAllIsAlike(t *testing.T) {
	before := strings.Repeat("\n", 10_000)
	es := make([]edits.Edit, 2_000)
	for i := range es {
		es[i] = edits.Edit{Span: edits.Span{Start: 5 * i, End: 5 * i}, New: strings.Repeat("\n", 1+i%7)}
	}
	for _, more := range []int{3, 4_000} {
		for i, got := range Of(before, es, before+strings.Repeat("\n", more)) {
			if tooLong := len(es[i].New) > more; (got == edits.Absent) != tooLong || got == edits.Landed {
				t.Fatalf("%d line ends more: edit %d, of %d, is %v", more, i, len(es[i].New), got)
			}
		}
	}
}

func TestLandingsWithTyping(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "lines")
		mine, theirs := edittest.TwoParties(t, n)
		before := edittest.NumberedLines(n)
		es := edits.EditsOf(edits.Diff(before, edittest.After(n, "X", mine...)))
		var landed []edits.Edit
		want := make([]edits.Landing, len(es))
		for i, e := range es {
			want[i] = edits.Absent
			if rapid.Bool().Draw(t, "lands") {
				landed = append(landed, e)
				want[i] = edits.Landed
			}
		}
		typed, _, conflicts := track.Rebase(before, edits.EditsOf(edits.Diff(before, edittest.After(n, "X", theirs...))), edittest.Apply(t, before, landed...))
		if len(conflicts) > 0 {
			t.Fatalf("conflicts %v", conflicts)
		}
		after := edittest.Apply(t, edittest.Apply(t, before, landed...), typed...)
		if d := cmp.Diff(want, Of(before, es, after)); d != "" {
			t.Fatalf("%v in %q: %s", es, after, d)
		}
	})
}
