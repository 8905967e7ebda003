package edits_test

import (
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
)

func TestApplyTable(t *testing.T) {
	for _, c := range []struct {
		name string
		es   []edits.Edit
		want string // "" for an error
	}{
		{"none", nil, "0123456789"},
		{"in order", []edits.Edit{{Span: edits.Span{Start: 1, End: 2}, New: "a"}, {Span: edits.Span{Start: 2, End: 2}, New: "b"}, {Span: edits.Span{Start: 2, End: 5}, New: ""}}, "0ab56789"},
		{"insertions at one offset", []edits.Edit{{Span: edits.Span{Start: 3, End: 3}, New: "a"}, {Span: edits.Span{Start: 3, End: 3}, New: "b"}}, "012ab3456789"},
		{"out of order", []edits.Edit{{Span: edits.Span{Start: 5, End: 5}, New: "a"}, {Span: edits.Span{Start: 3, End: 3}, New: "b"}}, ""},
		{"overlapping", []edits.Edit{{Span: edits.Span{Start: 1, End: 4}, New: "a"}, {Span: edits.Span{Start: 3, End: 5}, New: "b"}}, ""},
		{"insertion in a replacement", []edits.Edit{{Span: edits.Span{Start: 1, End: 4}, New: "a"}, {Span: edits.Span{Start: 1, End: 1}, New: "b"}}, ""},
		{"beyond the end", []edits.Edit{{Span: edits.Span{Start: 9, End: 11}, New: "a"}}, ""},
		{"before the start", []edits.Edit{{Span: edits.Span{Start: -1, End: 1}, New: "a"}}, ""},
		{"backwards", []edits.Edit{{Span: edits.Span{Start: 3, End: 2}, New: "a"}}, ""},
	} {
		got, err := edits.Apply("0123456789", c.es)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestCoalesce(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		s := edittest.Text(20).Draw(t, "text")
		es := edittest.Edits(s).Draw(t, "edits")
		got := edits.Coalesce(es)
		if want := edittest.Apply(t, s, es...); edittest.Apply(t, s, got...) != want {
			t.Fatalf("%v does other than %v to %q", got, es, s)
		}
		for i := range got {
			if i > 0 && got[i].Start == got[i-1].End {
				t.Fatalf("edits %d and %d of %v touch", i-1, i, got)
			}
		}
	})
}

func TestInvertTakesBack(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		s := edittest.Text(20).Draw(t, "text")
		es := edittest.Edits(s).Draw(t, "edits")
		if got := edittest.Apply(t, edittest.Apply(t, s, es...), edits.Invert(s, es)...); got != s {
			t.Fatalf("taken back: %q, want %q", got, s)
		}
	})
}

func TestShiftTable(t *testing.T) {
	insert := []edits.Edit{{Span: edits.Span{Start: 3, End: 3}, New: "abc"}}
	replace := []edits.Edit{{Span: edits.Span{Start: 3, End: 6}, New: "a"}}
	both := []edits.Edit{{Span: edits.Span{Start: 1, End: 3}, New: ""}, {Span: edits.Span{Start: 3, End: 3}, New: "abc"}, {Span: edits.Span{Start: 3, End: 6}, New: "d"}}
	for _, c := range []struct {
		es          []edits.Edit
		offset      int
		left, right int
	}{
		{insert, 2, 2, 2}, {insert, 3, 3, 6}, {insert, 4, 7, 7},
		{replace, 3, 3, 3}, {replace, 4, 3, 4}, {replace, 6, 4, 4}, {replace, 7, 5, 5},
		{both, 1, 1, 1}, {both, 2, 1, 1}, {both, 3, 1, 4}, {both, 5, 4, 5}, {both, 6, 5, 5}, {both, 9, 8, 8},
	} {
		if l, r := edits.NewShifter(c.es).At(c.offset, edits.Left), edits.NewShifter(c.es).At(c.offset, edits.Right); l != c.left || r != c.right {
			t.Errorf("%d after %v goes to %d left, %d right, want %d, %d", c.offset, c.es, l, r, c.left, c.right)
		}
	}
}

func TestShiftKeepsOrder(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		s := edittest.Text(20).Draw(t, "text")
		es := edittest.Edits(s).Draw(t, "edits")
		after, last := edittest.Apply(t, s, es...), 0
		for offset := range len(s) + 1 {
			left, right := edits.NewShifter(es).At(offset, edits.Left), edits.NewShifter(es).At(offset, edits.Right)
			if left < last || right < left || right > len(after) {
				t.Fatalf("offset %d goes to %d or %d, after %d, in %d bytes", offset, left, right, last, len(after))
			}
			last = left
		}
	})
}
