package model

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode"

	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// maxDetail limits how many bytes of a provider's own words get into an error.
const maxDetail = 300

// scrubber removes a provider's secrets from text that a user will see.
type scrubber struct {
	known *strings.Replacer
	inURL []string // the secret parts of the base URL
}

// newScrubber knows the secrets that are sent, and the user, password and query of the base URL.
func newScrubber(sent []string, base *url.URL) scrubber {
	var pairs []string
	hide := func(secret string) {
		if secrets.Removable(secret) {
			pairs = append(pairs, secret, secrets.Removed, url.QueryEscape(secret), secrets.Removed, url.PathEscape(secret), secrets.Removed)
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
	text = s.known.Replace(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	text = secrets.Masked(secrets.WithoutQueries(s.known.Replace(text), secrets.Removed))
	return strings.TrimRight(phrase.StartBytes(text, maxDetail), ". ")
}
