package network

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// A header that is too long is refused, and a client that does not finish its header is dropped; others are
// served meanwhile.
func TestProxyBoundsHeaders(t *testing.T) {
	o, asked := world(t)
	_, at := o.start("good.example", func(p *Proxy) { p.header = 300 * time.Millisecond })
	slow, from := open(t, at, "CONNECT good.example:443 HTTP/1.1\r\nHo")
	_, huge := open(t, at, "GET http://good.example/ HTTP/1.1\r\nX: "+strings.Repeat("x", maxHeader+8<<10)+"\r\n\r\n")
	if status, _ := answer(t, huge, "GET"); status != http.StatusRequestHeaderFieldsTooLarge || len(asked()) > 0 {
		t.Errorf("%d, asked %q", status, asked())
	}
	_, good := open(t, at, "CONNECT good.example:443 HTTP/1.1\r\n\r\n")
	if status, _ := answer(t, good, http.MethodConnect); status != 200 {
		t.Error(status)
	}
	if _, err := io.ReadAll(from); err != nil { // until the proxy drops it
		t.Error(err)
	}
	slow.Close()
}

// A tunnel through which nothing goes is closed.
func TestProxyClosesIdleTunnels(t *testing.T) {
	o, _ := world(t)
	_, at := o.start("good.example", func(p *Proxy) { p.idle = 200 * time.Millisecond })
	_, from := open(t, at, "CONNECT good.example:443 HTTP/1.1\r\n\r\n")
	if status, _ := answer(t, from, http.MethodConnect); status != 200 {
		t.Error(status)
	}
	if got, err := io.ReadAll(from); string(got) != "hello " || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Of a thousand connections only some are open at a time, at all ports together; the others wait, and are
// served as those end.
func TestProxyBoundsConnections(t *testing.T) {
	o, _ := world(t)
	o.hosts["127.0.0.1:8080"] = o.hosts[good+":443"]
	p, at := o.start("good.example localhost:8080", nil)
	port := listen(t)
	p.Forward(port, p.access.Peers[1])
	before := runtime.NumGoroutine()
	var all []net.Conn
	var readers []*bufio.Reader
	for range 1000 {
		c, from := open(t, at, "CONNECT good.example:443 HTTP/1.1\r\n\r\n")
		all, readers = append(all, c), append(readers, from)
	}
	for i := range maxConnections {
		if status, _ := answer(t, readers[i], http.MethodConnect); status != 200 {
			t.Fatal(status)
		}
	}
	_, direct := open(t, port.Addr().String(), "")
	if n := runtime.NumGoroutine() - before; n > 8*maxConnections {
		t.Errorf("%d connections have %d goroutines", len(all), n)
	}
	if r := p.Report().Reached; len(r) != 1 || r[0].Count != maxConnections {
		t.Errorf("open are %v", r)
	}
	var served sync.WaitGroup
	for i, from := range readers {
		served.Go(func() {
			if i >= maxConnections {
				if status, _ := answer(t, from, http.MethodConnect); status != 200 {
					t.Error(status)
				}
			}
			all[i].Close()
		})
	}
	served.Wait()
	if _, err := io.ReadFull(direct, make([]byte, len("hello "))); err != nil {
		t.Error(err)
	}
}

// What is said inside a tunnel is the program's own affair: it is judged where the tunnel leads to.
func TestProxyLooksInNoTunnel(t *testing.T) {
	o, _ := world(t)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.TLS.ServerName) }))
	defer s.Close()
	o.hosts[good+":443"] = s.Listener.Addr().String()
	p, at := o.start("good.example", nil)
	client := &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: at}), TLSClientConfig: &tls.Config{ServerName: "other.example", InsecureSkipVerify: true},
	}}
	defer client.CloseIdleConnections()
	a, err := client.Get("https://good.example/")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if body, err := io.ReadAll(a.Body); string(body) != "other.example" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	if r := p.Report().Reached; len(r) != 1 || r[0].Peer != "good.example:443" {
		t.Errorf("%v", r)
	}
}

// After Close nothing is open any more, and nobody is served.
func TestProxyEnds(t *testing.T) {
	o, _ := world(t)
	p, at := o.start("good.example", nil)
	_, tunnel := open(t, at, "CONNECT good.example:443 HTTP/1.1\r\n\r\n")
	if status, _ := answer(t, tunnel, http.MethodConnect); status != 200 {
		t.Fatal(status)
	}
	if _, err := io.ReadFull(tunnel, make([]byte, len("hello "))); err != nil {
		t.Fatal(err)
	}
	_, waiting := open(t, at, "CONNECT good.exa")
	p.Close()
	for _, from := range []*bufio.Reader{tunnel, waiting} {
		if got, err := io.ReadAll(from); len(got) > 0 || err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%q, %v", got, err)
		}
	}
	if c, err := net.Dial("tcp", at); err == nil {
		c.Close()
		t.Error("somebody still listens")
	}
	l := listen(t)
	p.Serve(l)
	if c, err := l.Accept(); err == nil {
		c.Close()
		t.Error("a listener is taken after the end")
	}
}

// Where the user has a proxy, connections go through it by name, with its password; what is not named
// does not come that far.
func TestProxyUsesTheUsersOwn(t *testing.T) {
	o, _ := world(t)
	asked := make(chan string, 10)
	above := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.RequestURI + " " + r.Header.Get("Proxy-Authorization")
		if r.Method != http.MethodConnect {
			_, _ = io.WriteString(w, "by proxy")
			return
		}
		if strings.HasPrefix(r.Host, "no.") {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nfirst words")
			c.Close()
		}
	})
	o.hosts["proxy.corp:3128"] = above
	p, at := o.start("good.example no.example", func(p *Proxy) {
		p.peers.above = func(*url.URL) (*url.URL, error) { return url.Parse("http://me:secret@proxy.corp:3128") }
	})
	const me = " Basic bWU6c2VjcmV0"
	for _, c := range []struct {
		method, target, want, asked string
		status                      int
	}{
		{"CONNECT", "good.example:443", "first words", "CONNECT good.example:443" + me, 200},
		{"GET", "http://good.example/x", "by proxy", "GET http://good.example/x" + me, 200},
		{"CONNECT", "no.example:443", "redline: no.example:443 cannot be reached\n", "CONNECT no.example:443" + me, 502},
		{"CONNECT", "evil.example:443", "redline: evil.example:443 is refused: it is not among the hosts that this command may reach\n", "", 403},
	} {
		_, from := open(t, at, c.method+" "+c.target+" HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic eHg6eHg=\r\nConnection: close\r\n\r\n")
		status, body := answer(t, from, c.method)
		if c.method == http.MethodConnect && status == 200 {
			rest, _ := io.ReadAll(from)
			body = string(rest)
		}
		got := ""
		if c.asked != "" {
			got = <-asked
		}
		if status != c.status || body != c.want || got != c.asked {
			t.Errorf("%s: %d %q, asked %q", c.target, status, body, got)
		}
	}
	if len(asked) > 0 || len(o.looked) > 0 {
		t.Errorf("asked %q, looked up %q", <-asked, o.looked)
	}
	if s := p.Report().Sentence(); !strings.Contains(s, "by your proxy proxy.corp:3128.") || strings.Contains(s, "secret") {
		t.Error(s)
	}
}
