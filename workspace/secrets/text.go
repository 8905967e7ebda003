package secrets

import "strings"

// MaxText is the size in bytes above which a text is not examined.
const MaxText = 1 << 20

// Text reports whether the text of a file holds a secret: a private key, which is a header
// with a body, or a token with a known prefix and length. A mention of one, or a
// placeholder, does not count. Text does not examine examples, source code of tests, and
// texts of more than [MaxText] bytes.
func Text(file, text string) bool {
	if len(text) > MaxText || Example(file) || isTest(file) {
		return false
	}
	return scan(text)
}

// Bytes is [Text] for bytes.
func Bytes(file string, text []byte) bool { return len(text) <= MaxText && Text(file, string(text)) }

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

// puttyFile begins the first line of a PuTTY key.
const puttyFile = "PuTTY-User-Key-File-"

// isPuTTY reports whether text continues like a PuTTY key.
func isPuTTY(text string) bool {
	_, lines, ok := strings.Cut(text, "Private-Lines:")
	return ok && keyBody(lines)
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
	if end := strings.Index(text, "-----END"); end >= 0 {
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
