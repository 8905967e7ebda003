package network

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// outside is the network that a proxy under test sees.
type outside struct {
	t     *testing.T
	names map[string][]string // the addresses of names, one list a lookup; the last one stays
	hosts map[string]string   // where the servers of addresses really are

	mu      sync.Mutex
	looked  []string
	dialled []string
}

func (o *outside) lookup(_ context.Context, _, host string) (addrs []netip.Addr, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.looked = append(o.looked, host)
	list := o.names[host]
	if len(list) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(list) > 1 {
		o.names[host] = list[1:]
	}
	for _, text := range strings.Fields(list[0]) {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

func (o *outside) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	o.mu.Lock()
	o.dialled = append(o.dialled, address)
	at := o.hosts[address]
	o.mu.Unlock()
	if at == "" {
		return nil, fmt.Errorf("nobody listens at %s", address)
	}
	return (&net.Dialer{}).DialContext(ctx, kind, at)
}

// start starts a proxy. Before it serves, change may set its limits.
func (o *outside) start(words string, change func(p *Proxy)) (p *Proxy, address string) {
	o.t.Helper()
	p = newProxy(access(o.t, words), peerDialer{lookup: o.lookup, dial: o.dial, above: func(*url.URL) (*url.URL, error) { return nil, nil }, own: OwnAddresses})
	if change != nil {
		change(p)
	}
	l := listen(o.t)
	p.Serve(l)
	o.t.Cleanup(p.Close)
	return p, l.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// echo is a server that repeats what it is sent, after a greeting, and ends when the other side has.
func echo(t *testing.T) string {
	t.Helper()
	l := listen(t)
	var running sync.WaitGroup
	t.Cleanup(func() { l.Close(); running.Wait() })
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				_, _ = io.WriteString(c, "hello ")
				_, _ = io.Copy(c, c)
				_, _ = io.WriteString(c, " bye")
			})
		}
	})
	return l.Addr().String()
}

// httpServer starts a server and returns its address.
func httpServer(t *testing.T, serve http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// site is a server that says what it was asked for.
func site(t *testing.T) (at string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	at = httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, fmt.Sprintf("%s %s%s %s", r.Method, r.Host, r.URL, body))
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		fmt.Fprintf(w, "here is %s", r.Host)
	})
	return at, func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(all) }
}

// open connects and sends a text.
func open(t *testing.T, address, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(3 * time.Minute))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(c)
}

// answer reads an answer.
func answer(t *testing.T, from *bufio.Reader, method string) (status int, body string) {
	t.Helper()
	a, err := http.ReadResponse(from, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodConnect && a.StatusCode == http.StatusOK {
		return a.StatusCode, ""
	}
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(text)
}

const (
	good  = "93.184.216.34"
	other = "93.184.216.35"
)

func world(t *testing.T) (o *outside, asked func() []string) {
	at, asked := site(t)
	return &outside{
		t:     t,
		names: map[string][]string{"good.example": {good}, "a.b.example": {good}, "evil.example": {other}},
		hosts: map[string]string{good + ":80": at, good + ":443": echo(t), other + ":80": at, other + ":443": at, "[2606:4700::1]:80": at, "10.0.0.7:443": echo(t)},
	}, asked
}

// What is named is reached: through a tunnel in both directions, with what is sent too early and after
// one side has ended, and by plain requests.
func TestProxyForwards(t *testing.T) {
	o, asked := world(t)
	p, at := o.start("good.example *.b.example 2606:4700::1", nil)
	c, from := open(t, at, "CONNECT Good.Example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\nearly")
	if status, _ := answer(t, from, http.MethodConnect); status != 200 {
		t.Fatal(status)
	}
	_, _ = io.WriteString(c, " late")
	_ = c.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(from); string(got) != "hello early late bye" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: at})}}
	defer client.CloseIdleConnections()
	for _, u := range []string{"http://good.example/x?a=1;b", "http://A.b.example:80/", "http://[2606:4700::1]/"} {
		a, err := client.Post(u, "text/plain", strings.NewReader("text"))
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(a.Body); err != nil || a.StatusCode != 200 || !strings.HasPrefix(string(body), "here is ") {
			t.Errorf("%s: %d %s %v", u, a.StatusCode, body, err)
		}
		a.Body.Close()
	}
	if got, want := asked(), []string{"POST good.example/x?a=1;b text", "POST a.b.example/ text", "POST [2606:4700::1]/ text"}; !slices.Equal(got, want) {
		t.Errorf("the servers were asked %q, want %q", got, want)
	}
	if got, want := p.Report().Sentence(), "It reached [2606:4700::1]:80, a.b.example:80, good.example:443 and good.example:80."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What is not named is refused in every notation, and nobody is asked for it.
func TestProxyRefuses(t *testing.T) {
	o, asked := world(t)
	p, at := o.start("good.example *.b.example 10.0.0.7:443 other.example:8080", nil)
	for request, want := range map[string]int{
		"CONNECT evil.example:443": 403, "CONNECT good.example:22": 403, "CONNECT good.example.:443": 403, "CONNECT sub.good.example:443": 403, "CONNECT xb.example:443": 403, "CONNECT b.example:443": 403,
		"CONNECT good.example.evil.example:443": 403, "CONNECT other.example:443": 403, "CONNECT " + good + ":443": 403, "CONNECT 127.0.0.1:443": 403, "CONNECT localhost:443": 403,
		"CONNECT 2130706433:443": 403, "CONNECT 0x7f000001:443": 403, "CONNECT 0177.0.0.1:443": 403, "CONNECT 127.1:443": 403, "CONNECT 10.0.7:443": 403, "CONNECT 010.0.0.7:443": 403, "CONNECT 167772167:443": 403,
		"CONNECT [::1]:443": 403, "CONNECT [::ffff:127.0.0.1]:443": 403, "CONNECT [::]:443": 403, "CONNECT [fe80::1%25eth0]:443": 400, "CONNECT 169.254.169.254:80": 403, "CONNECT 10.0.0.7:80": 403,
		"CONNECT good.example": 403, "CONNECT good.example:": 403, "CONNECT good.example:0443": 403, "CONNECT good.example:https": 400, "CONNECT x@good.example:443": 400, "CONNECT good.example:443/x": 400,
		"CONNECT good%2eexample:443": 400, "CONNECT /x": 400, "CONNECT good.example:443?x": 400, "CONNECT g\u00f6od.example:443": 403, "CONNECT good.example:443#x": 400, "CONNECT " + strings.Repeat("a", 300) + ":443": 403,
		"GET http://evil.example/": 403, "GET http://good.example@evil.example/": 400, "GET http://evil.example\\@good.example/": 400, "GET https://good.example/": 400, "GET ftp://good.example/": 400,
		"GET http://169.254.169.254/latest/meta-data/": 403, "GET http://good.example:8080/": 403, "GET http://good.example./": 403, "GET /": 400, "GET http:good.example": 400, "GET //good.example/": 400, "OPTIONS *": 400,
		"GET good.example:80": 400, "GET http://[good.example]/": 400, "GET http://good.example:0x50/": 400, "PRI *": 400, "GET http://good.example%00.evil.example/": 400,
	} {
		_, from := open(t, at, request+" HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n")
		if status, body := answer(t, from, "GET"); status != want {
			t.Errorf("%s: %d, want %d: %s", request, status, want, body)
		}
	}
	if len(asked()) > 0 || len(o.looked) > 0 || len(o.dialled) > 0 {
		t.Errorf("asked %q, looked up %q, dialled %q", asked(), o.looked, o.dialled)
	}
	r := p.Report()
	if len(r.Reached) > 0 || !slices.ContainsFunc(r.Refused, func(c Contact) bool { return c.Peer == "169.254.169.254:80" && c.Count == 2 }) {
		t.Errorf("%+v", r)
	}
}

// Each request of a connection is judged by its own target: a second one that is sent with the first, one
// for which the Host says something else, one that two readers might cut differently, and the one after a redirect.
func TestProxyJudgesEachRequest(t *testing.T) {
	o, asked := world(t)
	_, at := o.start("good.example", nil)
	get := func(target, host, more string) string {
		return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n"
	}
	_, from := open(t, at, get("http://good.example/1", "evil.example", "")+get("http://evil.example/2", "good.example", "")+get("http://good.example/3", "evil.example", ""))
	for i, want := range []int{200, 403, 200} {
		if status, body := answer(t, from, "GET"); status != want {
			t.Errorf("request %d: %d %s", i+1, status, body)
		}
	}
	hidden := get("http://evil.example/hidden", "evil.example", "")
	for _, more := range []string{
		"Content-Length: 0\r\nContent-Length: 50\r\n", "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "Transfer-Encoding : chunked\r\n",
		"Content-Length: +0\r\n", "Transfer-Encoding: xchunked\r\n", "X: a\rb\r\n", "Content-Length:\r\n 50\r\n",
	} {
		c, from := open(t, at, get("http://good.example/4", "good.example", more)+"0\r\n\r\n"+hidden)
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.ReadAll(from) // whatever it says: the server must not see the hidden request
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: at})}}
	defer client.CloseIdleConnections()
	for _, to := range []string{"http://evil.example/redirected", "http://127.0.0.1/redirected"} {
		a, err := client.Get("http://good.example/?to=" + url.QueryEscape(to))
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != 403 {
			t.Errorf("after a redirect to %s: %d", to, a.StatusCode)
		}
	}
	for _, line := range asked() {
		if target := strings.Fields(line)[1]; !strings.HasPrefix(target, "good.example/") || strings.HasSuffix(target, "hidden") || strings.HasSuffix(target, "/redirected") {
			t.Errorf("a server was asked %q", line)
		}
	}
}

// A name does not lead to an address that is not public, whichever of its addresses that is, unless the
// address is named too. It is looked up once, and what was judged is connected to.
func TestProxyJudgesAddresses(t *testing.T) {
	o, _ := world(t)
	o.names = map[string][]string{
		"loop.example": {"127.0.0.1 ::1"}, "meta.example": {"169.254.169.254"}, "lan.example": {"10.0.0.8 192.168.1.1 fd00::1"}, "mapped.example": {"::ffff:127.0.0.1"}, "zero.example": {"0.0.0.0 ::"},
		"many.example": {"224.0.0.1 255.255.255.255 fe80::1 64:ff9b::7f00:1"}, "mixed.example": {"127.0.0.1 " + good}, "own.example": {"10.0.0.7"}, "rebound.example": {good, "127.0.0.1"},
	}
	for _, address := range []string{"127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.8", "0.0.0.0"} {
		o.hosts[address+":443"] = o.hosts[good+":443"]
	}
	p, at := o.start("loop.example meta.example lan.example mapped.example zero.example many.example mixed.example own.example rebound.example gone.example 10.0.0.7:443", nil)
	ask := func(name string) int {
		_, from := open(t, at, "CONNECT "+name+":443 HTTP/1.1\r\n\r\n")
		status, _ := answer(t, from, http.MethodConnect)
		return status
	}
	for _, name := range []string{"loop.example", "meta.example", "lan.example", "mapped.example", "zero.example", "many.example"} {
		if status := ask(name); status != 403 {
			t.Errorf("%s: %d", name, status)
		}
	}
	if len(o.dialled) > 0 {
		t.Errorf("dialled %q", o.dialled)
	}
	_, from := open(t, at, "GET http://loop.example/ HTTP/1.1\r\nHost: x\r\n\r\n")
	if status, body := answer(t, from, "GET"); status != 403 || len(o.dialled) > 0 {
		t.Errorf("a plain request: %d %s, dialled %q", status, body, o.dialled)
	}
	o.looked = nil
	for i, want := range []int{200, 200, 200, 403, 502} {
		name := []string{"mixed.example", "own.example", "rebound.example", "rebound.example", "gone.example"}[i]
		if status := ask(name); status != want {
			t.Errorf("%s: %d, want %d", name, status, want)
		}
	}
	if want := []string{good + ":443", "10.0.0.7:443", good + ":443"}; !slices.Equal(o.dialled, want) || len(o.looked) != 5 {
		t.Errorf("dialled %q, want %q; looked up %q", o.dialled, want, o.looked)
	}
	if s := p.Report().Sentence(); !strings.Contains(s, "meta.example:443 (its address 169.254.169.254 is not public, and not named itself)") {
		t.Error(s)
	}
}

// A peer of this machine is reached by its own port, and only that one.
func TestProxyForwardsAPort(t *testing.T) {
	o, _ := world(t)
	o.hosts["[::1]:8080"] = o.hosts[good+":443"]
	p, at := o.start("localhost:8080", nil)
	l := listen(t)
	p.Forward(l, p.access.Peers[0])
	c, from := open(t, l.Addr().String(), "hi")
	_ = c.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(from); string(got) != "hello hi bye" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for target, want := range map[string]int{"localhost:8080": 200, "localhost:8081": 403, "127.0.0.1:8080": 403, "[::1]:8080": 403} {
		_, from := open(t, at, "CONNECT "+target+" HTTP/1.1\r\n\r\n")
		if status, _ := answer(t, from, http.MethodConnect); status != want {
			t.Errorf("%s: %d, want %d", target, status, want)
		}
	}
	if len(o.looked) > 0 {
		t.Errorf("looked up %q", o.looked)
	}
}
