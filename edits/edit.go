// Package edits works on text: it finds lines and characters, applies edits and compares
// texts. The packages under it find the place of an edit (match) and follow it while the
// user types (track). None of them holds state or does I/O.
//
// A text is a string, which may hold any bytes. Offsets are in bytes and lines
// are counted from 0, unless a name says otherwise.
package edits

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"redline/edits/charset"
)

// Edit replaces the bytes of Span by New.
type Edit struct {
	Span
	New string
}

// Apply returns text after all edits. They must be sorted by Start and must not overlap;
// several insertions at one offset go in one after the other. Otherwise, or if an edit
// reaches outside the text, Apply applies none and returns an error that names the first
// wrong edit.
func Apply(text string, es []Edit) (string, error) {
	size, last := len(text), 0
	for i, e := range es {
		if e.Start < last || e.End < e.Start || e.End > len(text) {
			return "", fmt.Errorf("edit %d of %d, of bytes %d to %d, overlaps the one before it or is outside the text of %d bytes", i+1, len(es), e.Start, e.End, len(text))
		}
		last = e.End
		size += len(e.New) - e.Len()
	}
	var b strings.Builder
	b.Grow(size)
	last = 0
	for _, e := range es {
		b.WriteString(text[last:e.Start])
		b.WriteString(e.New)
		last = e.End
	}
	b.WriteString(text[last:])
	return b.String(), nil
}

// Coalesce joins edits that touch. The edits must be valid for Apply.
func Coalesce(es []Edit) []Edit {
	var out []Edit
	for len(es) > 0 {
		n := 1
		for n < len(es) && es[n].Start == es[n-1].End {
			n++
		}
		together := Edit{Span: Span{es[0].Start, es[n-1].End}, New: es[0].New}
		if n > 1 {
			var b strings.Builder
			for _, e := range es[:n] {
				b.WriteString(e.New)
			}
			together.New = b.String()
		}
		out, es = append(out, together), es[n:]
	}
	return out
}

// Invert returns the edits that undo es: they turn the result of Apply back into text.
// The edits must be valid for Apply.
func Invert(text string, es []Edit) []Edit {
	out := make([]Edit, len(es))
	delta := 0
	for i, e := range es {
		start := e.Start + delta
		out[i] = Edit{Span{start, start + len(e.New)}, e.Span.Of(text)}
		delta += len(e.New) - e.Len()
	}
	return out
}

// Kind is what a Change does to a file.
type Kind uint8

// The kinds of change.
const (
	Update Kind = iota
	Create
	Rename
	Delete
)

// String returns the word for the kind: "update", "create", "rename" or
// "delete".
func (k Kind) String() string {
	switch k {
	case Create:
		return "create"
	case Rename:
		return "rename"
	case Delete:
		return "delete"
	default:
		return "update"
	}
}

// Change is one operation on a file, for an editor to make. Paths are workspace paths,
// separated by slashes.
type Change struct {
	Path    string
	Kind    Kind
	NewPath string          // Rename: where the file goes
	Base    string          // Update, Rename: the text that Edits are offsets into; Delete: the text that was seen
	Edits   []Edit          // Update, Rename: valid for Apply; a rename makes them in the text at Path first
	Text    string          // Create: the whole text
	BOM     bool            // Create: the file has a byte order mark before the text
	Charset charset.Charset // the one for characters beyond ASCII in a file that has none yet; see AsShown
	AsShown bool            // Create, Update, Rename: Charset is known, and counts whatever a rule names by now
	Mode    uint32          // Create: permission bits, 0 for the default; without Restore only [NewMode] of them counts
	Restore bool            // Create: undoes a deletion: the file comes back as it was, with its mode, saved; Delete: undoes a creation
	Folders []string        // Delete, Rename: folders to remove too if they are empty then, the innermost first
}

// AddsCharacters reports whether edits bring characters beyond ASCII, which some charset may not have.
func AddsCharacters(es []Edit) bool {
	return slices.ContainsFunc(es, func(e Edit) bool { return !charset.ASCII(e.New) })
}

// NewMode returns the permission bits of a new file for which mode was asked: 0755 if mode lets
// anyone run the file, else 0644. The umask of the user takes away from them. Who writes a patch
// or a plan decides whether a file is a program, never who else may read or write it.
func NewMode(mode uint32) uint32 {
	if mode&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// Status is the result of a Change.
type Status uint8

const (
	// Done means that the change was made and seen in the text.
	Done Status = iota
	// Refused means that the change was not made.
	Refused
	// Unknown means that the editor did not answer in time. Redline sends nothing more
	// for the file; its text will show the result.
	Unknown
	// Unverified means that neither the editor nor the disk shows whether the
	// change was made.
	Unverified
	// Half means that the change failed, but a part of it is in the file and could not be
	// reverted: Reason says what is where.
	Half
)

// Applied is the result of a Change, with the text that shows it.
type Applied struct {
	Path     string
	Status   Status
	Reason   string    // one sentence for the user when Status is not Done
	Landings []Landing // the result of each edit, when the text was seen
	Move     Landing   // Rename, in a review: the result of the move
	Text     string    // the text afterwards, when it was seen
}

// Landing is the answer to whether an edit that was sent to an editor is in the text.
type Landing uint8

const (
	// Unclear means that the text does not show it: the user has changed it too.
	Unclear Landing = iota
	// Landed means that the edit is in the text.
	Landed
	// Absent means that the text is as it was before the edit.
	Absent
)

// Bias is the side of inserted text on which an offset stays.
type Bias uint8

// Left keeps an offset before text inserted at it, Right moves it after the text.
const (
	Left Bias = iota
	Right
)

// Shifter maps offsets through a list of edits. A lookup takes time logarithmic in the
// number of edits.
type Shifter struct {
	es    []Edit
	delta []int // by how much text after es[:i] moves
}

// NewShifter returns a Shifter for edits that are valid for Apply.
func NewShifter(es []Edit) Shifter {
	delta := make([]int, len(es)+1)
	for i, e := range es {
		delta[i+1] = delta[i] + len(e.New) - e.Len()
	}
	return Shifter{es, delta}
}

// At returns where an offset goes. The start and the end of replaced text become the
// start and the end of its replacement. An offset strictly inside goes to the side that
// bias names, as does one at which text is inserted.
func (s Shifter) At(offset int, bias Bias) int {
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End >= offset })
	for ; i < len(s.es) && s.es[i].Start <= offset; i++ {
		e := s.es[i]
		switch {
		case e.End == offset && (e.Start < offset || bias == Right):
			continue // the offset is after the edit
		case e.Start < offset && bias == Right:
			return e.Start + s.delta[i] + len(e.New)
		default:
			return e.Start + s.delta[i]
		}
	}
	return offset + s.delta[i]
}

// Growth returns by how many bytes the edits lengthen the text.
func (s Shifter) Growth() int { return s.delta[len(s.es)] }

// touches reports whether an edit overlaps the span, or inserts strictly between its
// ends.
func (s Shifter) touches(span Span) bool {
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End > span.Start })
	return i < len(s.es) && s.es[i].Start < span.End
}

// Kept returns where a piece goes, and whether no edit reaches into it. Text inserted at
// its ends stays outside. An empty piece follows the line before it: text inserted there
// goes after it, and deleting the end of that line touches it.
func (s Shifter) Kept(piece Span) (span Span, ok bool) {
	span = Span{s.At(piece.Start, Right), s.At(piece.End, Left)}
	if piece.Len() > 0 {
		return span, !s.touches(piece)
	}
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End >= piece.Start })
	deleted := i < len(s.es) && s.es[i].Start < piece.Start && s.es[i].New == ""
	return Span{span.End, span.End}, !deleted && !s.touches(piece)
}

// Widened returns where a span goes, with the text inserted at its ends.
func (s Shifter) Widened(span Span) Span {
	return Span{s.At(span.Start, Left), s.At(span.End, Right)}
}

// Inserts reports whether an edit inserts text inside the span or at its ends.
func (s Shifter) Inserts(span Span) bool {
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End >= span.Start })
	for ; i < len(s.es) && s.es[i].Start <= span.End; i++ {
		if s.es[i].New != "" {
			return true
		}
	}
	return false
}

// Beyond reports whether edits that reach into the span, or across an empty one, begin
// before it or end after it.
func (s Shifter) Beyond(span Span) (start, end bool) {
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End > span.Start })
	for ; i < len(s.es) && (s.es[i].Start < span.End || s.es[i].Start < span.Start); i++ {
		start = start || s.es[i].Start < span.Start
		end = end || s.es[i].End > span.End
	}
	return start, end
}
