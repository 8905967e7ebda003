package linetext

import "unicode/utf8"

// Plain replaces each quote, dash and space of Unicode that looks like an ASCII
// character by that character. All of them take more bytes, so a text without any keeps
// its length.
func Plain(text string) string {
	done := 0 // text[:done] is in b
	var b []byte
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		c, size, width := PlainRune(text[i:])
		if width < size {
			if b == nil {
				b = make([]byte, 0, len(text))
			}
			b = append(append(b, text[done:i]...), c)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return string(append(b, text[done:]...))
}

// PlainRune looks at the first character of s, which takes size bytes. If an ASCII
// character c looks like it, width is 1, else width is size.
func PlainRune(s string) (c byte, size, width int) {
	if s[0] < utf8.RuneSelf {
		return s[0], 1, 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r >= 0x2018 && r <= 0x201B, r == 0x2032, r == 0x02BC, r == 0xFF07: // quotes, prime, modifier apostrophe, full width
		return '\'', size, 1
	case r >= 0x201C && r <= 0x201F, r == 0x2033, r == 0xFF02:
		return '"', size, 1
	case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xFE58, r == 0xFE63, r == 0xFF0D: // hyphens, dashes, bar; minus; small and full width
		return '-', size, 1
	case r == 0x00A0, r >= 0x2000 && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000: // spaces that have a width
		return ' ', size, 1
	}
	return 0, size, size
}
