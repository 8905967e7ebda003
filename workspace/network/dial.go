package network

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"

	"golang.org/x/net/proxy"
)

// peerDialer connects to targets that are named.
type peerDialer struct {
	access  Access
	lookup  func(ctx context.Context, kind, host string) ([]netip.Addr, error)
	dial    func(ctx context.Context, kind, address string) (net.Conn, error)
	above   func(*url.URL) (*url.URL, error) // the user's own proxy for a URL, nil for none
	own     func() []netip.Addr              // the addresses of this machine
	through func(host string)                // notes that this proxy was used
	reached func(target)                     // notes that something can be sent to a target
	over    context.Context                  // done when the command is over
}

// notPublic refuses a name that leads to an address which is not public, or to this machine.
type notPublic struct {
	addr netip.Addr
	own  bool
}

func (e *notPublic) Error() string {
	if e.own {
		return fmt.Sprintf("its address %s is this machine's, and not named itself", e.addr)
	}
	return fmt.Sprintf("its address %s is not public, and not named itself", e.addr)
}

// OwnAddresses returns the addresses of this machine. Behind a public one are the same services as
// behind the loopback device, and no firewall is between.
func OwnAddresses() (all []netip.Addr) {
	found, err := net.InterfaceAddrs()
	if err != nil {
		return nil // then only what is not public is known
	}
	for _, a := range found {
		if n, ok := a.(*net.IPNet); ok {
			if addr, ok := netip.AddrFromSlice(n.IP); ok {
				all = append(all, addr.Unmap())
			}
		}
	}
	return all
}

// route is how a plain request goes on.
type route struct {
	target
	above *url.URL // the user's own proxy
}

// routeKey is the key of a route in the context of a request.
type routeKey struct{}

func routeOf(ctx context.Context) route {
	r, _ := ctx.Value(routeKey{}).(route)
	return r
}

// aboveFor returns the user's own proxy for a target, nil for none.
func (d *peerDialer) aboveFor(scheme string, t target) (*url.URL, error) {
	return d.above(&url.URL{Scheme: scheme, Host: net.JoinHostPort(cmp.Or(t.name, t.addr.String()), strconv.Itoa(int(t.port)))})
}

// dialRoute connects for the request in ctx: to its target, or to the user's own proxy.
func (d *peerDialer) dialRoute(ctx context.Context, kind, address string) (c net.Conn, err error) {
	r := routeOf(ctx)
	if r.above == nil {
		c, err = d.direct(ctx, r.target)
	} else {
		d.through(r.above.Host)
		ctx, stop := d.whileRunning(ctx)
		defer stop()
		c, err = d.dial(ctx, kind, address)
	}
	if err == nil {
		d.reached(r.target) // now: what is sent is there, also if no answer comes
	}
	return c, err
}

// whileRunning ends a context with the command.
func (d *peerDialer) whileRunning(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	forget := context.AfterFunc(d.over, stop)
	return ctx, func() { forget(); stop() }
}

// connect returns a connection to a target, by way of the user's own proxy if there is one. That looks up
// the name itself, so the address is not judged here.
func (d *peerDialer) connect(ctx context.Context, t target) (net.Conn, error) {
	above, err := d.aboveFor("https", t)
	if err != nil {
		return nil, err
	}
	if above == nil {
		return d.direct(ctx, t)
	}
	d.through(above.Host)
	ctx, stop := d.whileRunning(ctx)
	defer stop()
	if above.Scheme == "socks5" || above.Scheme == "socks5h" {
		by, err := proxy.FromURL(above, dialer(d.dial))
		if err != nil {
			return nil, err
		}
		return by.(proxy.ContextDialer).DialContext(ctx, "tcp", t.String())
	}
	return d.connectBy(ctx, above, t)
}

// dialer is a function as the dialer of a SOCKS client.
type dialer func(ctx context.Context, kind, address string) (net.Conn, error)

func (d dialer) Dial(kind, address string) (net.Conn, error) {
	return d(context.Background(), kind, address)
}

func (d dialer) DialContext(ctx context.Context, kind, address string) (net.Conn, error) {
	return d(ctx, kind, address)
}

// connectBy asks the user's own proxy for a tunnel.
func (d *peerDialer) connectBy(ctx context.Context, above *url.URL, t target) (tunnel net.Conn, err error) {
	ports := map[string]string{"http": "80", "https": "443"}
	c, err := d.dial(ctx, "tcp", net.JoinHostPort(above.Hostname(), cmp.Or(above.Port(), ports[above.Scheme])))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = c.Close()
		}
	}()
	raw := c
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_ = c.SetDeadline(time.Now().Add(2 * dialTime))
	if above.Scheme == "https" {
		c = tls.Client(c, &tls.Config{ServerName: above.Hostname()})
	}
	ask := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: t.String()}, Host: t.String(), Header: http.Header{}}
	if user := above.User; user != nil {
		password, _ := user.Password()
		ask.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := ask.Write(c); err != nil {
		return nil, err
	}
	head, err := readHead(c)
	if err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), ask)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New("the proxy refuses it: " + answer.Status)
	}
	if !stop() {
		return nil, ctx.Err()
	}
	return c, c.SetDeadline(time.Time{})
}

// readHead reads the head of an answer, and nothing of what follows it.
func readHead(from io.Reader) (head []byte, err error) {
	for one := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); head = append(head, one[0]) {
		if len(head) > maxHeader {
			return nil, errors.New("the proxy's answer is too long")
		}
		if _, err := io.ReadFull(from, one); err != nil {
			return nil, err
		}
	}
	return head, nil
}

// direct connects to a target. It looks up the name once, and connects to the address that it has
// judged: a public one, or one that is named.
func (d *peerDialer) direct(ctx context.Context, t target) (net.Conn, error) {
	ctx, stop := d.whileRunning(ctx)
	defer stop()
	addrs, err := []netip.Addr{t.addr}, error(nil)
	switch {
	case t.addr.IsValid():
	case t.name == "localhost":
		addrs = []netip.Addr{loopback, netip.IPv6Loopback()}
	default:
		if addrs, err = d.judged(ctx, t); err != nil {
			return nil, err
		}
	}
	for _, addr := range addrs {
		var c net.Conn
		if c, err = d.dial(ctx, "tcp", netip.AddrPortFrom(addr, t.port).String()); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// judged returns the addresses of a name that may be connected to.
func (d *peerDialer) judged(ctx context.Context, t target) (good []netip.Addr, err error) {
	found, err := d.lookup(ctx, "ip", t.name)
	if err != nil {
		return nil, err
	}
	own := d.own()
	err = errors.New("the host has no address")
	for _, addr := range found {
		addr = addr.Unmap()
		is := slices.Contains(own, addr)
		if Public(addr) && !is || d.access.names(target{addr: addr, port: t.port}) {
			good = append(good, addr)
		} else {
			err = &notPublic{addr, is && Public(addr)}
		}
	}
	if len(good) > 0 {
		return good, nil
	}
	return nil, err
}
