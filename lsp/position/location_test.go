package position

import (
	"testing"

	"go.lsp.dev/protocol"

	"redline/edits"
)

// Lines of the text: 0 "one", 1 "two", 2 "three", 3 "" after the last newline.
func TestHunkUnderTheCursor(t *testing.T) {
	const text = "one\ntwo\nthree\n"
	lines := edits.NewLines(text)
	cursor := func(line, character uint32) protocol.Range {
		p := protocol.Position{Line: line, Character: character}
		return protocol.Range{Start: p, End: p}
	}
	selection := func(from, to uint32) protocol.Range {
		return protocol.Range{Start: protocol.Position{Line: from}, End: protocol.Position{Line: to}}
	}
	for name, c := range map[string]struct {
		hunk edits.Span
		at   protocol.Range
		want bool
	}{
		"on its line":                   {edits.Span{Start: 4, End: 8}, cursor(1, 2), true},
		"at the end of its line":        {edits.Span{Start: 4, End: 8}, cursor(1, 3), true},
		"on the line after":             {edits.Span{Start: 4, End: 8}, cursor(2, 0), false},
		"on the line before":            {edits.Span{Start: 4, End: 8}, cursor(0, 3), false},
		"a selection up to it":          {edits.Span{Start: 4, End: 8}, selection(0, 1), false},
		"a selection of it":             {edits.Span{Start: 4, End: 8}, selection(1, 2), true},
		"a selection over it":           {edits.Span{Start: 4, End: 8}, selection(0, 3), true},
		"an insertion before the line":  {edits.Span{Start: 4, End: 4}, cursor(1, 3), true},
		"an insertion after the line":   {edits.Span{Start: 8, End: 8}, cursor(1, 3), false},
		"an insertion at the end":       {edits.Span{Start: 14, End: 14}, cursor(3, 0), true},
		"the last line that Vim has":    {edits.Span{Start: 14, End: 14}, cursor(2, 1), true},
		"not the line before that":      {edits.Span{Start: 14, End: 14}, cursor(1, 1), false},
		"a cursor beyond the text":      {edits.Span{Start: 8, End: 14}, cursor(99, 0), false},
		"the first line, from anywhere": {edits.Span{Start: 0, End: 0}, cursor(0, 99), true},
	} {
		t.Run(name, func(t *testing.T) {
			p := Location{Mapper: Mapper{Encoding: edits.UTF16}, Selection: c.at}
			if got := meets(c.hunk, p.WholeLines(lines), len(text)); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
