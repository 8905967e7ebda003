package edits

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
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
		es, _, conflicts := Rebase(c.base, EditsOf(Diff(c.base, c.proposed)), c.live)
		if d := cmp.Diff(c.conflicts, conflicts); d != "" {
			t.Errorf("%s: conflicts %s", c.name, d)
		}
		if got := apply(t, c.live, es...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// act is what somebody does to one line of a numbered text.
type act struct {
	line int
	verb string
}

// done returns n numbered lines after what was done to them.
func done(n int, who string, acts ...act) string {
	var b strings.Builder
	for i := range n {
		line := fmt.Sprintf("line %d;\n", i)
		for _, a := range acts {
			if a.line != i {
				continue
			}
			switch a.verb {
			case "change":
				line = fmt.Sprintf("%s's %d;\n", who, i)
			case "delete":
				line = ""
			case "insert":
				line += fmt.Sprintf("%s's after %d;\nand another after %d;\n", who, i, i)
			case "rewrite":
				line = fmt.Sprintf("%s's %d;\n%s's too %d;\n", who, i, who, i)
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// twoParties generates what two parties do to lines that are not next to each
// other, at most one thing to a line.
func twoParties(t *rapid.T, n int) (mine, theirs []act) {
	verbs := rapid.SampledFrom([]string{"change", "delete", "insert", "rewrite"})
	whose := rapid.SampledFrom([]string{"mine", "theirs", "nobody's"})
	last, lastAt := "nobody's", -2
	for i := range n {
		who := whose.Draw(t, "whose")
		if who == "nobody's" || who != last && last != "nobody's" && lastAt >= i-2 {
			continue
		}
		a := act{i, verbs.Draw(t, "verb")}
		if who == "mine" {
			mine = append(mine, a)
		} else {
			theirs = append(theirs, a)
		}
		last, lastAt = who, i
	}
	return mine, theirs
}

func TestRebaseIsAThreeWayMerge(t *testing.T) {
	check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "lines")
		mine, theirs := twoParties(t, n)
		base := numbered(n)
		proposed, live := done(n, "X", mine...), done(n, "X", theirs...)
		want := done(n, "X", append(mine, theirs...)...)
		for _, order := range []struct{ first, second string }{{live, proposed}, {proposed, live}} {
			es, _, conflicts := Rebase(base, EditsOf(Diff(base, order.second)), order.first)
			if len(conflicts) > 0 {
				t.Fatalf("conflicts %v of %q with %q", conflicts, order.second, order.first)
			}
			if got := apply(t, order.first, es...); got != want {
				t.Fatalf("%q rebased onto %q is %q, want %q", order.second, order.first, got, want)
			}
		}
	})
}

func TestRebaseOfAnything(t *testing.T) {
	check(t, func(t *rapid.T) {
		base, proposed := text(20).Draw(t, "base"), text(20).Draw(t, "proposed")
		live := apply(t, base, editList(base).Draw(t, "edits")...)
		es := EditsOf(Diff(base, proposed))
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
			if o := out[next]; o.New != e.New || o.Span.of(live) != e.Span.of(base) {
				t.Fatalf("%v became %v, which is of other text in %q", e, o, live)
			}
			next++
		}
		apply(t, live, out...)
	})
}
