package track

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
)

func TestRebaseTable(t *testing.T) {
	for _, c := range []struct {
		name, base, proposed, live string
		want                       string // live with what could be rebased
		conflicts                  []int
	}{
		{"nobody else", "a\nb\n", "a\nB\n", "a\nb\n", "a\nB\n", nil},
		{"lines above", "a\nb\n", "a\nB\n", "x\na\nb\n", "x\na\nB\n", nil},
		{"the line next to it", "a\nb\nc\n", "a\nB\nc\n", "A\nb\nC\n", "A\nB\nC\n", nil},
		{"the same line", "a\nb\nc\n", "a\nB\nc\nd\n", "a\nbb\nc\n", "a\nbb\nc\nd\n", []int{0}},
		{"line ends of others", "a\nb\nc\n", "a\nB\nc\n", "a\r\nb\nc\r\n", "a\r\nB\nc\r\n", nil},
		{"insertion where others insert", "a\nc\n", "a\nb\nc\n", "a\nx\nc\n", "a\nb\nx\nc\n", nil},
		{"lines after a new last line without its end", "a\n", "a\nb", "a\nx\n", "a\nx\n", []int{0}},
		{"a last line that lost its end, text after", "a\nb\n", "a\nB", "a\nb\nc\n", "a\nb\nc\n", []int{0}},
		{"everything gone", "a\nb\n", "a\nB\n", "", "", []int{0}},
		{"the same change", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n", nil},
		{"the same change, lines above", "a\nb\nc\n", "a\nB\nc\n", "x\na\nB\nc\n", "x\na\nB\nc\n", nil},
		{"the same change, and the next line", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nC\n", "a\nB\nC\n", []int{0}},
		{"the same insertion", "a\nc\n", "a\nb\nc\n", "a\nb\nc\n", "a\nb\nc\n", nil},
		{"the same insertion and more", "a\nc\n", "a\nb\nc\n", "a\nb\nx\nc\n", "a\nb\nb\nx\nc\n", nil},
		{"the same deletion", "a\nb\nc\n", "a\nc\n", "a\nc\n", "a\nc\n", nil},
		{"a larger deletion", "a\nb\nc\nd\n", "a\nc\nd\n", "a\nd\n", "a\nd\n", []int{0}},
		{"a larger deletion among equals", "a\n}\n}\n}\n}\nb\n", "a\n}\n}\n}\nb\n", "a\n}\n}\nb\n", "a\n}\n}\nb\n", []int{0}},
		{"one of two the same", "a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n", "a\nB\nc\nd\ne\n", "a\nB\nc\nD\ne\n", nil},
	} {
		es, _, conflicts := Rebase(c.base, edits.EditsOf(edits.Diff(c.base, c.proposed)), c.live)
		if d := cmp.Diff(c.conflicts, conflicts); d != "" {
			t.Errorf("%s: conflicts %s", c.name, d)
		}
		if got := edittest.Apply(t, c.live, es...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRebaseIsAThreeWayMerge(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "lines")
		mine, theirs := edittest.TwoParties(t, n)
		base := edittest.NumberedLines(n)
		proposed, live := edittest.After(n, "X", mine...), edittest.After(n, "X", theirs...)
		want := edittest.After(n, "X", append(mine, theirs...)...)
		for _, order := range []struct{ first, second string }{{live, proposed}, {proposed, live}} {
			es, _, conflicts := Rebase(base, edits.EditsOf(edits.Diff(base, order.second)), order.first)
			if len(conflicts) > 0 {
				t.Fatalf("conflicts %v of %q with %q", conflicts, order.second, order.first)
			}
			if got := edittest.Apply(t, order.first, es...); got != want {
				t.Fatalf("%q rebased onto %q is %q, want %q", order.second, order.first, got, want)
			}
		}
	})
}

func TestRebaseOfAnything(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		base, proposed := edittest.Text(20).Draw(t, "base"), edittest.Text(20).Draw(t, "proposed")
		live := edittest.Apply(t, base, edittest.Edits(base).Draw(t, "edits")...)
		es := edits.EditsOf(edits.Diff(base, proposed))
		if same, _, conflicts := Rebase(base, es, base); len(conflicts) > 0 || len(es) > 0 && !cmp.Equal(es, same) {
			t.Fatalf("rebased onto itself, %v is %v with conflicts %v", es, same, conflicts)
		}
		out, made, conflicts := Rebase(base, es, live)
		if len(out)+len(made)+len(conflicts) != len(es) {
			t.Fatalf("%v became %v, made %v and conflicts %v", es, out, made, conflicts)
		}
		next := 0
		for i, e := range es {
			if len(conflicts) > 0 && conflicts[0] == i {
				conflicts = conflicts[1:]
				continue
			}
			if len(made) > 0 && made[0] == i {
				if !strings.Contains(live, e.New) {
					t.Fatalf("%v is said to be made in %q", e, live)
				}
				made = made[1:]
				continue
			}
			if o := out[next]; o.New != e.New || o.Span.Of(live) != e.Span.Of(base) {
				t.Fatalf("%v became %v, which is of other text in %q", e, o, live)
			}
			next++
		}
		edittest.Apply(t, live, out...)
	})
}
