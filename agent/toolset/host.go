package toolset

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// Host is an allowed host: HOST, *.HOST for the names below it, HOST:PORT, or http://HOST[:PORT] if
// unencrypted requests are allowed, as in "pkg.go.dev", "*.example.org" and "http://localhost:8080".
type Host struct {
	name  string // in lower case, without a trailing dot
	below bool   // the names below it, but not itself
	port  string // "" for the default port
	plain bool   // http is allowed too
}

// hostName matches a name of labels, or an IPv4 address.
var hostName = lazyregexp.New(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// ParseHosts reads hosts separated by commas, spaces or line ends. The error continues a
// sentence that begins with the setting.
func ParseHosts(text string) ([]Host, error) {
	var hosts []Host
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r <= ' ' }) {
		h, ok := parseHost(strings.ToLower(word))
		if !ok {
			return nil, fmt.Errorf("must have host names like go.dev, *.python.org or localhost:8080, not %q", word)
		}
		hosts = append(hosts, h)
	}
	return hosts, nil
}

func parseHost(word string) (h Host, ok bool) {
	word, h.plain = strings.CutPrefix(word, "http://")
	if !h.plain {
		word = strings.TrimPrefix(word, "https://")
	}
	word, h.below = strings.CutPrefix(word, "*.")
	if name, port, err := net.SplitHostPort(word); err == nil {
		if port == "" || strings.Trim(port, "0123456789") != "" {
			return h, false
		}
		word, h.port = name, port
	}
	if addr, err := netip.ParseAddr(strings.Trim(word, "[]")); err == nil {
		h.name = addr.String()
		return h, !h.below && addr.Zone() == ""
	}
	h.name = strings.TrimSuffix(word, ".")
	if h.below && !strings.Contains(h.name, ".") {
		return h, false // everything below com, or everything
	}
	return h, hostName().MatchString(h.name)
}

// matches reports whether h allows the host, the port and the scheme of a URL.
func (h Host) matches(u *url.URL) bool {
	name := hostOf(u)
	if h.below {
		if !strings.HasSuffix(name, "."+h.name) {
			return false
		}
	} else if name != h.name {
		return false
	}
	if u.Scheme == "http" && !h.plain {
		return false
	}
	port := u.Port()
	if port == "" {
		port = usualPort(u.Scheme)
	}
	return port == h.port || h.port == "" && port == usualPort(u.Scheme)
}

// Covers reports whether h allows all that other allows.
func (h Host) Covers(other Host) bool {
	switch {
	case h.name != other.name && !(h.below && strings.HasSuffix(other.name, "."+h.name)),
		h.name == other.name && h.below != other.below,
		other.plain && !h.plain:
		return false
	case h.port == other.port:
		return true
	case other.plain: // it allows the default ports of both schemes
		return false
	}
	return cmp.Or(h.port, "443") == cmp.Or(other.port, "443")
}

// Allows reports whether one of the hosts allows requests to the URL.
func Allows(hosts []Host, u *url.URL) bool {
	return u != nil && slices.ContainsFunc(hosts, func(h Host) bool { return h.matches(u) })
}

func usualPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// hostOf returns the host of a URL in the form of [Host].
func hostOf(u *url.URL) string {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.String()
	}
	return name
}

// String returns the host in the form of the settings.
func (h Host) String() string {
	text := h.name
	if strings.Contains(text, ":") && h.port != "" {
		text = "[" + text + "]"
	}
	if h.below {
		text = "*." + text
	}
	if h.port != "" {
		text += ":" + h.port
	}
	if h.plain {
		text = "http://" + text
	}
	return text
}
