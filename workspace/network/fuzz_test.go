package network

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Whatever a command sends on a connection, the proxy connects to nothing but what is named, looks up no
// other name, and what arrives on a connection for a plain request is one request for a named host.
func FuzzProxy(f *testing.F) {
	for _, text := range []string{
		"CONNECT good.example:443 HTTP/1.1\r\n\r\nearly", "CONNECT [2606:4700::1]:443 HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT 10.0.0.7:443 HTTP/1.0\r\n\r\n",
		"GET http://good.example/a?b#c HTTP/1.1\r\nHost: evil.example\r\n\r\nGET http://evil.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"POST http://x.b.example:80/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n",
		"POST http://good.example/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 90\r\n\r\nGET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"GET http://good.example/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, Host\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n", "TRACE http://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET http://good.example@evil.example/ HTTP/1.1\r\n\r\n", "GET http://2130706433/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://[::ffff:10.0.0.7]:443/ HTTP/1.1\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET http://mine.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://good.example/%0d%0aHost:%20evil HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\nTrailer: Host\r\n\r\n",
	} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, byUsers bool) {
		o := &recorded{}
		p := newProxy(access(t, "good.example *.b.example 10.0.0.7:443 2606:4700::1 mine.example"), peerDialer{
			lookup: o.lookup, dial: o.dial, own: func() []netip.Addr { return []netip.Addr{netip.MustParseAddr(other)} },
			above: func(*url.URL) (*url.URL, error) {
				if byUsers {
					return url.Parse("http://me:secret@proxy.corp:3128")
				}
				return nil, nil
			},
		})
		// The end of the input cancels a request, so another one is behind it, and nothing is read ahead.
		c := &script{from: bytes.NewReader(append(slices.Clip(text), "GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"...)), closed: make(chan struct{})}
		l := &single{c: make(chan net.Conn, 1), closed: make(chan struct{})}
		l.c <- c
		p.Serve(l)
		<-c.closed
		p.Close()
		o.check(t, byUsers)
		if got := c.got.String(); strings.Contains(got, "bWU6c2Vj") {
			t.Errorf("the password of the user's proxy comes back:\n%q", got)
		}
		if s := p.Report().Sentence(); strings.ContainsAny(s, "\n\r\x1b<*`") {
			t.Errorf("%q", s)
		}
	})
}

// recorded is a network that answers everything and notes what it was asked.
type recorded struct {
	mu      sync.Mutex
	looked  []string
	dialled []*origin
}

func (o *recorded) lookup(_ context.Context, _, host string) ([]netip.Addr, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.looked = append(o.looked, host)
	if host == "mine.example" {
		return []netip.Addr{netip.MustParseAddr(other)}, nil
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr(good)}, nil
}

func (o *recorded) dial(ctx context.Context, _, address string) (net.Conn, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := &origin{address: address, plain: routeOf(ctx).port != 0, begun: make(chan struct{}), closed: make(chan struct{})}
	o.dialled = append(o.dialled, c)
	return c, nil
}

// check checks what arrived, after everything is over.
func (o *recorded) check(t *testing.T, byUsers bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, host := range o.looked {
		if byUsers || !namedHost(host) {
			t.Errorf("looked up %q", host)
		}
	}
	for _, c := range o.dialled {
		want := []string{good + ":80", good + ":443", "10.0.0.7:443", "[2606:4700::1]:80", "[2606:4700::1]:443"}
		if byUsers {
			want = []string{"proxy.corp:3128"}
		}
		if !slices.Contains(want, c.address) {
			t.Errorf("dialled %s", c.address)
		}
		text := c.text()
		from := bufio.NewReader(strings.NewReader(text))
		r, err := http.ReadRequest(from)
		if !c.plain && !byUsers || err != nil && !strings.Contains(text, "\r\n\r\n") { // a tunnel, or cut off
			continue
		}
		switch {
		case err != nil:
			t.Errorf("%s got no request: %v\n%q", c.address, err, text)
		case !namedHost(r.Host):
			t.Errorf("%s was asked for %q:\n%q", c.address, r.Host, text)
		case c.plain == (r.Method == http.MethodConnect), r.Method == http.MethodTrace, byUsers && c.plain && r.Header.Get("Upgrade") != "":
			t.Errorf("%s was asked\n%q", c.address, text)
		case c.plain:
			_, _ = io.Copy(io.Discard, r.Body)
			if rest, _ := io.ReadAll(from); len(rest) > 0 {
				t.Errorf("%s got more than a request: %q\nof\n%q", c.address, rest, text)
			}
		}
	}
}

// namedHost reports whether the command of the test may ask for a host, by rules that are not the proxy's own.
func namedHost(host string) bool {
	if host == "10.0.0.7:443" || host == "2606:4700::1" || strings.HasPrefix(host, "[2606:4700::1]") {
		return true
	}
	name, port, _ := strings.Cut(host, ":")
	if port != "" && port != "80" && port != "443" {
		return false
	}
	below, is := strings.CutSuffix(name, ".b.example")
	return name == "good.example" || name == "mine.example" || is && below != "" && strings.Trim(below, "abcdefghijklmnopqrstuvwxyz0123456789_-.") == ""
}

// origin is the other end of a connection. It answers once something has come.
type origin struct {
	none
	address string
	plain   bool
	once    sync.Once
	ended   sync.Once
	begun   chan struct{}
	closed  chan struct{}

	mu   sync.Mutex
	got  []byte
	said int
}

func (c *origin) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.got)
}

func (c *origin) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, text...)
	c.once.Do(func() { close(c.begun) })
	return len(text), nil
}

func (c *origin) Read(into []byte) (int, error) {
	select {
	case <-c.begun:
	case <-c.closed:
		return 0, net.ErrClosed
	}
	text := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	if got := c.text(); strings.HasPrefix(got, http.MethodConnect) {
		text = "HTTP/1.1 200 OK\r\n\r\n"
	} else if len(got)%2 == 1 { // as a proxy that tells what it was sent
		text = fmt.Sprintf("HTTP/1.1 407 No\r\nContent-Length: %d\r\n\r\n%s", len(got), got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said >= len(text) {
		return 0, io.EOF
	}
	n := copy(into, text[c.said:])
	c.said += n
	return n, nil
}

func (c *origin) Close() error {
	c.ended.Do(func() { close(c.closed) })
	return nil
}

// script is a connection on which a command sends a text, and then ends.
type script struct {
	none
	ended  sync.Once
	closed chan struct{}

	mu   sync.Mutex
	from *bytes.Reader
	got  bytes.Buffer
}

func (c *script) Read(into []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.from.Read(into[:min(len(into), 1)])
}

func (c *script) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.Write(text)
}

func (c *script) Close() error {
	c.ended.Do(func() { close(c.closed) })
	return nil
}

// none is a connection without addresses and deadlines.
type none struct{}

func (none) CloseWrite() error                { return nil }
func (none) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (none) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (none) SetDeadline(time.Time) error      { return nil }
func (none) SetReadDeadline(time.Time) error  { return nil }
func (none) SetWriteDeadline(time.Time) error { return nil }

// single is a listener with one connection.
type single struct {
	c      chan net.Conn
	ended  sync.Once
	closed chan struct{}
}

func (l *single) Accept() (net.Conn, error) {
	select {
	case c := <-l.c:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *single) Close() error {
	l.ended.Do(func() { close(l.closed) })
	return nil
}

func (l *single) Addr() net.Addr { return &net.TCPAddr{} }
