package patch

import (
	"cmp"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/placeholder"
)

// maxWork limits the bytes searched for one file: its size times the number of chunks and
// context headers.
const maxWork = 8 << 30

// stepEnd is the step of lines appended to a file.
const stepEnd = "end of file"

// New reports whether f is an update that only inserts text and replaces none, as for a
// new file.
func (f *File) New() bool {
	return f.Kind == edits.Update && len(f.Chunks) == 1 && f.Chunks[0].fresh
}

// Edits returns the edits that the chunks of f make to the text of its file, sorted and
// not overlapping, and for each the step that found its place. It searches this text for
// all chunks. A chunk with several possible places gets the one that keeps the chunks in
// order, if only one does. It skips a chunk that changes nothing, unless none changes
// anything. A part of the patch after others of the same file (see [Join]) may have been
// meant for their result: Edits refuses it if its place would be different there.
// numbered means that no line has moved since the author of the patch could count them;
// only then do line numbers tell equal places apart. For a deletion, the edit removes
// everything, and a chunk must be the whole text. The error is a [*Refusal].
func (f *File) Edits(text string, numbered bool) (es []edits.Edit, steps []string, err error) {
	if n := f.searches(); n*len(text) > maxWork {
		return nil, nil, refuseFile(f.Path, "The file is too large for a patch with %d chunks and context headers. Give it in several parts, or write the file whole.", n)
	}
	if f.Kind == edits.Rename && f.changesNothing() {
		return nil, nil, nil
	}
	for i := range f.Chunks {
		f.Chunks[i].path = f.Path
	}
	found, i, err := place(text, f.Chunks, numbered)
	if err != nil {
		return nil, nil, f.refusal(i, f.ofEarlier(text, numbered, i, err))
	}
	if f.Kind == edits.Delete {
		if len(f.Chunks) > 0 && !takesAll(text, found) {
			return nil, nil, f.refusal(0, reason("The file holds more than the patch takes away. Nothing was changed. Read it again, and leave the hunk out to delete it whatever it holds."))
		}
		return []edits.Edit{{Span: edits.Span{End: len(text)}}}, []string{""}, nil
	}
	if i, err := f.inTurn(text, numbered, found); err != nil {
		return nil, nil, f.refusal(i, err)
	}
	for _, p := range found {
		es, steps = append(es, p.Edit), append(steps, p.step)
	}
	return es, steps, nil
}

// searches returns how often the text of the file is searched.
func (f *File) searches() int {
	n := len(f.Chunks)
	for i := range f.Chunks {
		n += len(f.Chunks[i].Within) + len(f.Chunks[i].below)
	}
	return n
}

// place returns the edits of chunks in a text, sorted and not overlapping. It skips
// chunks that change nothing if there are others. The error is that of chunk i, or of no
// chunk if i is -1.
func place(text string, chunks []Chunk, numbered bool) (found []placed, i int, err error) {
	if i, err := allTheSame(chunks); err != nil {
		return nil, i, err
	}
	sites := make([]site, len(chunks))
	chunks = withLastAtEnd(text, chunks)
	for i := range chunks {
		sites[i] = newTarget(text, &chunks[i], numbered).site(&chunks[i])
		if err := sites[i].err; err != nil && len(sites[i].spans) < 2 {
			return nil, i, err
		}
	}
	if i, err := settle(sites); err != nil {
		return nil, i, err
	}
	for i := range sites {
		for _, p := range sites[i].found {
			p.chunk, p.step = i, placeholder.Step(p.step, chunks[i].restored)
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b placed) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	for i, p := range found {
		if i > 0 && overlap(found[i-1].Edit, p.Edit) {
			a, b := found[i-1].chunk, p.chunk
			if chunks[a].Old == chunks[b].Old && chunks[a].New == chunks[b].New {
				return nil, max(a, b), reasonf("It is the same as chunk %d. Nothing was changed. Send it once.", min(a, b)+1)
			}
			return nil, max(a, b), reasonf("It changes the same lines as chunk %d. Nothing was changed. Put both into one chunk.", min(a, b)+1)
		}
	}
	return found, 0, nil
}

// withLastAtEnd returns chunks. If the last one only adds lines, below a line @@ that says nothing,
// they are for the end of the file, unless they are indented as if they were inside something.
func withLastAtEnd(text string, chunks []Chunk) []Chunk {
	last := len(chunks) - 1
	if last < 0 {
		return chunks
	}
	if c := &chunks[last]; !c.unsaid || c.Old != "" || c.Heading != "" || len(c.below) > 0 || !continues(text, c.New) {
		return chunks
	}
	chunks = slices.Clone(chunks)
	chunks[last].AtEnd = true
	return chunks
}

// continues reports whether new lines can stand below a text: the first is not indented, or as the
// last line of the text is.
func continues(text, new string) bool {
	first := strings.TrimLeft(new, "\r\n")
	indent := indentOf(first)
	last := strings.TrimRight(text, " \t\r\n")
	return indent == "" || indent == indentOf(last[strings.LastIndexByte(last, '\n')+1:])
}

// takesAll reports whether the edits remove the whole text.
func takesAll(text string, ps []placed) bool {
	size := len(text)
	for _, p := range ps {
		size += len(p.New) - p.Len()
	}
	return size == 0
}

// refusal returns why chunk i has no place, or why f has none if i is -1.
func (f *File) refusal(i int, err error) *Refusal {
	return &Refusal{Path: f.Path, Chunk: i + 1, Of: len(f.Chunks), Err: err}
}

// placed is an edit of a text and the step that found its place.
type placed struct {
	edits.Edit
	step  string
	chunk int
}

// overlap reports whether two edits, sorted, change the same bytes or insert at
// the same place.
func overlap(a, b edits.Edit) bool {
	return b.Start < a.End || a.Start == b.Start && a.Len() == 0 && b.Len() == 0
}

// target is a text to search for a chunk.
type target struct {
	text  string
	ended string // with a final line end, as a chunk's lines have
	end   string // that line end, "" if text has it

	numbered bool // line numbers tell places apart
}

// newTarget prepares the text for the search. A last line without a line end gets that of
// the chunk, if the chunk has "\r", else that of the text.
func newTarget(text string, c *Chunk, numbered bool) *target {
	t := &target{text: text, ended: text, numbered: numbered}
	if text == "" || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r") {
		return t
	}
	t.end = "\n"
	knows := strings.Contains(c.Old, "\r") || strings.Contains(c.New, "\r")
	if knows && strings.HasSuffix(c.Old, "\r\n") || !knows && strings.Contains(text, "\r\n") {
		t.end = "\r\n"
	}
	t.ended += t.end
	return t
}

// add returns the edit of a chunk that only adds lines.
func (t *target) add(c *Chunk) ([]placed, error) {
	if t.text != "" && !c.AtEnd {
		return nil, refuseAdded(t.text)
	}
	at := len(t.ended)
	e := edits.Edit{Span: edits.Span{Start: at, End: at}, New: c.New}
	e, _ = adapt.WithEnds(t.ended, e)
	return []placed{{Edit: t.fit(e), step: stepEnd}}, nil
}

// fit converts an edit of t.ended to one of t.text: it neither removes the missing final
// line end, nor adds it for a chunk that does not know that it is missing.
func (t *target) fit(e edits.Edit) edits.Edit {
	if e.End <= len(t.text) {
		return e
	}
	if e.Start > len(t.text) {
		e.Start, e.New = len(t.text), t.end+e.New
	}
	e.End = len(t.text)
	if ended, ok := strings.CutSuffix(e.New, "\n"); ok {
		e.New = strings.TrimSuffix(ended, "\r")
	}
	return e
}

// core returns an edit of the whole place of a chunk without the unchanged lines at its
// start and end, so that two chunks may share them.
func (c *Chunk) core(text string, e edits.Edit) edits.Edit {
	old := text[e.Start:e.End]
	for range c.lead {
		n := strings.IndexByte(old, '\n') + 1
		if n == 0 || !strings.HasPrefix(e.New, old[:n]) {
			break
		}
		e.Start, old, e.New = e.Start+n, old[n:], e.New[n:]
	}
	for range c.tail {
		n := strings.LastIndexByte(strings.TrimSuffix(old, "\n"), '\n') + 1
		last := old[n:]
		if last == "" || !strings.HasSuffix(e.New, last) || len(e.New) > len(last) && e.New[len(e.New)-len(last)-1] != '\n' {
			break
		}
		e.End, old, e.New = e.End-len(last), old[:n], e.New[:len(e.New)-len(last)]
	}
	return e
}
