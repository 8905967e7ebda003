package edits

import (
	"testing"

	"pgregory.net/rapid"
)

func TestApplyTable(t *testing.T) {
	for _, c := range []struct {
		name string
		es   []Edit
		want string // "" for an error
	}{
		{"none", nil, "0123456789"},
		{"in order", []Edit{{Span{1, 2}, "a"}, {Span{2, 2}, "b"}, {Span{2, 5}, ""}}, "0ab56789"},
		{"insertions at one offset", []Edit{{Span{3, 3}, "a"}, {Span{3, 3}, "b"}}, "012ab3456789"},
		{"out of order", []Edit{{Span{5, 5}, "a"}, {Span{3, 3}, "b"}}, ""},
		{"overlapping", []Edit{{Span{1, 4}, "a"}, {Span{3, 5}, "b"}}, ""},
		{"insertion in a replacement", []Edit{{Span{1, 4}, "a"}, {Span{1, 1}, "b"}}, ""},
		{"beyond the end", []Edit{{Span{9, 11}, "a"}}, ""},
		{"before the start", []Edit{{Span{-1, 1}, "a"}}, ""},
		{"backwards", []Edit{{Span{3, 2}, "a"}}, ""},
	} {
		got, err := Apply("0123456789", c.es)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestCoalesce(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := text(20).Draw(t, "text")
		es := editList(s).Draw(t, "edits")
		got := Coalesce(es)
		if want := apply(t, s, es...); apply(t, s, got...) != want {
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
	check(t, func(t *rapid.T) {
		s := text(20).Draw(t, "text")
		es := editList(s).Draw(t, "edits")
		if got := apply(t, apply(t, s, es...), Invert(s, es)...); got != s {
			t.Fatalf("taken back: %q, want %q", got, s)
		}
	})
}

func TestShiftTable(t *testing.T) {
	insert := []Edit{{Span{3, 3}, "abc"}}
	replace := []Edit{{Span{3, 6}, "a"}}
	both := []Edit{{Span{1, 3}, ""}, {Span{3, 3}, "abc"}, {Span{3, 6}, "d"}}
	for _, c := range []struct {
		es          []Edit
		offset      int
		left, right int
	}{
		{insert, 2, 2, 2}, {insert, 3, 3, 6}, {insert, 4, 7, 7},
		{replace, 3, 3, 3}, {replace, 4, 3, 4}, {replace, 6, 4, 4}, {replace, 7, 5, 5},
		{both, 1, 1, 1}, {both, 2, 1, 1}, {both, 3, 1, 4}, {both, 5, 4, 5}, {both, 6, 5, 5}, {both, 9, 8, 8},
	} {
		if l, r := Shift(c.offset, c.es, Left), Shift(c.offset, c.es, Right); l != c.left || r != c.right {
			t.Errorf("Shift(%d, %v) = %d left, %d right, want %d, %d", c.offset, c.es, l, r, c.left, c.right)
		}
	}
}

func TestShiftKeepsOrder(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := text(20).Draw(t, "text")
		es := editList(s).Draw(t, "edits")
		after, last := apply(t, s, es...), 0
		for offset := range len(s) + 1 {
			left, right := Shift(offset, es, Left), Shift(offset, es, Right)
			if left < last || right < left || right > len(after) {
				t.Fatalf("offset %d goes to %d or %d, after %d, in %d bytes", offset, left, right, last, len(after))
			}
			last = left
		}
	})
}
