package edits

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLandingsTable(t *testing.T) {
	const before = "a\nb\nc\nd\ne\n"
	for _, c := range []struct {
		name, proposed, after string
		want                  []Landing
	}{
		{"in", "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n", []Landing{Landed}},
		{"not in", "a\nB\nc\nd\ne\n", before, []Landing{Absent}},
		{"one of two", "a\nB\nc\nD\ne\n", "a\nB\nc\nd\ne\n", []Landing{Landed, Absent}},
		{"in, and typed elsewhere", "a\nB\nc\nd\ne\n", "x\na\nB\nc\nd\nee\n", []Landing{Landed}},
		{"not in, and typed elsewhere", "a\nB\nc\nd\ne\n", "x\na\nb\nc\nd\nee\n", []Landing{Absent}},
		{"in, and typed in the line", "a\nB\nc\nd\ne\n", "a\nBx\nc\nd\ne\n", []Landing{Unclear}},
		{"lines put in", "a\nx\ny\nb\nc\nd\ne\n", "a\nx\ny\nb\nc\nd\ne\n", []Landing{Landed}},
		{"lines not put in", "a\nx\ny\nb\nc\nd\ne\n", before, []Landing{Absent}},
		{"lines not put in, others typed there", "a\nx\ny\nb\nc\nd\ne\n", "a\nz\nb\nc\nd\ne\n", []Landing{Absent}},
		{"lines put in, others typed there", "a\nx\ny\nb\nc\nd\ne\n", "a\nz\nx\ny\nb\nc\nd\ne\n", []Landing{Landed}},
		{"a line taken out", "a\nc\nd\ne\n", "a\nc\nd\ne\n", []Landing{Landed}},
		{"a line not taken out", "a\nc\nd\ne\n", before, []Landing{Absent}},
		{"a line taken out, another typed there", "a\nc\nd\ne\n", "a\nz\nc\nd\ne\n", []Landing{Landed}},
		{"one of two that look alike elsewhere", "x\na\nb\nc\nd\nx\ne\n", "a\nb\nc\nd\nx\ne\n", []Landing{Absent, Landed}},
		{"one of two in the same lines", "b\nc\nd\ne\nb\nc\nd\n", "b\nc\nd\ne\n", []Landing{Landed, Absent}},
		{"something else altogether", "a\nB\nc\nd\ne\n", "1\n2\n3\n", []Landing{Unclear}},
	} {
		got := Landings(before, EditsOf(Diff(before, c.proposed)), c.after)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestLandingsOfEditsInsideLines(t *testing.T) {
	const before = "one two\nthree\n"
	es := []Edit{{Span{0, 3}, "1"}, {Span{4, 7}, "2"}, {Span{8, 8}, "x\n"}, {Span{9, 9}, "h"}, {Span{10, 10}, ""}}
	for _, c := range []struct {
		after string
		want  []Landing
	}{
		{"1 2\nx\nthhree\n", []Landing{Landed, Landed, Landed, Landed, Landed}},
		{before, []Landing{Absent, Absent, Absent, Absent, Absent}},
		{"1 two\nx\nthhree\n", []Landing{Landed, Absent, Landed, Landed, Landed}},
		{"1 two!\nx\nthhree\n", []Landing{Unclear, Unclear, Landed, Landed, Landed}},
	} {
		if d := cmp.Diff(c.want, Landings(before, es, c.after)); d != "" {
			t.Errorf("%q: %s", c.after, d)
		}
	}
	if got := Landings(before, []Edit{{Span{0, 99}, ""}}, before); got[0] != Unclear {
		t.Errorf("an edit outside the text: %v", got)
	}
}

func TestLandingsWithoutTyping(t *testing.T) {
	check(t, func(t *rapid.T) {
		before := text(20).Draw(t, "before")
		es := editList(before).Draw(t, "edits")
		after := apply(t, before, es...)
		for i, got := range Landings(before, es, after) {
			if got != Landed {
				t.Fatalf("all of %v in %q: edit %d is %v", es, after, i, got)
			}
		}
		if before == after {
			return
		}
		for i, got := range Landings(before, es, before) {
			if got == Unclear {
				t.Fatalf("none of %v in %q: edit %d is unclear", es, before, i)
			}
		}
	})
}

// Where nobody types, the text tells it: what all choices of edits that make
// the text have in common.
func TestLandingsOfSomeEdits(t *testing.T) {
	check(t, func(t *rapid.T) {
		before := text(12).Draw(t, "before")
		es := editList(before).Draw(t, "edits")
		if rapid.Bool().Draw(t, "hunks") {
			es = EditsOf(Diff(before, apply(t, before, es...)))
		}
		es = es[:min(len(es), 8)]
		chosen := func(mask int) string {
			var made []Edit
			for i, e := range es {
				if mask>>i&1 == 1 {
					made = append(made, e)
				}
			}
			return apply(t, before, made...)
		}
		all := 1<<len(es) - 1
		after := chosen(rapid.IntRange(0, all).Draw(t, "landed"))
		if after == before || after == chosen(all) {
			return // told as a whole
		}
		with, without := 0, 0 // the edits that are in one of the choices, and that are not
		for mask := range all + 1 {
			if chosen(mask) == after {
				with, without = with|mask, without|^mask
			}
		}
		for i, got := range Landings(before, es, after) {
			want := Absent
			switch {
			case es[i].New == es[i].Span.of(before):
				want = Landed
			case with>>i&1 == 1 && without>>i&1 == 1:
				want = Unclear
			case with>>i&1 == 1:
				want = Landed
			}
			if got != want {
				t.Fatalf("of %v in %q, which is %q now: edit %d is %v, want %v", es, before, after, i, got, want)
			}
		}
	})
}

// Where everything is alike nothing is guessed, and nothing is looked for long.
func TestLandingsWhereAllIsAlike(t *testing.T) {
	before := strings.Repeat("\n", 10_000)
	es := make([]Edit, 2_000)
	for i := range es {
		es[i] = Edit{Span{5 * i, 5 * i}, strings.Repeat("\n", 1+i%7)}
	}
	for _, more := range []int{3, 4_000} {
		for i, got := range Landings(before, es, before+strings.Repeat("\n", more)) {
			if tooLong := len(es[i].New) > more; (got == Absent) != tooLong || got == Landed {
				t.Fatalf("%d line ends more: edit %d, of %d, is %v", more, i, len(es[i].New), got)
			}
		}
	}
}

func TestLandingsWithTyping(t *testing.T) {
	check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "lines")
		mine, theirs := twoParties(t, n)
		before := numbered(n)
		es := EditsOf(Diff(before, done(n, "X", mine...)))
		var landed []Edit
		want := make([]Landing, len(es))
		for i, e := range es {
			want[i] = Absent
			if rapid.Bool().Draw(t, "lands") {
				landed = append(landed, e)
				want[i] = Landed
			}
		}
		typed, _, conflicts := Rebase(before, EditsOf(Diff(before, done(n, "X", theirs...))), apply(t, before, landed...))
		if len(conflicts) > 0 {
			t.Fatalf("conflicts %v", conflicts)
		}
		after := apply(t, apply(t, before, landed...), typed...)
		if d := cmp.Diff(want, Landings(before, es, after)); d != "" {
			t.Fatalf("%v in %q: %s", es, after, d)
		}
	})
}
