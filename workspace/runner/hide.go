package runner

import (
	"strings"

	"redline/workspace/secrets"
)

// hider removes secrets from streams, even if one arrives in several pieces.
type hider struct {
	secrets []string
	held    map[Stream]string // text held back, since it may be the beginning of a secret
}

func newHider(values []string) hider {
	h := hider{held: map[Stream]string{}}
	for _, s := range values {
		if secrets.Removable(s) {
			h.secrets = append(h.secrets, s)
		}
	}
	return h
}

// pass returns the part of a stream that can be shown now; if end is true, the rest.
func (h hider) pass(s Stream, text string, end bool) string {
	text = h.held[s] + text
	h.held[s] = ""
	for _, secret := range h.secrets {
		text = strings.ReplaceAll(text, secret, secrets.Removed)
	}
	if end {
		return text
	}
	hold := 0
	for _, secret := range h.secrets {
		for n := min(len(secret)-1, len(text)); n > hold; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				hold = n
				break
			}
		}
	}
	h.held[s] = text[len(text)-hold:]
	return text[:len(text)-hold]
}
