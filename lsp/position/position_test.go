package position_test

import (
	"testing"

	"go.lsp.dev/protocol"
	"pgregory.net/rapid"

	"redline/edits"
	_ "redline/internal/seed"
	"redline/lsp/position"
)

func TestSpanOfARangeOutsideTheText(t *testing.T) {
	lines := edits.NewLines("ab\ncd")
	at := func(l1, c1, l2, c2 uint32) protocol.Range {
		return protocol.Range{Start: protocol.Position{Line: l1, Character: c1}, End: protocol.Position{Line: l2, Character: c2}}
	}
	for name, c := range map[string]struct {
		r    protocol.Range
		want edits.Span
	}{
		"inside":               {at(0, 1, 1, 1), edits.Span{Start: 1, End: 4}},
		"beyond the line":      {at(0, 9, 1, 9), edits.Span{Start: 2, End: 5}},
		"beyond the text":      {at(1, 0, 7, 3), edits.Span{Start: 3, End: 5}},
		"all beyond the text":  {at(2, 5, 9, 9), edits.Span{Start: 5, End: 5}},
		"the largest there is": {at(1, 0, 1<<31-1, 1<<31-1), edits.Span{Start: 3, End: 5}},
		"reversed":             {at(1, 1, 0, 0), edits.Span{Start: 4, End: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (position.Mapper{Encoding: edits.UTF16}).Span(lines, c.r); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// A span of whole characters survives the conversion to the client and back in every
// encoding.
func TestRangesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"a", "é", "€", "😀", "\n", "\r\n", " "})).Draw(t, "pieces")
		var text string
		var bounds []int
		for _, p := range pieces {
			bounds = append(bounds, len(text))
			text += p
		}
		bounds = append(bounds, len(text))
		i := rapid.IntRange(0, len(bounds)-1).Draw(t, "i")
		j := rapid.IntRange(i, len(bounds)-1).Draw(t, "j")
		m := position.Mapper{Encoding: rapid.SampledFrom([]edits.Encoding{edits.UTF8, edits.UTF16, edits.UTF32}).Draw(t, "encoding")}
		lines := edits.NewLines(text)
		want := edits.Span{Start: bounds[i], End: bounds[j]}
		if got := m.Span(lines, m.Range(lines, want)); got != want {
			t.Errorf("%v became %v in %q", want, got, text)
		}
	})
}
