package model

import (
	"net/http"
	"strings"

	"redline/internal/lazyregexp"
)

// secretHeader finds headers that hold a secret by their name.
var secretHeader = lazyregexp.New(`(?i)auth|key|token|secret|cookie|password|credential`)

// headers are those that go with each request. One without a value takes away
// what go-openai sets.
func (c Config) headers(key string) []Header {
	headers := append([]Header(nil), c.Headers...)
	if c.KeyHeader != "" && http.CanonicalHeaderKey(c.KeyHeader) != "Authorization" {
		headers = append([]Header{{Name: "Authorization"}}, append(headers, Header{Name: c.KeyHeader, Value: key})...)
	} else if c.KeyHeader != "" {
		headers = append(headers, Header{Name: c.KeyHeader, Value: key})
	}
	return headers
}

// setHeaders puts headers into a request that is the caller's own.
func setHeaders(req *http.Request, headers []Header) {
	for _, h := range headers {
		if req.Header.Set(h.Name, h.Value); h.Value == "" {
			req.Header.Del(h.Name)
		}
	}
}

// secrets are the key, and the values of the headers that hold one.
func (c Config) secrets(key string) []string {
	var all []string
	if key != "" {
		all = append(all, key)
	}
	for _, h := range c.Headers {
		if h.Value != "" && (h.Secret || secretHeader().MatchString(h.Name)) {
			all = append(all, h.Value)
			if words := strings.Fields(h.Value); len(words) > 1 { // "Bearer …"
				all = append(all, words[len(words)-1])
			}
		}
	}
	return all
}
