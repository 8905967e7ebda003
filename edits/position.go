package edits

// Position is a place in a text as LSP counts it: lines from 0, and
// characters from the start of the line in units of an Encoding.
type Position struct{ Line, Character int }

// Range is the text between two positions, without the character at End.
type Range struct{ Start, End Position }

// Span is the text between two byte offsets, without the byte at End.
type Span struct{ Start, End int }

// Len returns the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Of returns the bytes of text in the span.
func (s Span) Of(text string) string { return text[s.Start:s.End] }

// Moved returns the span moved by n bytes.
func (s Span) Moved(n int) Span { return Span{s.Start + n, s.End + n} }
