package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"strings"
	"time"
)

// Limits of a request. They keep a program that sends slowly, or too much, from holding what the
// user's browser needs.
const (
	readWithin     = 15 * time.Second
	writeWithin    = 30 * time.Second
	idleFor        = time.Minute
	maxHeader      = 16 << 10
	maxBody        = 1 << 20
	maxConnections = 256
)

// headerWithin is how long the header of a request may take; tests change it.
var headerWithin = 5 * time.Second

// key is the secret that every request about the plan must carry.
type key string

func newKey() key {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return key(base64.RawURLEncoding.EncodeToString(secret))
}

// opens reports whether a request carries the key.
func (k key) opens(r *http.Request) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Redline ")
	return ok && subtle.ConstantTimeCompare([]byte(given), []byte(k)) == 1
}

// policy is the Content-Security-Policy of the page: only its own files run, and nothing frames it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// guarded refuses, before anything is read of it, a request that does not come from the page itself:
// by another name of this machine, as a name that an attacker's DNS leads here has; from another
// origin; or without the key.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeWithin))
		header := w.Header()
		for name, value := range map[string]string{
			"Content-Security-Policy": policy, "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
			"Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			header.Set(name, value)
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		switch api := strings.HasPrefix(r.URL.Path, "/api/"); {
		case !isLoopback(r.Host):
			fail(w, http.StatusForbidden, "This page is only served to this machine, by the name localhost or a loopback address.")
		case !api && !isNavigation(r) && !sameOrigin(r):
			fail(w, http.StatusForbidden, "Another page asked for this.")
		case api && !sameOrigin(r):
			fail(w, http.StatusForbidden, "Only the page itself may ask for this.")
		case api && r.URL.Path != "/api/code" && !s.key.opens(r):
			fail(w, http.StatusUnauthorized, "This page has no access to the plan: open it from redline review, or type its code.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isLoopback reports whether a Host header is a name or number of this machine itself, with any port:
// ssh -L may lead here from another one.
func isLoopback(host string) bool {
	name := host
	if n, port, err := net.SplitHostPort(host); err == nil {
		if port == "" || strings.Trim(port, "0123456789") != "" {
			return false
		}
		name = n
	} else if inner, ok := strings.CutPrefix(name, "["); ok {
		name = strings.TrimSuffix(inner, "]")
	}
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// isNavigation reports whether a request opens the page in a window of its own. It may come from
// anywhere, since the page itself holds nothing.
func isNavigation(r *http.Request) bool {
	mode, dest := r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	return r.URL.Path == "/" && (mode == "" || mode == "navigate") && (dest == "" || dest == "document")
}

// sameOrigin reports whether a browser says that the page itself sends a request. What changes
// something must say its origin too.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Values("Origin")
	switch {
	case len(r.Header.Values("Sec-Fetch-Site")) != 1 || r.Header.Get("Sec-Fetch-Site") != "same-origin":
		return false
	case len(origin) == 0:
		return r.Method == http.MethodGet || r.Method == http.MethodHead
	}
	return len(origin) == 1 && origin[0] == "http://"+r.Host
}
