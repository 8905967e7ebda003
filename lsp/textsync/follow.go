package textsync

import (
	"redline/edits"
	"redline/lsp/position"
	"redline/lsp/wire"
)

// follow returns the text after content changes and the edits that lead to it: a series
// of lists, each for the text that the lists before it left. A byte order mark at the
// start is not part of the text, but the client's positions count it.
func follow(m position.Mapper, lines *edits.Lines, changes []wire.ContentChange) (*edits.Lines, [][]edits.Edit, error) {
	whole, all, err := followWhole(m, lines.Whole(), changes)
	if err != nil {
		return nil, nil, err
	}
	after := whole.CutMark()
	if lines.Marked() || after.Marked() {
		all = withoutMark(all, lines, after)
	}
	return after, all, nil
}

// withoutMark turns edits that cover or add a leading byte order mark into edits that
// lead from before to after, neither of which includes the mark.
func withoutMark(all [][]edits.Edit, before, after *edits.Lines) [][]edits.Edit {
	const size = len(edits.BOM)
	stays := before.Marked()
	for _, es := range all {
		stays = stays && (len(es) == 0 || es[0].Start >= size)
	}
	if !stays {
		e := edits.Edit{Span: edits.Span{End: len(before.Text())}, New: after.Text()}
		if es := edits.Refine(before.Text(), e); len(es) > 0 {
			return [][]edits.Edit{es}
		}
		return nil
	}
	for _, es := range all {
		for i := range es {
			es[i].Start, es[i].End = es[i].Start-size, es[i].End-size
		}
	}
	return all
}

// followWhole does what follow does, for the text as the client has it.
func followWhole(m position.Mapper, lines *edits.Lines, changes []wire.ContentChange) (*edits.Lines, [][]edits.Edit, error) {
	var all [][]edits.Edit
	b := newBatch(m, lines)
	for _, c := range changes {
		ok, err := b.add(c)
		if err == nil && !ok {
			if b, all, err = b.made(all); err == nil {
				_, err = b.add(c)
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	b, all, err := b.made(all)
	if err != nil {
		return nil, nil, err
	}
	return b.lines, all, nil
}
