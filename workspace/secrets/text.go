package secrets

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"
)

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

// Removable reports whether each occurrence of a secret can be taken out of a text. Of a
// value with fewer than 4 characters, or of a short word, that would tear ordinary texts
// and protect nothing: servers on one's own machine take any key, and are given `none`,
// `ollama` or `EMPTY`.
func Removable(secret string) bool {
	characters, letters := 0, 0
	for _, r := range secret {
		characters++
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return len(secret) >= 4 && (characters >= 8 || letters < characters)
}

// MayBePublic reports whether a file whose name says that it is secret may be public all the same:
// a file of certificates has the same ending as one with a key.
func MayBePublic(file string) bool { return strings.ToLower(path.Ext(file)) == ".pem" }

// Public reports whether a text has certificates or public keys, and nothing else in their form.
func Public(text []byte) bool {
	found := false
	for {
		_, rest, ok := bytes.Cut(text, []byte("-----BEGIN "))
		if !ok {
			return found
		}
		kind, rest, ok := bytes.Cut(rest, []byte("-----"))
		if !ok {
			return false
		}
		switch string(kind) {
		case "CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY", "X509 CRL", "PKCS7", "CERTIFICATE REQUEST", "DH PARAMETERS", "EC PARAMETERS":
		default:
			return false
		}
		found, text = true, rest
	}
}

// code are the extensions of source files.
var code = set(
	".go", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".m", ".mm", ".rs", ".zig", ".swift", ".java", ".kt", ".kts", ".scala", ".groovy", ".clj", ".cljs",
	".cs", ".fs", ".vb", ".py", ".pyi", ".rb", ".php", ".pl", ".pm", ".lua", ".r", ".jl", ".ex", ".exs", ".erl", ".hs", ".ml", ".mli", ".elm", ".dart",
	".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".sql", ".nim", ".cr", ".d",
	".s", ".asm", ".el", ".lisp", ".scm", ".rkt", ".vim", ".proto", ".sol", ".tf", ".nix", ".txtar",
)

// Code reports whether a file is source code, by its name.
func Code(file string) bool { return code[strings.ToLower(path.Ext(file))] }

// testFolders are the names of test folders.
var testFolders = set("test", "tests", "testdata", "__tests__", "spec", "specs", "fixtures", "testing", "e2e", "testutil", "testutils")

// isTest reports whether a file is the source code of a test. Tests, above all those of
// secret scanners, are full of keys and tokens that open nothing.
func isTest(file string) bool {
	file = strings.ToLower(file)
	name := path.Base(file)
	ext := path.Ext(name)
	if !code[ext] {
		return false
	}
	stem := strings.TrimSuffix(name, ext)
	if parts := split(stem); slices.ContainsFunc(parts, func(w string) bool { return w == "test" || w == "tests" || w == "spec" }) {
		return true
	}
	if strings.HasSuffix(stem, "test") || strings.HasSuffix(stem, "tests") || strings.HasSuffix(stem, "spec") { // FooTest.java
		return true
	}
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if testFolders[path.Base(dir)] {
			return true
		}
	}
	return false
}

// label precedes a secret that has other characters than letters, digits, _ and -.
type label struct {
	after string // follows the key in labels
	extra string // characters of the secret besides letters and digits
	min   int    // bytes of the secret
}

// labels maps the run of letters, digits, _ and - at the start of a label to the rest.
var labels = map[string]label{
	"SG":              {".", "._-", 60},                  // SendGrid: 22 and 43
	"hvs":             {".", "._-", 24},                  // Vault
	"hvb":             {".", "._-", 90},                  //
	"atlasv1":         {".", "_-=", 60},                  // Terraform
	"dp":              {".pt.", "", 40},                  // Doppler
	"dt0c01":          {".", ".", 85},                    // Dynatrace
	"ya29":            {".", "._-", 60},                  // Google
	"AccountKey":      {"=", "+/=", 86},                  // Azure
	"SharedAccessKey": {"=", "+/=", 43},                  //
	"hooks":           {".slack.com/services/", "/", 40}, // Slack
	"discord":         {".com/api/webhooks/", "/_-", 75}, // Discord
	"discordapp":      {".com/api/webhooks/", "/_-", 75}, //
}

// isLabel reports whether a run is such a label, followed by its secret, and how many bytes follow.
func isLabel(run, after string) (size int, ok bool) {
	l, ok := labels[run]
	if !ok {
		return 0, false
	}
	value, ok := strings.CutPrefix(after, l.after)
	if !ok {
		return 0, false
	}
	n := span(value, func(r rune) bool {
		return r < 0x80 && classes[r]&letters != 0 || strings.ContainsRune(l.extra, r)
	})
	return len(l.after) + n, n >= l.min && random(value[:n], true)
}

// isSigned reports whether what follows the first part of a signed token (RFC 7519: three parts in
// base64 with dots between, as in eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx….dozjgNryP4J3…) are the others.
func isSigned(after string) (size int, ok bool) {
	claims, ok := strings.CutPrefix(after, ".eyJ")
	if !ok {
		return 0, false
	}
	n := span(claims, isDashed)
	signature, ok := strings.CutPrefix(claims[n:], ".")
	m := span(signature, isDashed)
	return len(".eyJ") + n + len(".") + m, ok && m >= 43 && random(signature[:m], true) && !strings.HasPrefix(claims, exampleClaims)
}

// exampleClaims begins, after eyJ, the claims of the tokens that jwt.io shows as examples and that
// READMEs quote: {"sub":"1234567890","name":"John Doe…. Nobody's server accepts them.
const exampleClaims = "zdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l"

// minValue is how many bytes a password in an address, or what follows Bearer, must have to be taken
// for one that opens something: examples are shorter, and [random] knows their words.
const minValue = 16

// isBearer reports whether a run is the name of a scheme of authorization, followed by a token.
func isBearer(run, after string) (size int, ok bool) {
	if !strings.EqualFold(run, "bearer") {
		return 0, false
	}
	value := strings.TrimLeft(after, " ")
	n := span(value, func(r rune) bool { return isBase64(r) || strings.ContainsRune("-._~", r) })
	return len(after) - len(value) + n, n >= minValue && random(value[:n], true) && !strings.Contains(value[:n], exampleClaims)
}

// hasPassword reports whether an address has a password, as in postgres://me:PASSWORD@host/, and
// how many bytes of after, which begins with ://, reach up to its end.
func hasPassword(after string) (size int, ok bool) {
	n := span(after[len("://"):], func(r rune) bool { return !strings.ContainsRune("/@ \t\r\n\"'`<>", r) })
	user, rest := after[len("://"):][:n], after[len("://"):][n:]
	_, password, ok := strings.Cut(user, ":")
	return len("://") + n, ok && strings.HasPrefix(rest, "@") && len(password) >= minValue && random(password, true)
}

func isDashed(r rune) bool { return r < 0x80 && classes[r]&dashed != 0 }
