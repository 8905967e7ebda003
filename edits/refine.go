package edits

import "unicode/utf8"

// Refine returns the same change to text as smaller edits, sorted and not
// overlapping: lines that the edit replaces with themselves are left out, and
// of those that it does change, the characters that stay. Clients that report
// everything between the first and the last change (Neovim), or the whole text
// (Kakoune), do not then seem to touch what they left alone. An edit that only
// inserts or only deletes is returned as it is: where its client says it was.
// No edit starts or ends inside a character or a "\r\n" that e itself does not
// divide. The cost is that of Diff over the lines between the first and the
// last change.
func Refine(text string, e Edit) []Edit {
	t := trim(text, e)
	if t == (Edit{Span: t.Span}) && t.Len() == 0 {
		return nil
	}
	if e.Len() == 0 || e.New == "" || indexEnd(t.Span.of(text)) < 0 && indexEnd(t.New) < 0 {
		return []Edit{t}
	}
	// What is left has line ends in it. Where it begins and ends in its lines
	// may be chance (a line put before one that begins like it), so it is the
	// whole lines that are compared.
	whole := wholeLines(text, t.Span)
	proposed := text[whole.Start:t.Start] + t.New + text[t.End:whole.End]
	var out []Edit
	for _, h := range Diff(whole.of(text), proposed) {
		h.Old = h.Old.add(whole.Start)
		out = append(out, refineHunk(text, h)...)
	}
	return out
}

// refineHunk returns the hunk as edits of text that leave out the characters
// that stay: line by line if there are as many lines as before.
func refineHunk(text string, h Hunk) []Edit {
	if h.Added != h.Removed {
		return []Edit{trim(text, h.Edit())}
	}
	var out []Edit
	at := h.Old.Start
	added := splitLines(h.NewText)
	for i, line := range splitLines(h.OldText) {
		out = append(out, trim(text, Edit{Span{at, at + len(line)}, added[i]}))
		at += len(line)
	}
	return out
}

// wholeLines returns the smallest span of whole lines of text that holds s.
func wholeLines(text string, s Span) Span {
	for !isLineStart(text, s.Start) {
		s.Start--
	}
	for !isLineBound(text, s.End) {
		s.End++
	}
	return s
}

// trim returns the edit without the characters at its start and end that it
// replaces with themselves. It leaves an edit alone that only inserts or only
// deletes.
func trim(text string, e Edit) Edit {
	old := e.Span.of(text)
	n := commonPrefix(old, e.New)
	e.Start, e.New, old = e.Start+n, e.New[n:], old[n:]
	n = commonSuffix(old, e.New)
	e.End, e.New = e.End-n, e.New[:len(e.New)-n]
	return e
}

// stride is how many bytes are compared at once before single ones are.
const stride = 1 << 10

// commonPrefix returns how many bytes a and b have in common at their start,
// counting whole characters and line ends only.
func commonPrefix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[n:n+stride] == b[n:n+stride] {
		n += stride
	}
	for n < most && a[n] == b[n] {
		n++
	}
	for n > 0 && (divides(a, n) || divides(b, n)) {
		n--
	}
	return n
}

// commonSuffix is commonPrefix for the ends of a and b.
func commonSuffix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[len(a)-n-stride:len(a)-n] == b[len(b)-n-stride:len(b)-n] {
		n += stride
	}
	for n < most && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	for n > 0 && (divides(a, len(a)-n) || divides(b, len(b)-n)) {
		n--
	}
	return n
}

// divides reports whether the offset is inside a character or a "\r\n" of s.
func divides(s string, offset int) bool {
	if offset == 0 || offset == len(s) {
		return false
	}
	if s[offset] == '\n' {
		return s[offset-1] == '\r'
	}
	return !utf8.RuneStart(s[offset]) && runeStart(s, offset) != offset
}
