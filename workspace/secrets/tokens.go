package secrets

import (
	"slices"
	"strings"
)

// class is a set of characters for tokens.
type class uint8

const (
	lowerHex class = 1 << iota
	hex
	upperDigits // A-Z and 0-9
	letters     // of any case, and digits
	wordly      // these and _
	dashed      // these and -
)

// classes maps each byte to its classes. A byte without a class ends a run.
var classes = func() (table [256]class) {
	for i := range table {
		b := byte(i)
		digit, lower, upper := b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z'
		if digit || b >= 'a' && b <= 'f' {
			table[i] |= lowerHex
		}
		if digit || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			table[i] |= hex
		}
		if digit || upper {
			table[i] |= upperDigits
		}
		if digit || lower || upper {
			table[i] |= letters | wordly | dashed
		}
		if b == '_' {
			table[i] |= wordly | dashed
		}
		if b == '-' {
			table[i] |= dashed
		}
	}
	return table
}()

// token is a kind of token: its prefix, and the characters and length of the rest.
type token struct {
	prefix   string
	of       class
	min, max int  // length of the rest in bytes; max 0: any
	mixed    bool // the rest has capitals, small letters and digits
	clear    bool // nothing else begins so: [Masked] needs no length
}

// tokens are the kinds that have a prefix of their own.
var tokens = []token{
	// Amazon, Alibaba, Tencent, DigitalOcean, Heroku, Fly, Tailscale
	{prefix: "AKIA", of: upperDigits, min: 16, max: 16, clear: true}, {prefix: "ASIA", of: upperDigits, min: 16, max: 16, clear: true},
	{prefix: "ABIA", of: upperDigits, min: 16, max: 16}, {prefix: "ACCA", of: upperDigits, min: 16, max: 16},
	{prefix: "LTAI", of: letters, min: 20, max: 20, mixed: true}, {prefix: "AKID", of: letters, min: 32, max: 32, mixed: true},
	{prefix: "dop_v1_", of: lowerHex, min: 64, max: 64}, {prefix: "doo_v1_", of: lowerHex, min: 64, max: 64}, {prefix: "dor_v1_", of: lowerHex, min: 64, max: 64},
	{prefix: "HRKU-AA", of: dashed, min: 58, max: 58}, {prefix: "fo1_", of: dashed, min: 43, max: 43, mixed: true}, {prefix: "tskey-", of: dashed, min: 20, mixed: true},
	// GitHub, GitLab, Atlassian, Buildkite
	{prefix: "ghp_", of: letters, min: 36, max: 255, clear: true}, {prefix: "gho_", of: letters, min: 36, max: 255, clear: true}, {prefix: "ghu_", of: letters, min: 36, max: 255, clear: true},
	{prefix: "ghs_", of: letters, min: 36, max: 255, clear: true}, {prefix: "ghr_", of: letters, min: 36, max: 255, clear: true}, {prefix: "github_pat_", of: wordly, min: 82, max: 255, clear: true},
	{prefix: "glpat-", of: dashed, min: 20, clear: true}, {prefix: "gldt-", of: dashed, min: 20}, {prefix: "glrt-", of: dashed, min: 20}, {prefix: "glptt-", of: lowerHex, min: 40, max: 40},
	{prefix: "glcbt-", of: dashed, min: 22}, {prefix: "glsoat-", of: dashed, min: 20}, {prefix: "gloas-", of: dashed, min: 64, max: 64}, {prefix: "glagent-", of: dashed, min: 50},
	{prefix: "GR1348941", of: dashed, min: 20, max: 20}, {prefix: "ATATT3", of: dashed, min: 150}, {prefix: "bkua_", of: lowerHex, min: 40, max: 40},
	// Slack, Stripe, Square, Shopify, Twilio, Mailgun, Sendinblue
	{prefix: "xoxb-", of: dashed, min: 24, clear: true}, {prefix: "xoxp-", of: dashed, min: 24, clear: true}, {prefix: "xoxa-", of: dashed, min: 24, clear: true}, {prefix: "xoxr-", of: dashed, min: 24, clear: true},
	{prefix: "xoxs-", of: dashed, min: 24, clear: true}, {prefix: "xoxe-", of: dashed, min: 24, clear: true}, {prefix: "xapp-1-", of: dashed, min: 40, clear: true},
	{prefix: "sk_live_", of: letters, min: 16, max: 247, clear: true}, {prefix: "sk_test_", of: letters, min: 16, max: 247}, {prefix: "rk_live_", of: letters, min: 16, max: 247, clear: true},
	{prefix: "rk_test_", of: letters, min: 16, max: 247}, {prefix: "whsec_", of: letters, min: 32, max: 64}, {prefix: "sq0atp-", of: dashed, min: 22, max: 22},
	{prefix: "sq0csp-", of: dashed, min: 43, max: 43}, {prefix: "shpat_", of: hex, min: 32, max: 32}, {prefix: "shpca_", of: hex, min: 32, max: 32},
	{prefix: "shppa_", of: hex, min: 32, max: 32}, {prefix: "shpss_", of: hex, min: 32, max: 32}, {prefix: "SK", of: lowerHex, min: 32, max: 32},
	{prefix: "key-", of: lowerHex, min: 32, max: 32}, {prefix: "xkeysib-", of: dashed, min: 81, max: 81},
	// models
	{prefix: "sk-ant-", of: dashed, min: 32, mixed: true}, {prefix: "sk-proj-", of: dashed, min: 40, mixed: true}, {prefix: "sk-svcacct-", of: dashed, min: 40, mixed: true},
	{prefix: "sk-admin-", of: dashed, min: 40, mixed: true}, {prefix: "sk-or-v1-", of: lowerHex, min: 64, max: 64}, {prefix: "sk-", of: letters, min: 40, max: 64, mixed: true},
	{prefix: "AIza", of: dashed, min: 35, max: 35}, {prefix: "GOCSPX-", of: dashed, min: 28, max: 28}, {prefix: "hf_", of: letters, min: 34, max: 37, mixed: false},
	{prefix: "gsk_", of: letters, min: 52, max: 52, mixed: true}, {prefix: "r8_", of: letters, min: 37, max: 37, mixed: true}, {prefix: "xai-", of: letters, min: 80, max: 80},
	{prefix: "pplx-", of: letters, min: 48, max: 48},
	// package registries and builds
	{prefix: "npm_", of: letters, min: 36, max: 36}, {prefix: "pypi-AgEIcHlwaS5vcmc", of: dashed, min: 50}, {prefix: "pypi-AgENdGVzdC5weXBp", of: dashed, min: 50},
	{prefix: "rubygems_", of: lowerHex, min: 48, max: 48}, {prefix: "dckr_pat_", of: dashed, min: 27, max: 27}, {prefix: "dckr_oat_", of: dashed, min: 32, max: 32},
	{prefix: "AKCp", of: letters, min: 69, max: 69}, {prefix: "pul-", of: lowerHex, min: 40, max: 40}, {prefix: "cio", of: letters, min: 32, max: 32, mixed: true},
	// data and monitoring
	{prefix: "dapi", of: lowerHex, min: 32, max: 34}, {prefix: "NRAK-", of: upperDigits, min: 27, max: 27}, {prefix: "sntrys_", of: dashed, min: 60}, {prefix: "sntryu_", of: lowerHex, min: 64, max: 64},
	{prefix: "glsa_", of: wordly, min: 41, max: 41}, {prefix: "glc_", of: letters, min: 32}, {prefix: "pscale_tkn_", of: dashed, min: 32}, {prefix: "pscale_pw_", of: dashed, min: 32},
	{prefix: "sbp_", of: lowerHex, min: 40, max: 40}, {prefix: "PMAK-", of: dashed, min: 59, max: 59}, {prefix: "lin_api_", of: letters, min: 40, max: 40}, {prefix: "figd_", of: dashed, min: 40},
	{prefix: "ntn_", of: letters, min: 46, max: 46}, {prefix: "nfp_", of: letters, min: 36, max: 40},
	// keys
	{prefix: "AGE-SECRET-KEY-1", of: upperDigits, min: 58, max: 58}, {prefix: "AGE-PLUGIN-", of: dashed, min: 70}, {prefix: "ops_eyJ", of: letters, min: 200},
	{prefix: "p8e-", of: letters, min: 32, max: 32, mixed: true},
}

// byFirst has the tokens by the first byte of their prefix.
var byFirst = func() (table [256][]token) {
	for _, t := range tokens {
		table[t.prefix[0]] = append(table[t.prefix[0]], t)
	}
	return table
}()

const (
	minRun = 20 // bytes of the shortest token
	minAny = 2  // bytes of the shortest run to examine

	minNamed, maxNamed = len("awssecretkey"), len("aws-secret-access-key") // bytes of the names below
)

// find returns the first secret of a text that begins at from or later: the bytes from start
// to end. It reads the text once, run by run of letters, digits, _ and -, since a search examines
// many texts.
func find(text string, from int) (start, end int, found bool) {
	for i := from; i < len(text); i++ {
		if classes[text[i]]&dashed == 0 {
			continue
		}
		start := i
		for i++; i < len(text) && classes[text[i]]&dashed != 0; i++ {
		}
		switch n := i - start; { // most runs are words: end with them quickly
		case n >= minRun:
		case n < minAny || i == len(text):
			continue
		case n >= minNamed, text[i] == '.', text[i] == '=', text[i] == ':' && strings.HasPrefix(text[i:], "://"):
		case text[i] != ' ' || text[i-1] != 'E' && (n != len("Bearer") || text[i-1]|0x20 != 'r'):
			continue
		}
		if start, end, found := secretAt(text, start, i); found {
			return start, end, true
		}
	}
	return 0, 0, false
}

// secretAt returns the secret that the run text[start:end] is, or begins, with what follows it.
func secretAt(text string, start, end int) (from, to int, found bool) {
	run, after := text[start:end], text[end:]
	size := 0 // bytes after the run that belong to the secret
	switch n := len(run); {
	case n >= minRun:
		size, found = isToken(text, start, end)
	case strings.HasPrefix(after, "."), strings.HasPrefix(after, "="):
		size, found = isLabel(bare(text, start, end), after)
	case strings.HasPrefix(after, "://"):
		size, found = hasPassword(after)
	case isKey(text, end):
		start = max(strings.LastIndex(text[:end], "---- BEGIN "), strings.LastIndex(text[:end], "-----BEGIN "))
		size, found = keyExtent(after), true
	default:
		size, found = isBearer(run, after)
	}
	if !found && len(run) < minRun {
		size, found = isNamed(run, after)
	}
	return start, end + size, found
}

// bare returns the run text[start:end] without the letter of an escape (\n, \r or \t) that
// begins before it.
func bare(text string, start, end int) string {
	if start > 0 && text[start-1] == '\\' && strings.IndexByte("nrt", text[start]) >= 0 {
		start++
	}
	return text[start:end]
}

// isToken reports whether the run text[start:end] is a token, or begins a secret, and how many
// bytes after it belong to that.
func isToken(text string, start, end int) (size int, ok bool) {
	run := strings.TrimLeft(bare(text, start, end), "-_")
	if run == "" {
		return 0, false
	}
	if strings.HasPrefix(run, puttyFile) {
		return isPuTTY(text[end:])
	}
	for _, t := range byFirst[run[0]] {
		if rest, ok := strings.CutPrefix(run, t.prefix); ok && t.fits(rest) {
			return 0, true
		}
	}
	if strings.HasPrefix(run, "eyJ") {
		return isSigned(text[end:])
	}
	if isBot(text, start, run) {
		return 0, true
	}
	return isNamed(run, text[end:])
}

// fits reports whether rest can follow the prefix.
func (t token) fits(rest string) bool {
	n := 0
	for n < len(rest) && classes[rest[n]]&t.of != 0 {
		n++
	}
	if n < t.min || t.max > 0 && n > t.max || n < len(rest) && classes[rest[n]]&letters != 0 {
		return false
	}
	return random(rest[:n], t.mixed)
}

// random reports whether s looks random, unlike placeholders and names.
func random(s string, mixed bool) bool {
	var digit, lower, upper bool
	for i := range len(s) {
		digit = digit || s[i] >= '0' && s[i] <= '9'
		lower = lower || s[i] >= 'a' && s[i] <= 'z'
		upper = upper || s[i] >= 'A' && s[i] <= 'Z'
	}
	if mixed && !(digit && lower && upper) || !digit && !upper {
		return false
	}
	if kinds(s) < min(8, len(s)/2) {
		return false
	}
	s = strings.ToLower(s)
	return !slices.ContainsFunc([]string{"example", "placeholder", "your", "xxxx", "redacted", "changeme", "dummy"}, func(word string) bool { return strings.Contains(s, word) })
}

// isBot reports whether a run is the second half of a Telegram bot token, whose first half
// is a number.
func isBot(text string, start int, run string) bool {
	if len(run) != 35 || !strings.HasPrefix(run, "AA") || start == 0 || text[start-1] != ':' {
		return false
	}
	n := start - 1
	for n > 0 && text[n-1] >= '0' && text[n-1] <= '9' {
		n--
	}
	return start-1-n >= 8 && random(run, true)
}

// named maps setting names, in lower case and without _ and -, to the known lengths of
// their values.
var named = map[string]int{
	"awssecretaccesskey": 40, "secretaccesskey": 40, "awssecretkey": 40,
}

// isNamed reports whether a run is such a name, followed by its value, and how many bytes these
// are.
func isNamed(run, after string) (size int, ok bool) {
	if n := len(run); n < minNamed || n > maxNamed || run[n-1]|0x20 != 'y' || run[n-3]|0x20 != 'k' {
		return 0, false // as nearly always
	}
	want, ok := named[strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(run))]
	if !ok {
		return 0, false
	}
	after = after[:min(len(after), 80)]
	value := strings.TrimLeft(after, " \t\"':=>\\")
	n := span(value, isBase64)
	return len(after) - len(value) + n, n == want && len(value) < len(after) && random(value[:n], true)
}

// span returns how many bytes at the start of a text are characters that is accepts.
func span(text string, is func(rune) bool) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !is(r) }); n >= 0 {
		return n
	}
	return len(text)
}
