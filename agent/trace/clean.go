package trace

import (
	"strings"
	"unicode"

	"redline/edits"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// removed replaces what looks like a secret.
const removed = "[removed]"

// secrets matches what looks like a secret in the words of users and in files. The
// provider's own key is removed from a model's reply before.
var secrets = lazyregexp.New(strings.Join([]string{
	`(?i:\bauthorization["']?\s*[:=]\s*)[^,;\n"]+`,
	`(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}`,
	`(?i:\b[a-z0-9_.-]*(?:password|passwd|secret|token|api[_-]?key)["']?\s*[:=]\s*["']?)[^\s"',;]{4,}`,
	`\bsk-[\w*.…-]{4,}`,
	`\b(?:gh[opsur]_|github_pat_|glpat-|xox[abprs]-)[\w-]{8,}`,
	`\bAKIA[0-9A-Z]{12,}`,
	`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`, // a signed token
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*`,
	`://[^/\s"'@]+@`, // user and password of a URL
}, "|"))

// hints are texts, in lower case; every match of secrets contains one. Searching for them costs
// a hundredth of the expression.
var hints = []string{
	"authorization", "bearer", "basic", "password", "passwd", "secret", "token", "key", "sk-", "ghp_", "gho_", "ghs_", "ghu_", "ghr_",
	"github_pat_", "glpat-", "xox", "akia", "eyj", "://",
}

// WithoutSecrets replaces what looks like a secret in text.
func WithoutSecrets(text string) string {
	small := strings.ToLower(text)
	for _, hint := range hints {
		if strings.Contains(small, hint) {
			return secrets().ReplaceAllString(text, removed)
		}
	}
	return text
}

// Line formats text as one line of at most max bytes, without what looks like a secret and with
// invisible characters made visible.
func Line(text string, max int) string {
	text = strings.ToValidUTF8(clip(text, 4*max), "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return phrase.ClipBytes(edits.Visible(WithoutSecrets(text)), max)
}

// block does what [Line] does, for several lines.
func block(text string, max int) string {
	text = strings.ToValidUTF8(clip(text, 4*max), "\uFFFD")
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r", ""))
	return phrase.ClipBytes(edits.Visible(WithoutSecrets(text)), max)
}

// clip limits how much of a text is processed.
func clip(text string, max int) string {
	if len(text) > max {
		return text[:max]
	}
	return text
}
