package workspace

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
)

// maxLooked is how many bytes of a file are examined for its encoding.
const maxLooked = 4 << 10

// isUTF16 reports whether data is UTF-16 text: it has that byte order mark, or nearly every
// other byte is NUL, as in Latin-1 text. Other text without the mark cannot be
// distinguished from a binary file.
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

// readsAs reports whether data, as UTF-16 in the given byte order, holds only text
// characters, at least three in four of them Latin-1.
func readsAs(data []byte, order binary.ByteOrder) bool {
	latin := 0
	for i := 0; i+1 < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			if i += 2; i+1 >= len(data) {
				return len(data) == maxLooked // the limit cut it off here
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
