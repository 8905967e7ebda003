package toolset

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
)

// dial connects to an address of the host, which is allowed. It looks up the name once and
// connects to the address that it has checked.
func (f *fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := f.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	private := f.mayBePrivate(host, port)
	var last error
	for _, addr := range addrs {
		if !private && !public(addr) {
			last = &pageRefusal{fmt.Sprintf("%s has the private address %s; the user has to name it in fetch.private_hosts", host, addr)}
			continue
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		last = err
	}
	if last == nil {
		last = errors.New("the host has no address")
	}
	return nil, last
}

// mayBePrivate reports whether the settings allow a host to have any address.
func (f *fetcher) mayBePrivate(host, port string) bool {
	for _, scheme := range []string{"https", "http"} {
		u := &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}
		if private, err := f.allowed(u); err == nil && private {
			return true
		}
	}
	return false
}

func (f *fetcher) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	lookup := net.DefaultResolver.LookupIP
	if f.lookup != nil {
		lookup = f.lookup
	}
	found, err := lookup(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	var addrs []netip.Addr
	for _, ip := range found {
		if addr, ok := netip.AddrFromSlice(ip); ok {
			addrs = append(addrs, addr.Unmap())
		}
	}
	return addrs, nil
}

// special are the non-public ranges that package netip does not know, and those that lead to
// IPv4 addresses.
var special = func() (list []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
		"2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		list = append(list, netip.MustParsePrefix(p))
	}
	return list
}()

// public reports whether an address is in the public network.
func public(addr netip.Addr) bool {
	addr = addr.Unmap()
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.Zone() != "" {
		return false
	}
	for _, p := range special {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}
