// Package network says what a command in a copy of the workspace can reach, and forwards its
// connections to the peers that the user has named.
//
// A [Proxy] runs in the process that starts the command, never in the copy: it accepts on a socket
// that was opened in the copy's network namespace, and dials from outside. The copy has no other way out.
package network

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
)

// Access is what a command in a copy can reach; the zero value is nothing.
type Access struct {
	Host  bool   // the network of the host: whatever this user reaches
	Peers []Peer // only these, through a [Proxy]
}

// Peer is a name, the names below one, or an address, with one port or with 80 and 443.
//
//	api.openai.com        *.example.org        llm.example.org:8443
//	localhost:11434       10.1.2.3             [2001:db8::1]:443
type Peer struct {
	Name  string     // in lower case, "" if there is only Addr
	Below bool       // the names below Name, not itself
	Addr  netip.Addr // for localhost, the zero value
	Port  uint16     // 0 for 80 and 443
}

// maxPeers is how many peers a command can have.
const maxPeers = 100

// dnsName matches a name of labels, in lower case.
var dnsName = lazyregexp.New(`^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

// Parse reads what a setting or a flag names: "none" or "host" alone, or peers. No words are "none". The
// error is a sentence without its end, such as "host is not with other names".
func Parse(words []string) (a Access, err error) {
	for _, word := range words {
		switch {
		case word == "none" && len(words) == 1:
			return Access{}, nil
		case word == "host" && len(words) == 1:
			return Access{Host: true}, nil
		case word == "none" || word == "host":
			return Access{}, fmt.Errorf("%q must stand alone", word)
		}
		peer, err := parsePeer(word)
		if err != nil {
			return Access{}, err
		}
		if !slices.Contains(a.Peers, peer) {
			a.Peers = append(a.Peers, peer)
		}
	}
	if len(a.Peers) > maxPeers {
		return Access{}, fmt.Errorf("there are %d hosts, and at most %d are possible", len(a.Peers), maxPeers)
	}
	return a, nil
}

func parsePeer(word string) (p Peer, err error) {
	bad := fmt.Errorf("%q must be a host name like api.example.org, *.example.org, localhost:8080 or 10.1.2.3:443", word)
	name := strings.ToLower(word)
	if host, port, err := net.SplitHostPort(name); err == nil {
		if p.Port = portOf(port); p.Port == 0 {
			return p, bad
		}
		name = host
	} else if inner, ok := strings.CutPrefix(name, "["); ok {
		name = strings.TrimSuffix(inner, "]")
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		p.Addr = addr.Unmap()
		switch {
		case addr.Zone() != "" || addr.IsUnspecified() || addr.IsMulticast():
			return p, bad
		case p.ownPort() && p.Port == 0:
			return p, fmt.Errorf("%q needs a port, as in %s", word, net.JoinHostPort(name, "8080"))
		}
		return p, nil
	}
	p.Name, p.Below = strings.CutPrefix(name, "*.")
	switch {
	case p.Name == "localhost" && !p.Below && p.Port == 0:
		return p, fmt.Errorf("%q needs a port, as in localhost:8080", word)
	case p.Port == 0 && (p.Name == "none" || p.Name == "host"): // "Host", as no name is meant
		return p, fmt.Errorf("%q must be %q, in small letters", word, p.Name)
	case len(p.Name) > 253 || !dnsName().MatchString(p.Name) || isNumber(p.Name):
		return p, bad
	case p.Below && !strings.Contains(p.Name, "."): // everything below com
		return p, bad
	}
	return p, nil
}

// portOf returns the number of a port, 0 if it is none.
func portOf(text string) uint16 {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || strconv.FormatUint(n, 10) != text {
		return 0
	}
	return uint16(n)
}

// isNumber reports whether programs may take a name for an IPv4 address: if its last label is a number.
func isNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil || errors.Is(err, strconv.ErrRange) || strings.Trim(last, "0123456789") == ""
}

// ownPort reports whether a peer is on this machine. Programs do not use a proxy for those, so the copy
// has their port too.
func (p Peer) ownPort() bool { return p.Name == "localhost" && !p.Below || p.Addr.IsLoopback() }

// Local returns the addresses in the copy that lead to a peer of this machine; without the first it cannot be
// reached.
func (p Peer) Local() []netip.AddrPort {
	switch {
	case !p.ownPort():
		return nil
	case p.Addr.IsValid():
		return []netip.AddrPort{netip.AddrPortFrom(p.Addr, p.Port)}
	}
	return []netip.AddrPort{netip.AddrPortFrom(loopback, p.Port), netip.AddrPortFrom(netip.IPv6Loopback(), p.Port)}
}

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// Variables are the variables of the environment that name a proxy.
var Variables = []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"}

// Environment returns what tells programs in a copy about the proxy at a port of the loopback device.
func Environment(port uint16) map[string]string {
	env := map[string]string{"NODE_USE_ENV_PROXY": "1"} // for Node's own clients, from 22.21 and 24.5 on
	for _, name := range Variables {
		env[name] = "http://" + netip.AddrPortFrom(loopback, port).String()
		if strings.EqualFold(name, "NO_PROXY") {
			env[name] = "localhost,127.0.0.1,::1"
		}
	}
	return env
}

// WithoutUser returns what one of Variables says without a user and a password, in each form in which
// programs take it.
//
//	http://me:secret@proxy.corp:3128    http://proxy.corp:3128
//	me:secret@proxy.corp:3128           proxy.corp:3128
func WithoutUser(value string) string {
	at := strings.LastIndexByte(value, '@')
	if at < 0 {
		return value
	}
	if scheme, _, ok := strings.Cut(value[:at], "://"); ok && !strings.ContainsAny(scheme, ":@/") {
		return scheme + "://" + value[at+1:]
	}
	return value[at+1:]
}

// is reports whether a peer is what a command asks for: a name in lower case, or an address.
func (p Peer) is(name string, addr netip.Addr, port uint16) bool {
	if p.Port != port && (p.Port != 0 || port != 80 && port != 443) {
		return false
	}
	switch {
	case addr.IsValid():
		return p.Addr == addr
	case p.Below:
		return strings.HasSuffix(name, "."+p.Name)
	}
	return p.Name == name && name != ""
}

func (p Peer) String() string {
	name := p.Name
	if p.Below {
		name = "*." + name
	}
	if p.Addr.IsValid() {
		name = p.Addr.String()
	}
	if p.Port == 0 {
		return name
	}
	return net.JoinHostPort(name, strconv.Itoa(int(p.Port)))
}

// Words returns what [Parse] reads: "none", "host", or the peers.
func (a Access) Words() []string {
	switch {
	case a.Host:
		return []string{"host"}
	case len(a.Peers) == 0:
		return []string{"none"}
	}
	words := make([]string, len(a.Peers))
	for i, p := range a.Peers {
		words[i] = p.String()
	}
	return words
}

// Within reports whether a command with this access reaches nothing that one with other does not.
func (a Access) Within(other Access) bool {
	switch {
	case other.Host:
		return true
	case a.Host:
		return false
	}
	return !slices.ContainsFunc(a.Peers, func(p Peer) bool { return !slices.ContainsFunc(other.Peers, p.within) })
}

// Narrow returns what both a and other reach.
func (a Access) Narrow(other Access) Access {
	switch {
	case a.Host:
		return other
	case other.Host:
		return a
	}
	var both Access
	add := func(peers []Peer, in Access) {
		for _, p := range peers {
			if slices.ContainsFunc(in.Peers, p.within) && !slices.Contains(both.Peers, p) {
				both.Peers = append(both.Peers, p)
			}
		}
	}
	add(a.Peers, other)
	add(other.Peers, a)
	for _, p := range a.Peers { // a name for 80 and 443 beside names below a domain at one port
		for _, of := range other.Peers {
			for _, q := range []Peer{{p.Name, p.Below, p.Addr, of.Port}, {of.Name, of.Below, of.Addr, p.Port}} {
				if q.within(p) && q.within(of) && !slices.ContainsFunc(both.Peers, q.within) {
					both.Peers = append(both.Peers, q)
				}
			}
		}
	}
	return both
}

func (p Peer) within(other Peer) bool {
	if p.Port != other.Port && (other.Port != 0 || p.Port != 80 && p.Port != 443) {
		return false
	}
	if other.Below {
		return !p.Addr.IsValid() && (strings.HasSuffix(p.Name, "."+other.Name) || p.Below && p.Name == other.Name)
	}
	return p.Name == other.Name && p.Below == other.Below && p.Addr == other.Addr
}

// special are the non-public ranges that package netip does not know, and those that lead to
// IPv4 addresses.
var special = func() (list []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		list = append(list, netip.MustParsePrefix(p))
	}
	return list
}()

var (
	unicast = netip.MustParsePrefix("2000::/3")     // all that is public of IPv6 (RFC 4291, 2.4)
	nat64   = netip.MustParsePrefix("64:ff9b::/96") // IPv4 addresses, in a network that has none (RFC 6052)
)

// Public reports whether an address is in the public network.
func Public(addr netip.Addr) bool {
	addr = addr.Unmap()
	if nat64.Contains(addr) {
		all := addr.As16()
		addr = netip.AddrFrom4([4]byte(all[12:]))
	}
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.Zone() != "" || addr.Is6() && !unicast.Contains(addr) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(addr) })
}
