package linetext

import "unicode/utf8"

// stride is how many bytes are compared at once.
const stride = 1 << 10

// CommonPrefix returns how many bytes a and b share at their start. It counts whole
// characters and line ends only.
func CommonPrefix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[n:n+stride] == b[n:n+stride] {
		n += stride
	}
	for n < most && a[n] == b[n] {
		n++
	}
	for n > 0 && (Divides(a, n) || Divides(b, n)) {
		n--
	}
	return n
}

// CommonSuffix is CommonPrefix for the ends of a and b.
func CommonSuffix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[len(a)-n-stride:len(a)-n] == b[len(b)-n-stride:len(b)-n] {
		n += stride
	}
	for n < most && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	for n > 0 && (Divides(a, len(a)-n) || Divides(b, len(b)-n)) {
		n--
	}
	return n
}

// Divides reports whether the offset is inside a character or a "\r\n" of s.
func Divides(s string, offset int) bool {
	if offset == 0 || offset == len(s) {
		return false
	}
	if s[offset] == '\n' {
		return s[offset-1] == '\r'
	}
	return !utf8.RuneStart(s[offset]) && RuneStart(s, offset) != offset
}

// RuneStart returns the start of the character that offset is inside of, or offset.
func RuneStart(s string, offset int) int {
	for i := offset - 1; i >= 0 && offset-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if _, width := utf8.DecodeRuneInString(s[i:]); i+width > offset {
				return i
			}
			break
		}
	}
	return offset
}
