package wire

import (
	"bytes"
	"strconv"
)

const (
	lengthField = "content-length:"
	// headerLimit bounds one header line; anything longer is noise.
	headerLimit = 4096
	// headerSpan bounds the length of "Content-Length: <digits>" with its line end.
	headerSpan = 64
)

// parseLength returns the value of a Content-Length field; -1 and false unless it is a positive
// number of at most 18 digits.
func parseLength(value []byte) (int, bool) {
	value = bytes.TrimSpace(value)
	n, err := strconv.ParseUint(string(value), 10, 60)
	if err != nil || n == 0 || len(value) > 18 {
		return -1, false
	}
	return int(n), true
}

// isField reports whether line looks like a header field: a name of letters, digits and dashes.
func isField(line []byte) bool {
	name, _, ok := bytes.Cut(line, []byte(":"))
	if !ok || len(name) == 0 {
		return false
	}
	for _, c := range name {
		if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// findHeader returns the offset in b, not before from, where a whole Content-Length line begins, or
// -1. It looks only for the two usual spellings, since it runs over every body.
func findHeader(b []byte, from int) int {
	found := -1
	for _, needle := range []string{"Content-Length:", lengthField} {
		for at := from; ; {
			i := bytes.Index(b[at:], []byte(needle))
			if i < 0 {
				break
			}
			at += i + len(needle)
			value, _, ok := bytes.Cut(b[at:min(len(b), at+headerSpan)], []byte("\n"))
			if _, number := parseLength(value); ok && number {
				if start := at - len(needle); found < 0 || start < found {
					found = start
				}
				break
			}
		}
	}
	return found
}

// headerTail returns how many of b's last bytes may begin a header whose rest has not been read: a
// wrong length can end a body there.
func headerTail(b []byte) int {
	tail := lower(b[max(0, len(b)-headerSpan):])
	for i := range tail {
		t := tail[i:]
		if len(t) <= len(lengthField) {
			if bytes.HasPrefix([]byte(lengthField), t) {
				return len(t)
			}
			continue
		}
		if value, ok := bytes.CutPrefix(t, []byte(lengthField)); ok && len(bytes.Trim(value, " \t\r0123456789")) == 0 {
			return len(t)
		}
	}
	return 0
}

// lower returns a copy of b with the ASCII letters in lower case, byte for byte.
func lower(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}
