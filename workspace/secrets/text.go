package secrets

import "strings"

// Text reports whether the text of a file, of any size, holds a secret: a private key, which
// is a header with a body, or a token with a known prefix and length. A mention of one, or a
// placeholder, does not count. Text does not examine examples and source code of tests.
func Text(file, text string) bool {
	if Example(file) || isTest(file) {
		return false
	}
	_, _, found := find(text, 0)
	return found
}

// Bytes is [Text] for bytes.
func Bytes(file string, text []byte) bool { return Text(file, string(text)) }

// isKey reports whether a private key begins where text[:at] ends in a part of the
// header, as in "-----BEGIN RSA PRIVATE".
func isKey(text string, at int) bool {
	after, ok := strings.CutPrefix(text[at:], " KEY")
	if !ok || !strings.HasSuffix(text[:at], "PRIVATE") {
		return false
	}
	after, ok = strings.CutPrefix(strings.TrimPrefix(after, " BLOCK"), "----")
	header := text[max(0, at-40):at]
	begun := strings.Contains(header, "-----BEGIN ") || strings.Contains(header, "---- BEGIN ")
	return ok && begun && keyBody(after)
}

// puttyFile begins the first line of a PuTTY key, and puttyLines its private part.
const (
	puttyFile  = "PuTTY-User-Key-File-"
	puttyLines = "Private-Lines:"
)

// isPuTTY reports whether text continues like a PuTTY key, and how many bytes of it are the key.
func isPuTTY(text string) (size int, ok bool) {
	text, _, _ = strings.Cut(text[:min(len(text), maxKey)], puttyFile) // the next one
	n := strings.Index(text, puttyLines)
	if n < 0 || !keyBody(text[n+len(puttyLines):]) {
		return 0, false
	}
	n += len(puttyLines)
	return n + keyExtent(text[n:]), true
}

const (
	maxBody  = 4 << 10 // bytes after a header to search for its body
	minLine  = 40      // characters of a body's line: 64, 70 and 76 are usual
	minBody  = 60      // characters in total: the shortest keys have 64
	minKinds = 16      // different characters: a body is random
)

// keyBody reports whether text, which follows the header of a private key, begins with a
// base64 body in any form: lines, also quoted ones, joined by a program or written in one
// with \n.
func keyBody(text string) bool {
	text = text[:min(len(text), maxBody)]
	if end := strings.Index(text, "-----"); end >= 0 { // the end of the key, or the next header
		text = text[:end]
	}
	text = strings.NewReplacer(`\n`, " ", `\r`, " ", `\t`, " ").Replace(text)
	size := 0
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return !isBase64(r) }) {
		if len(line) >= minLine && kinds(line) >= minKinds {
			size += len(line)
		}
	}
	return size >= minBody
}

func isBase64(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '+' || r == '/' || r == '='
}

// kinds returns the number of different bytes in s.
func kinds(s string) int {
	var seen [256]bool
	n := 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}
