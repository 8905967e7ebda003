package secrets

import (
	"net/url"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// Removed stands where a secret was.
const Removed = "[removed]"

// inWords matches what looks like a secret in words, where a mistake costs only a word.
var inWords = lazyregexp.New(strings.Join([]string{
	`(?i:\bauthorization["']?\s*[:=]\s*)[^,;\n]+`, // the whole header
	`(?i:\b(?:bearer|basic)\s+)[^\s"',;]+`,
	`(?i:[a-z0-9_.-]{0,40}(?:password|passwd|secret|token|(?:api|access|secret)[_-]?key)["']?\s*[:=]\s*["']?)[^\s"',;]{4,}`, // bounded: it is tried at each token
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
		if isCut(text[start:end]) {
			shown = len(text)
			break
		}
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

// isCut reports whether a secret is a private key without its end: what follows may be more of it.
func isCut(secret string) bool {
	return strings.Contains(secret, kindOfPrivate) && !strings.Contains(secret, endOfKey) && !strings.Contains(secret, "---- END ") ||
		strings.Contains(secret, puttyLines) && !strings.Contains(secret, "Private-MAC:")
}

// masked replaces a match of [inWords], unless it is prose: basic tests, a bearer token.
func masked(match string) string {
	if scheme, value, ok := strings.Cut(match, " "); ok && (strings.EqualFold(scheme, "basic") || strings.EqualFold(scheme, "bearer")) &&
		len(value) < minValue && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz.!?:)") == "" {
		return match
	}
	return Removed
}

// userInAddress matches a user, up to the last @, since a password may have one. Commas and quotes
// separate an address from another word, unless they are in a password, which a port is not.
const userInAddress = `://(?:[^/\s":]*:(?:\d*[^/\s\d"',][^/\s]*|\d*)|[^/\s,"':]*)@`

// The parts of a URL that may hold a password or a token.
var (
	userOfAddress  = lazyregexp.New(`([A-Za-z][A-Za-z0-9+.-]*)` + userInAddress)
	queryOfAddress = lazyregexp.New(`(://[^\s?]*)\?\S*`)
)

// WithoutUsers returns a text without the users and passwords of its URLs. It keeps the user name
// of an ssh URL, also a git+ssh one, that has no password.
func WithoutUsers(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return userOfAddress().ReplaceAllStringFunc(text, func(found string) string {
		scheme, user, _ := strings.Cut(found, "://")
		if strings.Contains(strings.ToLower(scheme), "ssh") && !strings.Contains(user, ":") {
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

// LeftOut is the line that [Withhold] puts in the place of lines with a secret.
const LeftOut = "[a line that may hold a secret is left out]"

// Withhold returns the output of a command, of any size, without the lines of private keys and
// tokens, as [Text] recognises them, and without those of a key whose beginning is missing.
func Withhold(output string) string {
	var b strings.Builder
	shown := 0 // where the part of the output begins that is not yet in b
	leave := func(start, end int) {
		start = max(shown, strings.LastIndexByte(output[:start], '\n')+1)
		if n := strings.IndexByte(output[end:], '\n'); n >= 0 {
			end += n + 1
		} else {
			end = len(output)
		}
		if end <= shown {
			return
		}
		b.WriteString(withoutEnds(output[shown:start]))
		b.WriteString(LeftOut + "\n")
		shown = end
	}
	for {
		start, end, found := find(output, shown)
		if !found {
			break
		}
		leave(start, end)
	}
	if shown == 0 {
		return withoutEnds(output)
	}
	b.WriteString(withoutEnds(output[shown:]))
	return b.String()
}

const (
	endOfKey      = "-----END "
	kindOfPrivate = "PRIVATE KEY"
)

// withoutEnds returns a text without the ends of private keys: their last lines, up to the one
// that says that they end.
func withoutEnds(text string) string {
	if !strings.Contains(text, endOfKey) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !strings.Contains(line, endOfKey) || !strings.Contains(line, kindOfPrivate) {
			kept = append(kept, line)
			continue
		}
		n := len(kept)
		if n > 0 && isBody(kept[n-1], 1) { // the last line of a body may be short
			n--
		}
		last := n
		for n > 0 && isBody(kept[n-1], minLine) {
			n--
		}
		if n == last && (n == len(kept) || !isBody(kept[n], minLine)) { // a mention of one
			kept = append(kept, line)
			continue
		}
		kept = append(kept[:n], LeftOut+"\n")
	}
	return strings.Join(kept, "")
}

// isBody reports whether a line is one of a key's body: base64 of a length, maybe behind the
// number or the mark that a program puts in front of each line.
func isBody(line string, length int) bool {
	words := strings.Fields(strings.TrimLeft(line, "-<>|"))
	if len(words) == 0 || len(words) > 3 {
		return false
	}
	last := words[len(words)-1]
	return len(last) >= length && strings.IndexFunc(last, func(r rune) bool { return !isBase64(r) }) < 0 && (length < minLine || kinds(last) >= minKinds)
}

// maxKey is the size of the longest private key, in bytes.
const maxKey = 64 << 10

// keyExtent returns how many bytes after " KEY" belong to a private key: up to the line that ends
// it, or, where the text is cut off before that, all lines that look like its body.
func keyExtent(after string) int {
	after = after[:min(len(after), maxKey)]
	for _, end := range []string{endOfKey, "---- END "} {
		if n := strings.Index(after, end); n >= 0 {
			return n + len(end)
		}
	}
	n := 0
	for i, line := range strings.SplitAfter(after, "\n") {
		if i > 0 && !isBody(line, minLine) && strings.TrimSpace(line) != "" && !strings.Contains(line, ": ") {
			break
		}
		n += len(line)
	}
	return max(n-1, 0)
}

// Known returns the values that are [Removable], the longest first: one may contain another.
func Known(values []string) []string {
	known := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !Removable(v) })
	slices.SortStableFunc(known, func(a, b string) int { return len(b) - len(a) })
	return known
}

// Replacer returns what replaces the given pairs, then puts [Removed] where a known value is, also
// as it is in a URL.
func Replacer(values []string, pairs ...string) *strings.Replacer {
	for _, v := range Known(values) {
		pairs = append(pairs, v, Removed, url.QueryEscape(v), Removed, url.PathEscape(v), Removed)
	}
	return strings.NewReplacer(pairs...)
}
