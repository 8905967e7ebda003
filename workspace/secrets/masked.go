package secrets

import (
	"strings"

	"redline/internal/lazyregexp"
)

// Removed stands where a secret was.
const Removed = "[removed]"

// inWords matches what looks like a secret in words, where a mistake costs only a word.
var inWords = lazyregexp.New(strings.Join([]string{
	`(?i:\bauthorization["']?\s*[:=]\s*)[^,;\n]+`, // the whole header
	`(?i:\b(?:bearer|basic)\s+)[^\s"',;]+`,
	`(?i:\b[a-z0-9_.-]*(?:password|passwd|secret|token|(?:api|access|secret)[_-]?key)["']?\s*[:=]\s*["']?)[^\s"',;]{4,}`,
	`\bsk-[\w*.…-]{3,}`, // the usual form of a key, also if it is masked; sk-SK is a language
	`\b(?:` + strings.Join(prefixes(), "|") + `)[\w-]{8,}`,
	`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`, // a signed token
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*`,
	userInAddress,
}, "|"))

// hints are texts, in lower case; every match of inWords contains one. Searching for them costs a
// hundredth of the expression.
var hints = append([]string{
	"authorization", "bearer", "basic", "password", "passwd", "secret", "token", "key", "sk-", "eyj", "://",
}, func() (small []string) {
	for _, prefix := range prefixes() {
		small = append(small, strings.ToLower(prefix))
	}
	return small
}()...)

// prefixes are those that nothing else begins with.
func prefixes() (all []string) {
	for _, t := range tokens {
		if t.clear {
			all = append(all, t.prefix)
		}
	}
	return all
}

// Masked returns a text with [Removed] in the place of what is a secret, as [Text] recognises
// it, or only looks like one: parts of it, short ones, and what a name or a header says to be one. It
// is for words that are shown or stored, such as traces and errors; it may take a harmless word.
func Masked(text string) string {
	var b strings.Builder
	shown := 0
	for {
		start, end, found := find(text, shown)
		if !found {
			break
		}
		b.WriteString(text[shown:max(shown, start)] + Removed)
		shown = end + span(text[end:], func(r rune) bool { return !strings.ContainsRune(" \t\r\n\"'`,;", r) })
	}
	text = b.String() + text[shown:]
	small := strings.ToLower(text)
	for _, hint := range hints {
		if strings.Contains(small, hint) {
			return inWords().ReplaceAllStringFunc(text, masked)
		}
	}
	return text
}

// masked replaces a match of [inWords], unless it is prose: basic tests, a bearer token.
func masked(match string) string {
	if scheme, value, ok := strings.Cut(match, " "); ok && (strings.EqualFold(scheme, "basic") || strings.EqualFold(scheme, "bearer")) &&
		strings.Trim(value, "abcdefghijklmnopqrstuvwxyz.!?:)") == "" {
		return match
	}
	return Removed
}

const userInAddress = `://[^/\s]*@` // up to the last @, since a password may have one

// The parts of a URL that may hold a password or a token.
var (
	userOfAddress  = lazyregexp.New(`([A-Za-z][A-Za-z0-9+.-]*)` + userInAddress)
	queryOfAddress = lazyregexp.New(`(://[^\s"'?]*)\?\S*`)
)

// WithoutUsers returns a text without the users and passwords of its URLs. It keeps the user name
// of an ssh URL that has no password.
func WithoutUsers(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return userOfAddress().ReplaceAllStringFunc(text, func(found string) string {
		scheme, user, _ := strings.Cut(found, "://")
		if scheme == "ssh" && !strings.Contains(user, ":") {
			return found
		}
		return scheme + "://"
	})
}

// WithoutQueries replaces the queries of a text's URLs with instead.
func WithoutQueries(text, instead string) string {
	return queryOfAddress().ReplaceAllString(text, "${1}"+instead)
}

var (
	name    = lazyregexp.New(`(?i)auth|key|token|secret|cookie|passw|passphrase|credential`)
	mention = lazyregexp.New(`(?i)passw|passphrase|secret|token|credential|api[-_]?key|authorization|bearer|` + userInAddress)
)

// Named reports whether a header or a variable has the name of a secret.
func Named(of string) bool { return name().MatchString(of) }

// Mentioned reports whether a text has a word that stands beside secrets, whatever follows it, or
// the user of an address.
func Mentioned(text string) bool { return mention().MatchString(text) }
