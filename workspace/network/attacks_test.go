package network

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// telling is a proxy of the user that tells a client what it was sent, as some do on an error page or for
// TRACE, and reads on after an answer of 101, which it knows nothing about.
type telling struct {
	mu    sync.Mutex
	asked []string
	ended chan struct{} // has one for each connection that is over
}

func tellingProxy(t *testing.T) (p *telling, address string) {
	t.Helper()
	l := listen(t)
	t.Cleanup(func() { l.Close() })
	p = &telling{ended: make(chan struct{}, 100)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p, l.Addr().String()
}

func (p *telling) serve(c net.Conn) {
	defer func() { c.Close(); p.ended <- struct{}{} }()
	_ = c.SetDeadline(time.Now().Add(3 * time.Minute))
	from := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(from)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.asked = append(p.asked, r.Method+" "+r.RequestURI)
		p.mu.Unlock()
		head, err := httputil.DumpRequest(r, false)
		if err != nil {
			return
		}
		switch {
		case strings.HasSuffix(r.URL.Path, "/switch"):
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\n"+upgrade(r.Header)+"\r\n")
			continue
		case strings.HasSuffix(r.URL.Path, "/well"):
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwell")
		default:
			fmt.Fprintf(c, "HTTP/1.1 503 Service Unavailable\r\nX-Request: %q\r\nContent-Length: %d\r\n\r\n%s", head, len(head), head)
		}
		return
	}
}

func upgrade(h http.Header) string {
	if h.Get("Upgrade") == "" {
		return ""
	}
	return "Connection: Upgrade\r\nUpgrade: " + h.Get("Upgrade") + "\r\n"
}

// What the user's own proxy answers for itself does not come into the copy: it may say what it was sent,
// the user's password too.
func TestProxyKeepsThePasswordOfTheUsersOwn(t *testing.T) {
	o, _ := world(t)
	above, at := tellingProxy(t)
	o.hosts["proxy.corp:3128"] = at
	_, mine := o.start("good.example", func(p *Proxy) {
		p.peers.above = func(*url.URL) (*url.URL, error) { return url.Parse("http://me:secret@proxy.corp:3128") }
	})
	for request, want := range map[string]int{"GET http://good.example/": 503, "TRACE http://good.example/": 400, "TRACE http://good.example/well": 400, "GET http://good.example/well": 200} {
		c, from := open(t, mine, request+" HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\nConnection: close\r\n\r\n")
		text, err := io.ReadAll(from)
		if status := fmt.Sprintf("HTTP/1.1 %d ", want); err != nil || !strings.HasPrefix(string(text), status) || strings.Contains(string(text), "bWU6c2Vj") {
			t.Errorf("%s: %v, want %s\n%s", request, err, status, text)
		}
		c.Close()
	}
	above.mu.Lock()
	defer above.mu.Unlock()
	if slices.ContainsFunc(above.asked, func(a string) bool { return strings.HasPrefix(a, http.MethodTrace) }) {
		t.Errorf("asked %q", above.asked)
	}
}

// A connection to the user's own proxy never becomes the program's: by it the program could ask for any
// host, in the user's name.
func TestProxyLendsNoConnection(t *testing.T) {
	for _, more := range []string{"", "Connection: Upgrade\r\nUpgrade: x\r\n"} {
		o, _ := world(t)
		above, at := tellingProxy(t)
		o.hosts["proxy.corp:3128"] = at
		p, mine := o.start("good.example", func(p *Proxy) {
			p.peers.above = func(*url.URL) (*url.URL, error) { return url.Parse("http://proxy.corp:3128") }
		})
		c, from := open(t, mine, "GET http://good.example/switch HTTP/1.1\r\nHost: x\r\n"+more+"\r\n")
		if a, err := http.ReadResponse(from, nil); err != nil || a.StatusCode != http.StatusBadGateway {
			t.Errorf("%v, %v", a, err)
		}
		_, _ = io.WriteString(c, "GET http://evil.example/hidden HTTP/1.1\r\nHost: evil.example\r\n\r\n")
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.ReadAll(from)
		p.Close()
		<-above.ended
		if !slices.Equal(above.asked, []string{"GET http://good.example/switch"}) {
			t.Errorf("with %q: the proxy was asked %q", more, above.asked)
		}
	}
}

// Where there is no other proxy, a connection that changes its protocol goes on to the same host, and ends with
// the command or when nothing comes for long.
func TestProxyEndsUpgradedConnections(t *testing.T) {
	for _, idle := range []bool{false, true} {
		o, _ := world(t)
		_, at := tellingProxy(t)
		o.hosts[good+":80"] = at
		p, mine := o.start("good.example", func(p *Proxy) {
			if idle {
				p.idle = 200 * time.Millisecond
			}
		})
		_, from := open(t, mine, "GET http://good.example/switch HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		a, err := http.ReadResponse(from, nil)
		if err != nil || a.StatusCode != http.StatusSwitchingProtocols {
			t.Fatal(a, err)
		}
		if !idle {
			p.Close()
		}
		if _, err := io.ReadAll(from); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("idle %v: %v", idle, err)
		}
	}
}

// A name that leads to an address of this machine, be it a public one, leads to the services here, as
// loopback would.
func TestProxyKnowsItsOwnAddresses(t *testing.T) {
	o, _ := world(t)
	p, at := o.start("good.example evil.example", func(p *Proxy) {
		p.peers.own = func() []netip.Addr { return []netip.Addr{netip.MustParseAddr(other)} }
	})
	for name, want := range map[string]int{"good.example": 200, "evil.example": 403} {
		_, from := open(t, at, "CONNECT "+name+":443 HTTP/1.1\r\n\r\n")
		if status, _ := answer(t, from, http.MethodConnect); status != want {
			t.Errorf("%s: %d, want %d", name, status, want)
		}
	}
	if s := p.Report().Sentence(); !strings.Contains(s, "evil.example:443 (its address "+other+" is this machine's, and not named itself)") {
		t.Error(s)
	}
	mine := OwnAddresses()
	if !slices.Contains(mine, loopback) {
		t.Errorf("this machine has %v", mine)
	}
}

// What was sent to a host is reported as reached, whether or not the host answers.
func TestProxyReportsWhatWasSent(t *testing.T) {
	o, _ := world(t)
	l := listen(t)
	defer l.Close()
	sent := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err == nil {
			text, _ := io.ReadAll(r.Body)
			sent <- string(text)
		}
		c.Close()
	}()
	o.hosts[good+":80"] = l.Addr().String()
	p, at := o.start("good.example", nil)
	_, from := open(t, at, "POST http://good.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nsecret")
	if status, _ := answer(t, from, "POST"); status != http.StatusBadGateway || <-sent != "secret" {
		t.Error(status)
	}
	if s := p.Report().Sentence(); s != "It reached good.example:80." {
		t.Errorf("%q", s)
	}
}

// A host that a command has made up is shown as a host, whatever it would mean in a description.
func TestReportsShowHosts(t *testing.T) {
	o, _ := world(t)
	p, at := o.start("good.example", nil)
	for _, host := range []string{"*b*.example:443", "<c>.example:443", "a.example(ok),b.example:443", "'a'&amp;:443"} {
		_, from := open(t, at, "CONNECT "+host+" HTTP/1.1\r\nConnection: close\r\n\r\n")
		_, _ = io.ReadAll(from)
	}
	if s := p.Report().Sentence(); !strings.Contains(s, "b") || strings.ContainsAny(s, "*<>&'(;") {
		t.Error(s)
	}
}

// A report says how much it leaves out.
func TestReportsSayWhatTheyLeaveOut(t *testing.T) {
	var r record
	for i := range maxContacts + 7 {
		r.reach(target{name: fmt.Sprintf("a%d.b.example", i), port: 443})
	}
	if s := r.report().Sentence(); !strings.HasSuffix(s, " Not listed: 7 more attempts.") {
		t.Error(s)
	}
}

func TestWithoutUser(t *testing.T) {
	for text, want := range map[string]string{
		"http://proxy.corp:3128": "http://proxy.corp:3128", "http://me:secret@proxy.corp:3128": "http://proxy.corp:3128", "me:secret@proxy.corp:3128": "proxy.corp:3128",
		"http://me:se/cr@et@proxy.corp:3128/": "http://proxy.corp:3128/", "http://me:se cret@proxy.corp": "http://proxy.corp", "//me:secret@proxy.corp": "proxy.corp", "http:me:secret@proxy.corp": "proxy.corp",
		"localhost,.corp": "localhost,.corp", "": "",
	} {
		if got := WithoutUser(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// A command that sends all it has to say at once, and ends its side, gets the answer.
func TestProxyServesWhoHasEndedItsSide(t *testing.T) {
	o, _ := world(t)
	_, at := o.start("good.example", func(p *Proxy) {
		dial := p.peers.dial
		p.peers.dial = func(ctx context.Context, kind, address string) (net.Conn, error) {
			select { // nothing may happen when the proxy sees that nothing more comes
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(300 * time.Millisecond):
			}
			return dial(ctx, kind, address)
		}
	})
	c, from := open(t, at, "CONNECT good.example:443 HTTP/1.1\r\n\r\n")
	_ = c.(*net.TCPConn).CloseWrite()
	if status, _ := answer(t, from, http.MethodConnect); status != 200 {
		t.Fatal(status)
	}
	if got, err := io.ReadAll(from); string(got) != "hello  bye" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
