package workspace

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
)

// maxLooked is how many bytes of a file tell in which encoding it is.
const maxLooked = 4 << 10

// isUTF16 reports whether data is UTF-16 text: it has that byte order mark, or
// it clearly is all the same: nearly every other byte is NUL, as in text of
// Latin-1. Other text without the mark cannot be told from a binary file.
func isUTF16(data []byte) bool {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return true
	}
	if len(data)%2 != 0 || bytes.IndexByte(data, 0) < 0 {
		return false
	}
	data = data[:min(len(data), maxLooked)]
	return readsAs(data, binary.LittleEndian) || readsAs(data, binary.BigEndian)
}

// readsAs reports whether data in UTF-16 of the byte order is nothing but
// characters of a text, three in four of them of Latin-1 at least.
func readsAs(data []byte, order binary.ByteOrder) bool {
	latin := 0
	for i := 0; i+1 < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			if i += 2; i+1 >= len(data) {
				return len(data) == maxLooked // cut off here
			}
			r = utf16.DecodeRune(r, rune(order.Uint16(data[i:])))
		}
		switch {
		case r == '\t', r == '\n', r == '\r', r == '\f':
			latin++
		case !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return false
		case r <= unicode.MaxLatin1:
			latin++
		}
	}
	return latin > 0 && latin*8 >= 3*len(data)
}
