package linetext

import "strings"

// BOM is the byte order mark.
const BOM = "\uFEFF"

// WithoutBOM returns text without the byte order mark at its start, if any.
func WithoutBOM(text string) string { return strings.TrimPrefix(text, BOM) }

// AtBOM reports whether the offset is right after a byte order mark at the
// start of text.
func AtBOM(text string, offset int) bool {
	return offset == len(BOM) && strings.HasPrefix(text, BOM)
}
