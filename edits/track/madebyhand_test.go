package track

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	_ "redline/internal/seed"
)

// proposals splits a text in which pieces and their replacements are marked, as «old|new».
func proposals(s string) (text string, es []edits.Edit) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "«")
		b.WriteString(before)
		if !ok {
			return b.String(), es
		}
		piece, after, _ := strings.Cut(rest, "»")
		old, changed, _ := strings.Cut(piece, "|")
		es = append(es, edits.Edit{Span: edits.Span{Start: b.Len(), End: b.Len() + len(old)}, New: changed})
		b.WriteString(old)
		s = after
	}
}

// follow is a Placement that follows pieces in both of their forms, like proposals.
type follow struct {
	Placement
	es   []edits.Edit // of the first ref
	old  []string
	done []bool
}

func newFollow(ref string, es []edits.Edit, live string) *follow {
	f := &follow{es: es, old: make([]string, len(es)), done: make([]bool, len(es))}
	pieces := make([]edits.Span, len(es))
	for i, e := range es {
		pieces[i], f.old[i] = e.Span, e.Span.Of(ref)
	}
	f.Placement = Place(ref, pieces, live)
	f.look()
	return f
}

func (f *follow) other(i int) string {
	if f.done[i] {
		return f.old[i]
	}
	return f.es[i].New
}

func (f *follow) look() {
	next, which := f.Placement.Switch(f.other)
	f.Placement = next
	for _, i := range which {
		f.done[i] = !f.done[i]
	}
}

func (f *follow) shift(es []edits.Edit, live string) {
	f.Placement = f.Placement.Shift(es, live)
	f.look()
}

// states returns a letter for each piece: p if it is unchanged, m if it was changed to its other
// text, s if neither.
func (f *follow) states() string {
	var b strings.Builder
	for i := range f.Len() {
		switch _, ok := f.At(i); {
		case !ok:
			b.WriteByte('s')
		case f.done[i]:
			b.WriteByte('m')
		default:
			b.WriteByte('p')
		}
	}
	return b.String()
}

func TestSwitchWhileTyping(t *testing.T) {
	type step struct {
		at, end int // within the replaced text, as a client reports it
		new     string
		want    string
	}
	for _, c := range []struct {
		name, ref string
		steps     []step
	}{
		{"a line, key by key, and back", "a\n«b\n|Bx\n»c\n", []step{
			{2, 3, "B", "s"}, {3, 3, "x", "m"}, {4, 4, "y", "s"}, {4, 5, "", "m"}, {3, 4, "", "s"}, {2, 3, "b", "p"},
		}},
		{"a line and lines after it", "a\n«b\n|B\n»c\n", []step{
			{2, 3, "B", "m"}, {4, 4, "new\n", "m"}, {2, 2, "first\n", "m"}, {8, 9, "", "s"},
		}},
		{"a line that the user opens anew", "a\n«b\n|B\n»c\n", []step{
			{2, 4, "", "s"}, {1, 1, "\n", "s"}, {2, 2, "B", "m"},
		}},
		{"a deletion", "a\n«b\n|»c\n", []step{
			{2, 4, "", "m"}, {2, 2, "b\n", "p"}, {1, 3, "", "m"},
		}},
		{"a deletion, character by character", "a\n«b\n|»c\n", []step{
			{2, 3, "", "s"}, {1, 2, "", "m"},
		}},
		{"a larger deletion", "a\n«b\n|»c\nd\n", []step{{2, 6, "", "s"}}},
		{"a larger deletion among equals", "}\n}\n«}\n|»}\n}\n}\n", []step{{4, 8, "", "s"}}},
		{"lines put in by Enter after the line before", "a\n«|xy\n»b\n", []step{
			{1, 1, "\n", "p"}, {2, 2, "x", "p"}, {3, 3, "y", "m"}, {4, 4, "z", "s"}, {4, 5, "", "m"}, {2, 4, "", "s"}, {1, 2, "", "p"},
		}},
		{"lines put in by Enter before the line after", "a\n«|x\n»b\n", []step{
			{2, 2, "\n", "p"}, {2, 2, "x", "m"},
		}},
		{"lines put in with an indentation", "a\n«|\tx\n»b\n", []step{
			{1, 1, "\n\t", "p"}, {3, 3, "x", "m"},
		}},
		{"lines pasted, told from inside the next line", "a\n«|func x\n»func y\n", []step{
			{7, 7, "x\nfunc ", "m"}, {7, 14, "", "p"},
		}},
		{"lines pasted before something typed in the next line", "a\n«|x\n»b\n", []step{
			{2, 2, "2", "p"}, {2, 2, "x\n", "m"},
		}},
		{"lines pasted with more", "a\n«|x\n»b\n", []step{{2, 2, "x\ny\n", "p"}}},
		{"a line like the next, not put in", "}\n«|}\n»}\n}\n", []step{{0, 0, "x", "p"}, {1, 1, "\n", "p"}}},
		{"a line like the next, put in and taken out", "}\n«|}\n»}\n}\n", []step{
			{2, 2, "}\n", "m"}, {2, 4, "", "p"},
		}},
		{"a blank line next to one", "a\n«|\n»\nb\n", []step{
			{2, 2, "\n", "m"}, {2, 3, "", "p"},
		}},
		{"the line end before lines put in goes and comes back", "a\n«|x\n»b\n", []step{
			{2, 2, "x\n", "m"}, {1, 2, "", "s"}, {1, 1, "\n", "m"},
		}},
		{"while they are being put in", "a\n«|x\ny\n»b\n", []step{
			{2, 2, "x\n", "p"}, {1, 2, "", "s"}, {1, 1, "\n", "p"}, {4, 4, "y\n", "m"},
		}},
		{"two next to each other, one after the other", "a\n«b\n|B\n»«c\n|C\n»d\n", []step{
			{2, 3, "B", "mp"}, {4, 5, "C", "mm"}, {2, 3, "b", "pm"},
		}},
		{"two next to each other in one go", "a\n«b\n|B\n»«c\n|C\n»d\n", []step{
			{2, 6, "B\nC\n", "mm"}, {2, 6, "b\nc\n", "pp"}, {2, 6, "", "ss"},
		}},
		{"two next to each other, half", "a\n«b\n|B\n»«c\n|C\n»d\n", []step{
			{2, 5, "Bx\nCx", "ss"}, {3, 4, "", "ss"}, {5, 6, "", "mm"},
		}},
		{"a line and lines put in after it", "a\n«b\n|B\n»«|x\n»c\n", []step{
			{2, 3, "B", "mp"}, {4, 4, "x\n", "mm"}, {2, 6, "b\n", "pp"},
		}},
		{"a line and lines put in after it, in one go", "a\n«b\n|B\n»«|x\n»c\n", []step{
			{2, 4, "B\nx\n", "mm"},
		}},
		{"lines put in and the line after them, in one go", "a\n«|x\n»«b\n|B\n»c\n", []step{
			{2, 4, "x\nB\n", "mm"}, {2, 4, "", "pm"},
		}},
		{"the end of a text", "a\n«|b»", []step{{2, 2, "b", "m"}, {2, 3, "", "p"}}},
	} {
		ref, es := proposals(c.ref)
		f := newFollow(ref, es, ref)
		for n, s := range c.steps {
			e := edits.Edit{Span: edits.Span{Start: s.at, End: s.end}, New: s.new}
			live := edittest.Apply(t, f.live, e)
			f.shift(edits.Refine(f.live, e), live)
			if got := f.states(); got != s.want {
				t.Errorf("%s: step %d: %q is %s, want %s: %s", c.name, n+1, live, got, s.want, shown(f.Placement))
				break
			}
			checkPlacement(t, f.Placement)
		}
	}
}

func TestSwitchAfterPlace(t *testing.T) {
	for _, c := range []struct{ name, ref, live, want string }{
		{"everything", "a\n«b\n|B\n»c\n«|x\n»d\n«e\n|»f\n", "a\nB\nc\nx\nd\nf\n", "mmm"},
		{"nothing", "a\n«b\n|B\n»c\n«|x\n»d\n«e\n|»f\n", "a\nb\nc\nd\ne\nf\n", "ppp"},
		{"with other lines changed", "a\n«b\n|B\n»c\nd\n", "0\na\nB\nc\nD\n", "m"},
		{"with the line next to it changed", "a\n«b\n|B\n»c\nd\n", "a\nB\nC\nd\n", "s"},
		{"a blank line", "a\n\n«|\n»b\n", "a\n\n\nb\n", "m"},
		{"a brace among braces", "f\n}\n«|}\n»\ng\n}\n", "f\n}\n}\n\ng\n}\n", "m"},
		{"not in the place", "a\n«|x\n»b\nc\n", "a\nb\nx\nc\n", "p"},
	} {
		ref, es := proposals(c.ref)
		f := newFollow(ref, es, c.live)
		if got := f.states(); got != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, got, c.want, shown(f.Placement))
		}
	}
}

// touchingEdits generates edits of base like those of proposals: of whole lines, some of them
// adjacent.
func touchingEdits(base string) *rapid.Generator[[]edits.Edit] {
	return rapid.Custom(func(t *rapid.T) []edits.Edit {
		l := edits.NewLines(base)
		var es []edits.Edit
		for line := 0; line <= l.Count(); {
			from := line + rapid.IntRange(0, 3).Draw(t, "gap")
			to := from + rapid.IntRange(0, 4).Draw(t, "lines")
			if to > l.Count() {
				break
			}
			e := edits.Edit{Span: edits.Span{Start: l.Start(from), End: l.Start(to)}, New: ""}
			if to == from || rapid.Bool().Draw(t, "replaces") {
				e.New = edittest.Text(3).Draw(t, "new") + "\n"
			}
			last := len(es) - 1
			if edits.IsWholeLines(base, e.Span) && e.Span.Of(base) != e.New && (last < 0 || es[last].Len()+e.Len() > 0 || es[last].End < e.Start) {
				es = append(es, e)
			}
			line = max(to, line+1)
		}
		return es
	})
}

// Whatever the user does, a piece reported in one of its forms has exactly that text.
func TestSwitchedPiecesAreSound(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		base := edittest.Text(20).Draw(t, "base")
		es := touchingEdits(base).Draw(t, "proposals")
		live := base
		if rapid.Bool().Draw(t, "from another text") {
			live = edittest.Text(20).Draw(t, "live")
		}
		f := newFollow(base, es, live)
		checkFollow(t, f)
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			typed := edittest.Edits(f.live).Draw(t, "edits")
			if i := rapid.IntRange(0, 2*len(es)).Draw(t, "make"); i < len(es) {
				if at, ok := f.At(i); ok && !f.done[i] { // the user types a proposal
					typed = []edits.Edit{{Span: at, New: es[i].New}}
				}
			}
			f.shift(typed, edittest.Apply(t, f.live, typed...))
			checkFollow(t, f)
		}
	})
}

func checkFollow(t interface{ Fatalf(string, ...any) }, f *follow) {
	checkPlacement(t, f.Placement)
	for i, e := range f.es {
		want := f.old[i]
		if f.done[i] {
			want = e.New
		}
		if span, ok := f.At(i); ok && span.Of(f.live) != want {
			t.Fatalf("piece %d, %v, is said to be %q at %v of %q", i, e, want, span, f.live)
		}
	}
}

// An edit that the user has made in the same place is not made again.
func TestWhatTheUserMakesIsMade(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		// Lines that are all different, so that there is one place for each.
		base := edittest.NumberedLines(rapid.IntRange(1, 12).Draw(t, "lines"))
		es := touchingEdits(base).Draw(t, "proposals")
		for i := range es {
			if es[i].New != "" {
				es[i].New = "mine " + strconv.Itoa(i) + "\n"
			}
		}
		var mine []int
		var made []edits.Edit
		for i := range es {
			if rapid.Bool().Draw(t, "makes") {
				mine, made = append(mine, i), append(made, es[i])
			}
		}
		proposed := edittest.Apply(t, base, es...)
		live := edittest.Apply(t, base, made...)

		f := newFollow(base, es, base)
		f.shift(made, live)
		for i := range es {
			if f.done[i] != slices.Contains(mine, i) {
				t.Fatalf("the user made %v of %v: %s", mine, es, f.states())
			}
		}
		rest, done, conflicts := Rebase(base, es, live)
		if len(conflicts) > 0 || !slices.Equal(done, mine) {
			t.Fatalf("the user made %v of %v: Rebase says made %v, conflicts %v, the rest %v", mine, es, done, conflicts, rest)
		}
		if got := edittest.Apply(t, live, rest...); got != proposed {
			t.Fatalf("with the rest it is %q, want %q", got, proposed)
		}
	})
}
