package model

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// maxDetail limits how many bytes of a provider's own words get into an error.
const maxDetail = 300

// removed replaces a secret.
const removed = "[removed]"

// secretShapes match what looks like a secret.
var secretShapes = lazyregexp.New(strings.Join([]string{
	`(?i:\b(?:bearer|basic)\s+)[^\s"',;]+`,      // an Authorization header's value
	`(?i:\bauthorization["']?\s*[:=]\s*)[^,;]+`, // the whole header
	`\bsk-[\w*.…-]+`,                            // the usual form of a key, also if masked
	`://[^/\s"'@]*@`,                            // user and password of a URL
	`(https?://[^\s"'?]*)\?\S+`,                 // a URL's query
}, "|"))

// scrubber removes a provider's secrets from text that a user will see.
type scrubber struct {
	secrets *strings.Replacer
	inURL   []string // the secret parts of the base URL
}

// newScrubber knows the secrets that are sent, and the user, password and query of the base URL.
func newScrubber(sent []string, base *url.URL) scrubber {
	var pairs []string
	hide := func(secret string) {
		if secrets.Removable(secret) {
			pairs = append(pairs, secret, removed, url.QueryEscape(secret), removed, url.PathEscape(secret), removed)
		}
	}
	for _, secret := range sent {
		hide(secret)
	}
	var inURL []string
	if base != nil {
		if password, ok := base.User.Password(); ok {
			hide(base64.StdEncoding.EncodeToString([]byte(base.User.Username() + ":" + password)))
			hide(password)
			inURL = append(inURL, password)
		}
		hide(base.User.Username())
		for _, values := range base.Query() {
			for _, value := range values {
				hide(value)
				inURL = append(inURL, value)
			}
		}
	}
	return scrubber{strings.NewReplacer(pairs...), inURL}
}

// line returns text without secrets, as one bounded line of visible characters.
func (s scrubber) line(text string) string {
	text = s.secrets.Replace(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	text = secretShapes().ReplaceAllString(s.secrets.Replace(text), "$1"+removed)
	return strings.TrimRight(phrase.StartBytes(text, maxDetail), ". ")
}
