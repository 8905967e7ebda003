package track

import (
	"fmt"
	"strings"
	"testing"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"

	"pgregory.net/rapid"
)

// pieced splits a text in which pieces are marked, as «good» or ‹stale›.
func pieced(s string) (text string, pieces []edits.Span) {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '«':
			pieces = append(pieces, edits.Span{Start: b.Len(), End: -1})
		case '»':
			pieces[len(pieces)-1].End = b.Len()
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), pieces
}

// shown returns live with the pieces marked in it.
func shown(p Placement) string {
	var b strings.Builder
	at := 0
	for i := range p.Len() {
		span, ok := p.At(i)
		open, close := "«", "»"
		if !ok {
			open, close = "‹", "›"
			span.Start, span.End = max(span.Start, at), max(span.End, at) // it may overlap others
		}
		b.WriteString(p.live[at:span.Start] + open + span.Of(p.live) + close)
		at = span.End
	}
	return b.String() + p.live[at:]
}

func TestShiftOfPieces(t *testing.T) {
	type step struct {
		old, new string // old is in the text once; what they have in common is not part of the edit
		want     string
	}
	for _, c := range []struct {
		name, ref string
		steps     []step
	}{
		{"lines before and after", "a\n«b\n»c\n", []step{
			{"a\nb", "a\nx\nb", "a\nx\n«b\n»c\n"},
			{"c\n", "y\nc\n", "a\nx\n«b\n»y\nc\n"},
			{"x\n", "", "a\n«b\n»y\nc\n"},
			{"y\n", "", "a\n«b\n»c\n"},
		}},
		{"typing in the lines around", "a\n«b\n»c\n", []step{
			{"a", "a1", "a1\n«b\n»c\n"},
			{"c", "1c", "a1\n«b\n»1c\n"},
		}},
		{"a line typed before, key by key", "a\n«b\n»c\n", []step{
			{"a\nb", "a\nxb", "a\n‹xb\n›c\n"},
			{"xb", "xyb", "a\n‹xyb\n›c\n"},
			{"xyb", "xy\nb", "a\nxy\n«b\n»c\n"},
		}},
		{"enter at the end of the last line", "a\n«b\n»c\n", []step{
			{"b\n", "b\n\n", "a\n«b\n»\nc\n"},
			{"\n\nc", "\nx\nc", "a\n«b\n»x\nc\n"},
		}},
		{"typing inside, and back", "a\n«b1\nb2\n»c\n", []step{
			{"b1", "bx1", "a\n‹bx1\nb2\n›c\n"},
			{"c", "cc", "a\n‹bx1\nb2\n›cc\n"},
			{"bx1", "b1", "a\n«b1\nb2\n»cc\n"},
		}},
		{"a line put inside, and back", "a\n«b1\nb2\n»c\n", []step{
			{"b1\n", "b1\nx\n", "a\n‹b1\nx\nb2\n›c\n"},
			{"x\n", "", "a\n«b1\nb2\n»c\n"},
		}},
		{"joined with the line before, and back", "a\n«b\n»c\n", []step{
			{"a\nb", "ab", "a‹b\n›c\n"},
			{"ab", "a\nb", "a\n«b\n»c\n"},
		}},
		{"joined with the line after, and back", "a\n«b\n»c\n", []step{
			{"b\nc", "bc", "a\n‹b›c\n"},
			{"bc", "b\nc", "a\n«b\n»c\n"},
		}},
		{"cut and pasted back", "a\n«b1\nb2\n»c\n", []step{
			{"b1\nb2\n", "", "a\n‹›c\n"},
			{"a\n", "a\nb1\nb2\n", "a\n«b1\nb2\n»c\n"},
		}},
		{"cut with what is around, and pasted back", "a\nx\n«b\n»y\nc\n", []step{
			{"x\nb\ny\n", "", "a\n‹›c\n"},
			{"a\n", "a\nx\nb\ny\n", "a\nx\n«b\n»y\nc\n"},
		}},
		{"pasted back line by line", "a\n«b1\nb2\n»c\n", []step{
			{"b1\nb2\n", "", "a\n‹›c\n"},
			{"c", "b1\nc", "a\n‹b1\n›c\n"},
			{"c", "b2\nc", "a\n«b1\nb2\n»c\n"},
		}},
		{"pasted twice", "a\n«b\n»c\n", []step{
			{"b\n", "x", "a\n‹x›c\n"},
			{"xc", "x\nb\n1\nb\n2\nc", "a\n‹x\nb\n1\nb\n2\n›c\n"},
			{"1\nb\n", "1\n", "a\nx\n«b\n»1\n2\nc\n"},
		}},
		{"several cut at once and pasted back", "a\n«b\n»}\n«c\n»}\nd\n«»e\n", []step{
			{"b\n}\nc\n}\nd\n", "", "a\n‹›‹›‹›e\n"},
			{"a\n", "a\nb\n}\nc\n}\nd\n", "a\n«b\n»}\n«c\n»}\nd\n«»e\n"},
		}},
		{"several the same, cut and pasted back", "a\n«b\n»1\n«b\n»2\nc\n", []step{
			{"a\nb\n1\nb\n2\n", "a\n", "a\n‹›‹›c\n"},
			{"a\n", "a\nb\n1\nb\n2\n", "a\n«b\n»1\n«b\n»2\nc\n"},
		}},
		{"cut from inside one to inside another, and back", "a\n«b1\nb2\n»x\n«c1\nc2\n»d\n", []step{
			{"b2\nx\nc1\n", "", "a\n‹b1\n›‹c2\n›d\n"},
			{"b1\n", "b1\nb2\nx\nc1\n", "a\n«b1\nb2\n»x\n«c1\nc2\n»d\n"},
		}},
		{"one of several restored", "a\n«b\n»x\n«c\n»d\n", []step{
			{"b\nx\nc\n", "", "a\n‹›‹›d\n"},
			{"a\n", "a\ny\nc\n", "a\n‹y\n›«c\n»d\n"},
		}},
		{"an insertion point", "a\n«»b\n", []step{
			{"a", "a1", "a1\n«»b\n"},
			{"b", "2b", "a1\n«»2b\n"},
			{"a1\n", "a1\n\n", "a1\n«»\n2b\n"},
		}},
		{"lines put at an insertion point", "a\n«»b\n", []step{
			{"b", "x\nb", "a\n«»x\nb\n"},
		}},
		{"lines joined at an insertion point, and back", "a\n«»b\n", []step{
			{"a", "a1", "a1\n«»b\n"},
			{"a1\nb", "a1b", "a1‹›b\n"},
			{"a1b", "a1\nb", "a1\n«»b\n"},
		}},
		{"deleted across an insertion point, and back", "a1\na2\n«»b1\nb2\n", []step{
			{"2\nb", "", "a1\na‹›1\nb2\n"},
			{"a1\na1", "a1\na2\nb1", "a1\na2\n«»b1\nb2\n"},
		}},
		{"the line after an insertion point deleted, and back", "a\nb\n«»c\nd\n", []step{
			{"c\n", "", "a\nb\n«»d\n"},
			{"b\n", "b\nc\n", "a\nb\n«»c\nd\n"},
		}},
		{"lines before an insertion point deleted, and back, after lines like them", "f\n}\ng\n}\n«»", []step{
			{"g\n}\n", "", "f\n}\n‹›"},
			{"f\n}\n", "f\n}\ng\n}\n", "f\n}\ng\n}\n«»"},
		}},
		{"the line before an insertion point deleted, and back", "a\nb\n«»c\nd\n", []step{
			{"b\n", "", "a\n‹›c\nd\n"},
			{"a\n", "a\nb\n", "a\nb\n«»c\nd\n"},
		}},
		{"a last line without its end", "a\n«b»", []step{
			{"b", "b\nfoo", "a\n‹b\nfoo›"},
			{"b\nfoo", "b\n", "a\n‹b\n›"},
			{"b\n", "b", "a\n«b»"},
		}},
		{"the end of a text", "a\n«»", []step{
			{"a\n", "a\nb", "a\n«»b"},
			{"a\n", "", "‹›b"},
			{"b", "a\nb", "a\n«»b"},
		}},
		{"an empty text", "«»", []step{
			{"", "a", "«»a"},
		}},
		{"a carriage return joined by a newline", "a\r«b\n»c\n", []step{
			{"a\rb", "a\r\nb", "a\r\n«b\n»c\n"},
		}},
		{"a line end changed at an insertion point", "a\r«»b\n", []step{
			{"a\rb", "a\r\nb", "a\r\n«»b\n"},
		}},
		{"a piece joined by a newline", "«a\r»b\n", []step{
			{"a\rb", "a\r\nb", "‹a\r\n›b\n"},
			{"a\r\n", "a\r", "«a\r»b\n"},
		}},
	} {
		ref, pieces := pieced(c.ref)
		p := Place(ref, pieces, ref)
		if got := shown(p); got != c.ref {
			t.Errorf("%s: placed as %q", c.name, got)
		}
		for _, s := range c.steps {
			if strings.Count(p.live, s.old) != 1 && p.live != "" {
				t.Fatalf("%s: %q is not once in %q", c.name, s.old, p.live)
			}
			at := strings.Index(p.live, s.old)
			e := trimmed(p.live, edits.Edit{Span: edits.Span{Start: at, End: at + len(s.old)}, New: s.new})
			p = p.Shift([]edits.Edit{e}, edittest.Apply(t, p.live, e))
			if got := shown(p); got != s.want {
				t.Errorf("%s: after %q became %q\n got %q\nwant %q", c.name, s.old, s.new, got, s.want)
				break
			}
		}
	}
}

func TestPlaceTable(t *testing.T) {
	for _, c := range []struct{ name, ref, live, want string }{
		{"the same", "a\n«b\n»c\n", "a\nb\nc\n", "a\n«b\n»c\n"},
		{"moved", "a\n«b\n»c\n", "x\ny\na\nb\nc\n", "x\ny\na\n«b\n»c\n"},
		{"changed", "a\n«b\n»c\n", "a\nB\nc\n", "a\n‹B\n›c\n"},
		{"gone", "a\n«b\n»c\n", "a\nc\n", "a\n‹›c\n"},
		{"a point", "a\n«»c\n", "0\na\nc\n", "0\na\n«»c\n"},
		{"a point in new lines", "a\n«»c\n", "a\nb\nc\n", "a\n«»b\nc\n"},
		{"a point in lines that both changed", "a\n«»c\n", "a1\nc1\n", "‹a1\nc1\n›"},
		{"not at a line's start", "a«b\n»c\n", "ab\nc\n", "a‹b\n›c\n"},
	} {
		ref, pieces := pieced(c.ref)
		if got := shown(Place(ref, pieces, c.live)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNewlineTypedAtAnInsertionPointAfterACarriageReturn(t *testing.T) {
	p := Place("a\rb\n", []edits.Span{{Start: 2, End: 2}}, "a\rb\n")
	p = p.Shift([]edits.Edit{{Span: edits.Span{Start: 2, End: 2}, New: "\n"}}, "a\r\nb\n")
	if got := shown(p); got != "a\r‹\n›b\n" {
		t.Errorf("got %q", got)
	}
	p = p.Shift([]edits.Edit{{Span: edits.Span{Start: 2, End: 3}, New: ""}}, "a\rb\n")
	if got := shown(p); got != "a\r«»b\n" {
		t.Errorf("after undo: %q", got)
	}
}

// Pieces that were made by hand together count only if each is whole lines: a lone "\r" before one
// that begins with "\n" is one line end with it.
func TestPiecesMadeTogetherAreWholeLines(t *testing.T) {
	p := Place("a\n\rb\n", []edits.Span{{Start: 0, End: 2}, {Start: 3, End: 5}}, "\r\n")
	other := []string{"", "\n"}
	if _, made := p.Switch(func(i int) string { return other[i] }); len(made) > 0 {
		t.Errorf("made by hand: %v", made)
	}
}

// What was deleted before an insertion point, and from the piece above it, comes back with one undo.
func TestAnInsertionPointComesBackWithThePieceAboveIt(t *testing.T) {
	ref := edittest.NumberedLines(4)
	es := []edits.Edit{{Span: edits.Span{Start: 6, End: 10}, New: ""}, {Span: edits.Span{Start: 23, End: 31}, New: ""}}
	p := Place(ref, []edits.Span{{Start: 8, End: 24}, {Start: 32, End: 32}}, ref)
	less := edittest.Apply(t, ref, es...)
	p = p.Shift(es, less).Shift(edits.Invert(ref, es), ref)
	for i, want := range p.pieces {
		if got, ok := p.At(i); !ok || got != want {
			t.Errorf("piece %d, of %v, is at %v, %v: %q", i, want, got, ok, shown(p))
		}
	}
}

// checkPlacement fails unless good pieces are as At promises and all places ascend.
func checkPlacement(t interface{ Fatalf(string, ...any) }, p Placement) {
	last := edits.Span{}
	for i := range p.Len() {
		span, ok := p.At(i)
		if span.Start < last.Start || span.End < last.End || span.End < span.Start || span.End > len(p.live) {
			t.Fatalf("piece %d at %v follows one at %v in %d bytes", i, span, last, len(p.live))
		}
		if ok && (i > 0 && span.Start < last.End || !edits.IsWholeLines(p.live, span) || span.Of(p.live) != p.pieces[i].Of(p.ref)) {
			t.Fatalf("piece %d, %q, is said to be good at %v of %q, after one at %v", i, p.pieces[i].Of(p.ref), span, p.live, last)
		}
		last = span
	}
}

// wholePieces generates pieces of s.
func wholePieces(s string) *rapid.Generator[[]edits.Span] {
	return rapid.Custom(func(t *rapid.T) []edits.Span {
		l := edits.NewLines(s)
		var pieces []edits.Span
		for line := 0; line < l.Count(); {
			from := rapid.IntRange(line, l.Count()).Draw(t, "from")
			to := min(from+rapid.IntRange(0, 2).Draw(t, "lines"), l.Count())
			line = to + 1
			if piece := (edits.Span{Start: l.Start(from), End: l.Start(to)}); edits.IsWholeLines(s, piece) {
				pieces = append(pieces, piece)
			}
		}
		return pieces
	})
}

func TestPlacesAreSound(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		ref := edittest.Text(20).Draw(t, "ref")
		p := Place(ref, wholePieces(ref).Draw(t, "pieces"), edittest.Text(20).Draw(t, "live"))
		if rapid.Bool().Draw(t, "from the same") {
			p = Place(ref, p.pieces, ref)
		}
		checkPlacement(t, p)
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			es := edittest.Edits(p.live).Draw(t, "edits")
			p = p.Shift(es, edittest.Apply(t, p.live, es...))
			checkPlacement(t, p)
		}
	})
}

func TestTypingOutsideTouchesNothing(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		// Gaps and pieces alternate; both are whole lines.
		n := rapid.IntRange(1, 4).Draw(t, "pieces")
		gaps, texts := make([]string, n+1), make([]string, n)
		for i := range gaps {
			gaps[i] = edittest.Text(4).Draw(t, "gap") + "\n"
		}
		var ref strings.Builder
		pieces := make([]edits.Span, n)
		for i := range texts {
			texts[i] = edittest.Text(4).Draw(t, "piece") + "\n"
			ref.WriteString(gaps[i])
			pieces[i] = edits.Span{Start: ref.Len(), End: ref.Len() + len(texts[i])}
			ref.WriteString(texts[i])
		}
		ref.WriteString(gaps[n])
		p := Place(ref.String(), pieces, ref.String())
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			at := rapid.IntRange(0, n).Draw(t, "in gap")
			e := edittest.Edit(gaps[at]).Draw(t, "edit")
			changed := edittest.Apply(t, gaps[at], e)
			if changed != "" && changed[len(changed)-1] != '\n' {
				continue // it would reach into the piece
			}
			for i := range at {
				e.Span = e.Span.Moved(len(gaps[i]) + len(texts[i]))
			}
			gaps[at] = changed
			p = p.Shift([]edits.Edit{e}, edittest.Apply(t, p.live, e))
			start := 0
			for i := range texts {
				start += len(gaps[i])
				want := edits.Span{Start: start, End: start + len(texts[i])}
				if got, ok := p.At(i); !ok || got != want {
					t.Fatalf("after %v in gap %d piece %d is at %v, %v, want %v, in %q", e, at, i, got, ok, want, p.live)
				}
				start = want.End
			}
		}
	})
}

func TestUndoneTypingTouchesNothing(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		ref := edittest.NumberedLines(rapid.IntRange(1, 12).Draw(t, "lines"))
		if rapid.Bool().Draw(t, "no last line end") {
			ref = ref[:len(ref)-1]
		}
		p := Place(ref, wholePieces(ref).Draw(t, "pieces"), ref)
		typed := 0
		var undo [][]edits.Edit
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			var es []edits.Edit
			for _, e := range edittest.Edits(p.live).Draw(t, "edits") {
				if len(es) > 0 && e.Start <= es[len(es)-1].End {
					continue // an editor would report one change
				}
				// Typed text occurs nowhere else, or an undo may rightly be mistaken for a change
				// there.
				typed++
				e.New = strings.ReplaceAll(e.New, "\n", fmt.Sprintf("%d\n", typed))
				es = append(es, e)
			}
			undo = append(undo, edits.Invert(p.live, es))
			p = p.Shift(es, edittest.Apply(t, p.live, es...))
		}
		for i := len(undo) - 1; i >= 0; i-- {
			p = p.Shift(undo[i], edittest.Apply(t, p.live, undo[i]...))
		}
		for i, want := range p.pieces {
			if want.Len() == 0 && len(undo) > 1 {
				// Changes in between may leave it between lines, for example empty ones, that
				// cannot be distinguished from those that it was between before.
				continue
			}
			if got, ok := p.At(i); !ok || got != want {
				t.Fatalf("after everything was undone, piece %d, of %v, is at %v, %v: %q", i, want, got, ok, shown(p))
			}
		}
	})
}

func FuzzTrack(f *testing.F) {
	f.Add("a\nb\nc\n", uint64(0b1010), []byte{2, 0, 1, 'x', '\n', 2, 2, 0})
	f.Add("a\r\nb\r}\n}\n", uint64(0b0110), []byte{1, 4, 0, 1, 0, 2, '}', '\n'})
	f.Add("\n\n\n", uint64(0b111), []byte{0, 3, 0, 0, 0, 3, '\n', '\n', '\n'})
	// The bits choose which boundaries of lines begin or end a piece; of each change, the first
	// bytes are its place, the number of deleted bytes and the number of the following bytes that
	// it inserts. With an odd number of change bytes the pieces are adjacent. Every other piece is
	// replaced by a line, the others are deleted.
	f.Add("a\nb\nc\nd\n", uint64(0b01111), []byte{2, 1, 1, 'x', 4, 2, 0, 0, 0})
	f.Add("a\nb\nc\n", uint64(0b0110), []byte{1, 0, 2, '\n', 'x', 2, 2, 0})
	f.Fuzz(func(t *testing.T, ref string, which uint64, changes []byte) {
		l := edits.NewLines(ref)
		var bounds []int
		for i := range min(l.Count()+1, 64) {
			if which>>i&1 == 1 {
				bounds = append(bounds, l.Start(i))
			}
		}
		var pieces []edits.Span
		for step := 2 - len(changes)%2; len(bounds) > 1; bounds = bounds[min(step, len(bounds)):] {
			pieces = append(pieces, edits.Span{Start: bounds[0], End: bounds[1]})
		}
		es := make([]edits.Edit, len(pieces))
		for i, piece := range pieces {
			es[i] = edits.Edit{Span: piece, New: strings.Repeat("x\n", 1-i%2)}
		}
		p := newFollow(ref, es, ref)
		for len(changes) >= 3 {
			start := min(int(changes[0]), len(p.live))
			end := min(start+int(changes[1]), len(p.live))
			size := min(int(changes[2]), len(changes)-3)
			e := edits.Edit{Span: edits.Span{Start: start, End: end}, New: string(changes[3 : 3+size])}
			changes = changes[3+size:]
			p.shift(edits.Refine(p.live, e), edittest.Apply(t, p.live, e))
			checkFollow(t, p)
		}
	})
}

// trimmed returns the edit without the common text at its start and end.
func trimmed(text string, e edits.Edit) edits.Edit {
	n := linetext.CommonPrefix(e.Span.Of(text), e.New)
	e.Start, e.New = e.Start+n, e.New[n:]
	n = linetext.CommonSuffix(e.Span.Of(text), e.New)
	e.End, e.New = e.End-n, e.New[:len(e.New)-n]
	return e
}
