package track

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
)

// stack is a text as alternating gaps and pieces, gap first. Only the test knows their places: a
// Placement has to find them.
type stack struct {
	gaps     []string
	old, new []string // of the pieces
	applied  []bool
}

// edge keeps a gap from merging with a piece. It is in no other text.
func edge(i int) string { return fmt.Sprintf("edge %d;\n", i) }

// stacks generates texts with pieces of all kinds, some of them adjacent, as arbitrary lines.
func stacks() *rapid.Generator[*stack] {
	return rapid.Custom(func(t *rapid.T) *stack {
		s := &stack{gaps: []string{edittest.Text(4).Draw(t, "gap") + "\n" + edge(0)}}
		n := rapid.IntRange(1, 4).Draw(t, "pieces")
		for i := range n {
			kind := rapid.IntRange(0, 2).Draw(t, "kind")
			old, new := edittest.Text(3).Draw(t, "old")+"\n", edittest.Text(3).Draw(t, "new")+"\n"
			if kind == 0 {
				old = ""
			} else if h := edits.Diff(old, new); kind == 1 || len(h) != 1 || h[0].OldText != old || h[0].NewText != new {
				new = "" // the lines that a hunk replaces are all different
			}
			gap := edge(i+1) + edittest.Text(4).Draw(t, "gap") + "\n" + edge(i+1)
			if old != "" && i+1 < n && rapid.Bool().Draw(t, "touches the next") {
				gap = ""
			}
			if gap == "" || s.gaps[i] == "" {
				// Adjacent equal pieces cannot be distinguished, and an insertion next to a piece
				// is part of it.
				old = fmt.Sprintf("old %d;\n%s", i, old)
				if new != "" {
					new = fmt.Sprintf("new %d;\n%s", i, new)
				}
			}
			s.old, s.new, s.gaps = append(s.old, old), append(s.new, new), append(s.gaps, gap)
		}
		s.applied = make([]bool, n)
		return s
	})
}

// text returns the expected text, and the places of the gaps and the pieces in it.
func (s *stack) text() (text string, gaps, pieces []edits.Span) {
	var b strings.Builder
	for i, gap := range s.gaps {
		gaps = append(gaps, edits.Span{Start: b.Len(), End: b.Len() + len(gap)})
		b.WriteString(gap)
		if i == len(s.old) {
			break
		}
		piece := s.old[i]
		if s.applied[i] {
			piece = s.new[i]
		}
		pieces = append(pieces, edits.Span{Start: b.Len(), End: b.Len() + len(piece)})
		b.WriteString(piece)
	}
	return b.String(), gaps, pieces
}

// typing generates an edit of gap i, in lines and characters of the encoding as a client reports
// it, and makes it. Its text is between the edges. ok is false if there is no room for one.
func (s *stack) typing(t *rapid.T, i int, enc edits.Encoding) (r edits.Range, insert string, ok bool) {
	text, gaps, _ := s.text()
	room := gaps[i]
	if room.Len() == 0 {
		return r, "", false
	}
	if i > 0 {
		room.Start += len(edge(i))
	}
	if room.End -= len(edge(i)); room.End <= room.Start {
		return r, "", false
	}
	l := edits.NewLines(text)
	at := func(name string, from int) int {
		p := l.Position(rapid.IntRange(from, room.End-1).Draw(t, name), enc)
		offset, err := l.Offset(p, enc)
		if err != nil {
			t.Fatalf("%v of %q: %v", p, text, err)
		}
		return max(offset, room.Start)
	}
	start := at("start", room.Start)
	end := start
	if rapid.Bool().Draw(t, "deletes") {
		end = at("end", start)
	}
	if end < start {
		end = start
	}
	r = l.Range(edits.Span{Start: start, End: end}, enc)
	insert = typed().Draw(t, "typed")
	span, err := l.Span(r, enc)
	if err != nil || span.Start < room.Start {
		return r, "", false // inside a line end, which no client names
	}
	gap := s.gaps[i]
	s.gaps[i] = gap[:span.Start-gaps[i].Start] + insert + gap[span.End-gaps[i].Start:]
	return r, insert, true
}

// typed generates text that a user types or pastes.
func typed() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "a key") {
			return rapid.SampledFrom([]string{"\n", "x", "}", "𝄞", "\t", ""}).Draw(t, "key")
		}
		return edittest.Text(4).Draw(t, "paste")
	})
}

// Typing between hunks, in any encoding, never changes the result of approving them, in any order,
// or of undoing one. .ci/run has 100,000 cases of this.
func TestTypingOutside(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		s := stacks().Draw(t, "text")
		enc := rapid.SampledFrom([]edits.Encoding{edits.UTF8, edits.UTF16, edits.UTF32}).Draw(t, "encoding")
		base, _, pieces := s.text()
		es := make([]edits.Edit, len(pieces))
		for i, p := range pieces {
			es[i] = edits.Edit{Span: p, New: s.new[i]}
		}
		f := newFollow(base, es, base)
		l := edits.NewLines(base)
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			var e edits.Edit
			if i := rapid.IntRange(0, 2*len(pieces)).Draw(t, "where"); i < len(pieces) {
				at, ok := f.At(i)
				if !ok || f.done[i] != s.applied[i] {
					t.Fatalf("piece %d is %s in %q: %s", i, f.states(), f.live, shown(f.Placement))
				}
				e = edits.Edit{Span: at, New: f.other(i)} // it is approved, or undone
				s.applied[i] = !s.applied[i]
			} else {
				r, insert, ok := s.typing(t, i-len(pieces), enc)
				if !ok {
					continue
				}
				span, err := l.Span(r, enc)
				if err != nil {
					t.Fatalf("%v of %q: %v", r, l.Text(), err)
				}
				e = edits.Edit{Span: span, New: insert}
			}
			live := edittest.Apply(t, l.Text(), e)
			f.shift(edits.Refine(l.Text(), e), live)
			l = l.Replace(e)
			if want, _, _ := s.text(); live != want {
				t.Fatalf("got %q, want %q", live, want)
			}
		}
		if want := edits.NewLines(l.Text()); want.Count() != l.Count() {
			t.Fatalf("%d lines of %q, want %d", l.Count(), l.Text(), want.Count())
		}
		var rest []edits.Edit
		for i := range pieces {
			at, ok := f.At(i)
			if !ok || f.done[i] != s.applied[i] {
				t.Fatalf("piece %d is %s in %q: %s", i, f.states(), f.live, shown(f.Placement))
			}
			if !f.done[i] {
				rest = append(rest, edits.Edit{Span: at, New: es[i].New})
			}
			s.applied[i] = true
		}
		got := edittest.Apply(t, f.live, rest...)
		if want, _, _ := s.text(); got != want {
			t.Fatalf("with everything approved it is %q, want %q", got, want)
		}
	})
}
