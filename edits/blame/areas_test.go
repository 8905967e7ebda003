package blame

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
	"redline/edits/landed"
	"redline/edits/track"
	_ "redline/internal/seed"
)

// calls edits base repeatedly, each time given as "old→new" or, for one call with several edits, as
// several of these.
func calls(t *testing.T, base string, pairs ...[]string) (Areas, string) {
	t.Helper()
	var as Areas
	text := base
	for i, call := range pairs {
		var es []edits.Edit
		var steps []string
		for _, pair := range call {
			old, new, _ := strings.Cut(pair, "→")
			at := strings.Index(text, old)
			if at < 0 {
				t.Fatalf("%q is not in %q", old, text)
			}
			es, steps = append(es, edits.Edit{Span: edits.Span{Start: at, End: at + len(old)}, New: new}), append(steps, fmt.Sprint(i+1))
		}
		next := edittest.Apply(t, text, es...)
		as, text = as.Edited(base, text, es, steps, i+1, next), next
	}
	return as, text
}

// rowsOfAreas returns a row for each area: step, old and new lines.
func rowsOfAreas(as Areas, base, text string) []string {
	var out []string
	for _, a := range as {
		out = append(out, fmt.Sprintf("%s: %q→%q", a.Step, a.Old.Of(base), a.New.Of(text)))
	}
	return out
}

func TestAreasTable(t *testing.T) {
	type call = []string
	const base = "1\n2\n3\n4\n5\n"
	for _, test := range []struct {
		name  string
		base  string
		calls []call
		want  []string
	}{
		{"one call", base, []call{{"2→two"}}, []string{`1: "2\n"→"two\n"`}},
		{"one call on adjacent lines", base, []call{{"2→two", "3→three"}}, []string{`1: "2\n3\n"→"two\nthree\n"`}},
		{"one call with an unchanged line in it", base, []call{{"2\n3\n4→two\n3\nfour"}}, []string{`1: "2\n"→"two\n"`, `1: "4\n"→"four\n"`}},
		{"two calls on adjacent lines", base, []call{{"2→two"}, {"3→three"}}, []string{`1: "2\n"→"two\n"`, `2: "3\n"→"three\n"`}},
		{"the other way round", base, []call{{"3→three"}, {"2→two"}}, []string{`2: "2\n"→"two\n"`, `1: "3\n"→"three\n"`}},
		{"two calls with context that overlaps", base, []call{{"1\n2\n3→1\ntwo\n3"}, {"two\n3\n4→two\nthree\n4"}},
			[]string{`1: "2\n"→"two\n"`, `2: "3\n"→"three\n"`}},
		{"two calls on one line", base, []call{{"2→two"}, {"two→too"}}, []string{`2: "2\n"→"too\n"`}},
		{"and back", base, []call{{"2→two"}, {"two→2"}}, nil},
		{"a line put behind a changed one", base, []call{{"2→two"}, {"two\n→two\nnew\n"}}, []string{`1: "2\n"→"two\n"`, `2: ""→"new\n"`}},
		{"a line put before a changed one", base, []call{{"2→two"}, {"1\n→1\nnew\n"}}, []string{`2: ""→"new\n"`, `1: "2\n"→"two\n"`}},
		{"a line put where one was deleted", base, []call{{"2\n→"}, {"1\n→1\nnew\n"}}, []string{`2: "2\n"→"new\n"`}},
		{"lines deleted on both sides", base, []call{{"3\n→"}, {"2\n→"}, {"4→four"}}, []string{`2: "2\n"→""`, `1: "3\n"→""`, `3: "4\n"→"four\n"`}},
		{"two insertions at one place", base, []call{{"2\n→2\na\n"}, {"a\n→a\nb\n"}}, []string{`2: ""→"a\nb\n"`}},
		{"inside what was inserted", base, []call{{"2\n→2\na\nb\n"}, {"b→c"}}, []string{`2: ""→"a\nc\n"`}},
		{"across two", base, []call{{"2→two"}, {"4→four"}, {"two\n3\nfour→x"}}, []string{`3: "2\n3\n4\n"→"x\n"`}},
		{"the last line without its end, then more", "1\n2", []call{{"2→two"}, {"two→two\n3"}}, []string{`2: "2"→"two\n3"`}},
		{"at the end without a line end", "1\n2", []call{{"1→one"}, {"2→two"}}, []string{`1: "1\n"→"one\n"`, `2: "2"→"two"`}},
		{"an end taken off once nothing follows", "1\n2\n", []call{{"2\n→"}, {"1\n→one"}}, []string{`1: "1\n2\n"→"one"`}},
		{"a whole text", base, []call{{base + "→2\n3\nfour\n5\n"}, {"3\n→three\n"}},
			[]string{`1: "1\n"→""`, `2: "3\n"→"three\n"`, `1: "4\n"→"four\n"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			as, text := calls(t, test.base, test.calls...)
			if diff := cmp.Diff(test.want, rowsOfAreas(as.Separate(test.base, text), test.base, text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// drawAreas draws a base, the result of several calls on it, and the areas.
func drawAreas(t *rapid.T) (base, now string, as Areas) {
	base = edittest.Text(20).Draw(t, "base")
	now = base
	for call := range rapid.IntRange(0, 5).Draw(t, "calls") {
		var es []edits.Edit
		if rapid.Bool().Draw(t, "lines") {
			// Whole lines of a text, which is the usual case.
			l := edits.NewLines(now)
			from := rapid.IntRange(0, l.Count()-1).Draw(t, "from")
			to := min(from+rapid.IntRange(0, 2).Draw(t, "count"), l.Count())
			es = []edits.Edit{{Span: edits.Span{Start: l.Start(from), End: l.Start(to)}, New: rapid.SampledFrom([]string{"", "a\n", "b\na\n", "\n"}).Draw(t, "new")}}
		} else {
			es = edittest.Edits(now).Draw(t, "edits")
		}
		next := edittest.Apply(t, now, es...)
		as, now = as.Edited(base, now, es, make([]string, len(es)), call, next), next
		checkAreas(t, as, base, now)
	}
	return base, now, as
}

// checkAreas fails unless the areas keep their promises.
func checkAreas(t *rapid.T, as Areas, base, text string) {
	toBase, last := 0, edits.Span{}
	for i, a := range as {
		if a.Old.Start < last.Start || a.New.Start < last.End || a.Old.Len() < 0 || a.New.Len() < 0 || a.Old.Len()+a.New.Len() == 0 {
			t.Fatalf("area %d of %v is out of order", i, as)
		}
		if a.Old.Start-a.New.Start != toBase {
			t.Fatalf("area %d of %v has other text before it", i, as)
		}
		if !edits.IsWholeLines(base, a.Old) && a.Old.Len() > 0 || !edits.IsWholeLines(text, a.New) && a.New.Len() > 0 {
			t.Fatalf("area %d of %v is not whole lines of %q and %q", i, as, base, text)
		}
		toBase, last = a.Old.End-a.New.End, edits.Span{Start: a.Old.End, End: a.New.End}
	}
	if got := edittest.Apply(t, base, as.Edits(text)...); got != text {
		t.Fatalf("%v of %q gives %q, want %q", as, base, got, text)
	}
}

// TestAreasAreDecidedOneByOne shows that hunks made by several calls can be approved one by one:
// every subset, in every order, gives the same text as the subset at once, and each line of the
// result is a line of one of the two texts.
func TestAreasAreDecidedOneByOne(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		base, proposed, as := drawAreas(t)
		as = as.Separate(base, proposed)
		checkAreas(t, as, base, proposed)
		all := as.Edits(proposed)
		wanted := rapid.SliceOfN(rapid.Bool(), len(all), len(all)).Draw(t, "wanted")
		var subset []edits.Edit
		var order []int
		var lines []string
		at := 0
		for i, e := range all {
			lines = append(lines, linetext.Split(base[at:e.Start])...)
			if wanted[i] {
				subset, order = append(subset, e), append(order, i)
				lines = append(lines, linetext.Split(e.New)...)
			} else {
				lines = append(lines, linetext.Split(e.Span.Of(base))...)
			}
			at = e.End
		}
		lines = append(lines, linetext.Split(base[at:])...)
		want := edittest.Apply(t, base, subset...)
		if got := linetext.Split(want); !slices.Equal(got, lines) {
			t.Fatalf("%v of %q and %q: the subset %v has the lines %q, want %q", as, base, proposed, wanted, got, lines)
		}

		order = rapid.Permutation(order).Draw(t, "order")
		approved := map[int]bool{}
		live := base
		for _, i := range order {
			ref, pieces := reference(base, all, approved)
			p := track.Place(ref, pieces, live)
			for k := range all {
				span, ok := p.At(k)
				if !ok || !approved[k] && !track.KeepsLines(live, edits.Edit{Span: span, New: all[k].New}) {
					t.Fatalf("%v of %q: with %v approved hunk %d has no place in %q", as, base, approved, k, live)
				}
			}
			span, _ := p.At(i)
			live = edittest.Apply(t, live, edits.Edit{Span: span, New: all[i].New})
			approved[i] = true
		}
		if live != want {
			t.Fatalf("%v of %q: in the order %v it gives %q, want %q", as, base, order, live, want)
		}
	})
}

// reference returns base with the approved edits, and the place of each.
func reference(base string, es []edits.Edit, approved map[int]bool) (ref string, pieces []edits.Span) {
	at := 0
	for i, e := range es {
		ref += base[at:e.Start]
		piece := e.Span.Of(base)
		if approved[i] {
			piece = e.New
		}
		pieces = append(pieces, edits.Span{Start: len(ref), End: len(ref) + len(piece)})
		ref, at = ref+piece, e.End
	}
	return ref + base[at:], pieces
}

// TestLandingsOfTouchingEdits shows that if an editor made some of several edits on adjacent lines,
// the others are not reported as made.
func TestLandingsOfTouchingEdits(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		base, proposed, as := drawAreas(t)
		es := as.Separate(base, proposed).Edits(proposed)
		for i, l := range landed.Of(base, es, proposed) {
			if l != edits.Landed {
				t.Fatalf("edit %d of %v of %q is %v in what it makes", i, es, base, l)
			}
		}
		if base == proposed {
			return // no edit changes the text, so all count as made
		}
		for i, l := range landed.Of(base, es, base) {
			if l == edits.Landed {
				t.Fatalf("edit %d of %v of %q has landed in the text as it was", i, es, base)
			}
		}
	})
}
