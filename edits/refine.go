package edits

import "redline/edits/internal/linetext"

// Refine returns the same change as smaller edits, sorted and not overlapping: it leaves
// out unchanged lines and, at both ends of changed lines, unchanged characters. So a
// client that reports everything between the first and the last change (Neovim), or the
// whole text (Kakoune), does not seem to touch the rest. An edit that only inserts or
// only deletes stays where its client says it was. No edit starts or ends inside a
// character or a "\r\n" that e does not divide itself. The cost is that of Diff for the
// lines between the first and the last change.
func Refine(text string, e Edit) []Edit {
	t := trim(text, e)
	if t == (Edit{Span: t.Span}) && t.Len() == 0 {
		return nil
	}
	if e.Len() == 0 || e.New == "" || linetext.IndexEnd(t.Span.Of(text)) < 0 && linetext.IndexEnd(t.New) < 0 {
		return []Edit{t}
	}
	// The rest contains line ends. Where it begins and ends in its lines may be chance (a
	// line inserted before one that begins alike), so compare whole lines.
	whole := WholeLines(text, t.Span)
	proposed := text[whole.Start:t.Start] + t.New + text[t.End:whole.End]
	var out []Edit
	for _, h := range Diff(whole.Of(text), proposed) {
		h.Old = h.Old.Moved(whole.Start)
		out = append(out, refineHunk(text, h)...)
	}
	return out
}

// refineHunk returns the hunk as edits without the unchanged characters at both ends,
// line by line if the number of lines stays.
func refineHunk(text string, h Hunk) []Edit {
	if h.Added != h.Removed {
		return []Edit{trim(text, h.Edit())}
	}
	var out []Edit
	at := h.Old.Start
	added := linetext.Split(h.NewText)
	for i, line := range linetext.Split(h.OldText) {
		out = append(out, trim(text, Edit{Span{at, at + len(line)}, added[i]}))
		at += len(line)
	}
	return out
}

// WholeLines returns the smallest span of whole lines of text that holds s.
func WholeLines(text string, s Span) Span {
	for !linetext.IsStart(text, s.Start) {
		s.Start--
	}
	for !linetext.IsBound(text, s.End) {
		s.End++
	}
	return s
}

// trim drops the unchanged characters at both ends of an edit. It leaves insertions and
// deletions as they are.
func trim(text string, e Edit) Edit {
	old := e.Span.Of(text)
	n := linetext.CommonPrefix(old, e.New)
	e.Start, e.New, old = e.Start+n, e.New[n:], old[n:]
	n = linetext.CommonSuffix(old, e.New)
	e.End, e.New = e.End-n, e.New[:len(e.New)-n]
	return e
}
