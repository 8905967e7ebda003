package patch

import (
	"errors"
	"strings"

	"redline/edits/match"
)

// Standing is what a text shows about a chunk: whether its edit is already made.
type Standing uint8

const (
	// Gone means that the text has neither the old lines nor, as far as it shows, the new
	// ones.
	Gone Standing = iota
	// Open means that the chunk has its place in the text and is not made yet.
	Open
	// Ambiguous means that the old lines are in several places.
	Ambiguous
	// Made means that the text is as the chunk makes it.
	Made
)

// Text is a text to search for one chunk after another. The zero value is the empty text.
type Text struct{ text, trimmed string }

// Set sets the text to search.
func (t *Text) Set(text string) {
	if t.trimmed == "" || t.text != text {
		t.text, t.trimmed = text, TrimLines(text)
	}
}

// holds reports whether the text has the new lines of a chunk. Spaces around lines do not
// count, since an applied chunk is indented like the file, unless they are all that the
// chunk changes.
func (t *Text) holds(c *Chunk) bool {
	lines := TrimLines(c.New)
	switch {
	case strings.TrimSpace(c.New) == "":
		return false
	case lines == TrimLines(c.Old):
		return strings.Contains("\n"+t.text, "\n"+c.New)
	}
	return strings.Contains(t.trimmed, lines)
}

// Standing returns whether the text now has the edit of a chunk. before is the text from
// before anyone could have made the edit, nil if unknown: new lines that it already has
// prove nothing.
func (c *Chunk) Standing(now, before *Text) Standing {
	place := c.placeIn(now.text)
	holds := now.holds(c)
	news := before != nil && !before.holds(c)
	if holds && (before == nil || news) {
		switch {
		case place == Gone, c.KeepsOld():
			return Made
		case place == Ambiguous && news: // one of several places with the old lines has become the new ones
			return Made
		}
	}
	return place
}

// KeepsOld reports whether the old lines are among the new ones: the chunk only
// adds lines around them.
func (c *Chunk) KeepsOld() bool {
	return strings.Contains(TrimLines(c.New), TrimLines(c.Old))
}

// IsPlacedIn reports whether the chunk has one place in the text.
func (c *Chunk) IsPlacedIn(t *Text) bool { return c.placeIn(t.text) == Open }

// placeIn returns Open if the chunk has one place in a text, Ambiguous if its old
// lines are in several, else Gone.
func (c *Chunk) placeIn(text string) Standing {
	_, _, err := (&File{Chunks: []Chunk{*c}}).Edits(text, false)
	var refused *match.Refusal
	switch {
	case err == nil:
		return Open
	case errors.As(err, &refused) && refused.Reason == match.ReasonSeveral:
		return Ambiguous
	}
	return Gone
}

// TrimLines returns a text without spaces around its lines, with a line end before
// each and after the last.
func TrimLines(text string) string {
	var b strings.Builder
	b.WriteString("\n")
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}
