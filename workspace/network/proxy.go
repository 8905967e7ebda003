package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// The limits of a proxy.
const (
	maxConnections = 256
	maxHeader      = 64 << 10         // bytes
	headerTime     = 10 * time.Second // to send the header of a request
	keptTime       = time.Minute      // between two requests of a connection
	dialTime       = 10 * time.Second // for each address
	idleTime       = 10 * time.Minute // models think for minutes without sending anything
)

// Proxy forwards the connections of one command: CONNECT, and plain HTTP with an absolute target. What is
// not a named peer is refused and recorded. It judges names and ports only: what a program then says
// inside a tunnel, such as another name in TLS, is not looked at.
type Proxy struct {
	access Access
	peers  peerDialer
	record record

	header time.Duration // headerTime, but for tests
	idle   time.Duration // idleTime, but for tests

	ctx       context.Context
	stop      context.CancelFunc
	server    *http.Server
	transport *http.Transport
	running   sync.WaitGroup

	free chan struct{} // has one for each open connection of the command

	mu        sync.Mutex
	listeners []net.Listener
	open      map[net.Conn]bool // connections that the server does not close
	closed    bool
}

// NewProxy returns a proxy for a command with an access.
func NewProxy(a Access) *Proxy {
	return newProxy(a, peerDialer{
		lookup: net.DefaultResolver.LookupNetIP,
		dial:   (&net.Dialer{Timeout: dialTime}).DialContext,
		above:  httpproxy.FromEnvironment().ProxyFunc(),
		own:    OwnAddresses,
	})
}

func newProxy(a Access, peers peerDialer) *Proxy {
	p := &Proxy{access: a, peers: peers, header: headerTime, idle: idleTime, open: map[net.Conn]bool{}, free: make(chan struct{}, maxConnections)}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.peers.access, p.peers.through, p.peers.reached, p.peers.over = a, p.record.wentThrough, p.record.reach, p.ctx
	p.transport = &http.Transport{
		Proxy:                  func(r *http.Request) (*url.URL, error) { return routeOf(r.Context()).above, nil },
		DialContext:            p.peers.dialRoute,
		DisableKeepAlives:      true, // each request is judged and connects by itself
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		TLSHandshakeTimeout:    dialTime,
		ResponseHeaderTimeout:  idleTime,
	}
	return p
}

// Serve accepts connections to the proxy in the background until Close.
func (p *Proxy) Serve(l net.Listener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		quiet := log.New(io.Discard, "", 0) // what a command sends is not worth a line
		forward := &httputil.ReverseProxy{
			Transport: p.transport, ErrorLog: quiet, FlushInterval: -1, ErrorHandler: p.failed,
			ModifyResponse: p.answered,
			Rewrite: func(r *httputil.ProxyRequest) {
				to := routeOf(r.In.Context())
				host := to.host() // what was judged, whatever the request says besides
				r.Out.URL.Host, r.Out.Host, r.Out.URL.RawQuery = host, host, r.In.URL.RawQuery
				if to.above != nil { // see answered
					r.Out.Header.Del("Connection")
					r.Out.Header.Del("Upgrade")
				}
			},
		}
		p.server = &http.Server{
			Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.handle(w, r, forward) }),
			ReadHeaderTimeout: p.header, IdleTimeout: keptTime, MaxHeaderBytes: maxHeader, ErrorLog: quiet, DisableGeneralOptionsHandler: true,
			BaseContext: func(net.Listener) context.Context { return p.ctx },
		}
	}
	server := p.server
	p.accept(l, func(l net.Listener) { _ = server.Serve(l) })
}

// Forward carries connections as they are to a peer of this machine, in the background until Close.
func (p *Proxy) Forward(l net.Listener, to Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accept(l, func(l net.Listener) {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() {
				defer in.Close()
				t := target{name: to.Name, addr: to.Addr, port: to.Port}
				if out, err := p.peers.direct(p.ctx, t); err == nil {
					p.record.reach(t)
					p.join(in, in, out)
				}
			})
		}
	})
}

// accept runs serve with a listener until that is closed. The caller holds the lock.
func (p *Proxy) accept(l net.Listener, serve func(net.Listener)) {
	if p.closed {
		l.Close()
		return
	}
	l = &limited{Listener: l, free: p.free, closed: make(chan struct{})}
	p.listeners = append(p.listeners, l)
	p.running.Go(func() { serve(l) })
}

// Close ends all connections and waits until none is left.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	p.stop()
	for _, l := range p.listeners {
		_ = l.Close()
	}
	if p.server != nil {
		_ = p.server.Close()
	}
	for c := range p.open {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
	p.transport.CloseIdleConnections()
}

// Report returns what was reached and refused so far.
func (p *Proxy) Report() Report { return p.record.report() }

// target is what a command asks for.
type target struct {
	name string     // in lower case, "" for an address
	addr netip.Addr // if it is an address
	port uint16
}

func (t target) String() string { return Peer{Name: t.name, Addr: t.addr, Port: t.port}.String() }

var (
	errNoTarget = errors.New("this is a proxy: it takes CONNECT HOST:PORT, and requests for http:// addresses")
	errNotNamed = errors.New("it is not among the hosts that this command may reach")
)

// targetOf reads HOST:PORT. Of names and addresses it takes only the usual form: no final dot, no
// address in another notation, no zone.
func targetOf(host, port string) (t target, ok bool) {
	if t.port = portOf(port); t.port == 0 {
		return t, false
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		t.addr = addr.Unmap()
		return t, addr.Zone() == ""
	}
	t.name = strings.ToLower(host)
	return t, len(host) <= 253 && dnsName().MatchString(t.name) && !isNumber(t.name)
}

// host returns the target as a URL for http has it.
func (t target) host() string {
	switch {
	case t.port != 80:
		return t.String()
	case t.addr.Is6():
		return "[" + t.addr.String() + "]"
	case t.addr.IsValid():
		return t.addr.String()
	}
	return t.name
}

// judge returns the target of a request, or why it is refused.
func (p *Proxy) judge(r *http.Request) (target, error) {
	u, port := r.URL, r.URL.Port()
	switch {
	case r.Method == http.MethodConnect:
		if r.RequestURI != u.Host {
			return target{}, errNoTarget
		}
	case u.Scheme != "http" || u.Host == "" || u.User != nil || u.Opaque != "", r.Method == http.MethodTrace:
		return target{}, errNoTarget // TRACE: the user's own proxy would say what it is sent, with the password
	default:
		port = cmp.Or(port, "80")
	}
	t, ok := targetOf(u.Hostname(), port)
	switch {
	case !ok:
		p.record.refuse(visible(net.JoinHostPort(u.Hostname(), port)), "")
	case !p.access.names(t):
		p.record.refuse(t.String(), "")
	default:
		return t, nil
	}
	return t, errNotNamed
}

// names reports whether one of the peers is the target.
func (a Access) names(t target) bool {
	for _, peer := range a.Peers {
		if peer.is(t.name, t.addr, t.port) {
			return true
		}
	}
	return false
}

func (p *Proxy) handle(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	if !p.begin() {
		return
	}
	defer p.running.Done()
	t, err := p.judge(r)
	switch {
	case err == errNoTarget:
		http.Error(w, "redline: "+err.Error(), http.StatusBadRequest)
	case err != nil:
		http.Error(w, fmt.Sprintf("redline: %s is refused: %s", visible(r.URL.Host), err), http.StatusForbidden)
	case r.Method == http.MethodConnect:
		p.tunnel(w, t)
	default:
		above, err := p.peers.aboveFor("http", t)
		if err != nil {
			p.failed(w, r, err)
			return
		}
		forward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), routeKey{}, route{t, above})))
	}
}

// answered changes an answer to a plain request before it goes on.
func (p *Proxy) answered(a *http.Response) error {
	above := routeOf(a.Request.Context()).above
	switch {
	case a.StatusCode == http.StatusSwitchingProtocols && above != nil:
		// The command would have a connection to the user's own proxy, and could ask it for any host.
		return errors.New("the user's own proxy takes no other protocol")
	case a.StatusCode == http.StatusSwitchingProtocols:
		if c, ok := a.Body.(io.ReadWriteCloser); ok {
			a.Body = newIdling(c, p.idle)
		}
	case above != nil && above.User != nil && a.StatusCode >= http.StatusBadRequest:
		// It may be the proxy's own page, and that may show all that it was sent, with the password.
		text := fmt.Sprintf("redline: your own proxy, or the host behind it, answers %d\n", a.StatusCode)
		_ = a.Body.Close()
		a.Body, a.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		a.Header, a.Trailer = http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, nil
	}
	return nil
}

// begin counts a handler, since the server does not wait for its handlers. It reports false after Close.
func (p *Proxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.running.Add(1)
	}
	return !p.closed
}

// failed answers a request for a target that could not be reached.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	p.fail(w, routeOf(r.Context()).target, err)
}

func (p *Proxy) fail(w http.ResponseWriter, t target, err error) {
	if refused, ok := errors.AsType[*notPublic](err); ok {
		p.record.refuse(t.String(), refused.Error())
		http.Error(w, fmt.Sprintf("redline: %s is refused: %s", t, refused), http.StatusForbidden)
		return
	}
	http.Error(w, fmt.Sprintf("redline: %s cannot be reached", t), http.StatusBadGateway)
}

// tunnel answers CONNECT.
func (p *Proxy) tunnel(w http.ResponseWriter, t target) {
	// Not the context of the request, which ends with the side of the command: it may still wait for the other.
	out, err := p.peers.connect(p.ctx, t)
	if err != nil {
		p.fail(w, t, err)
		return
	}
	in, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = out.Close()
		return
	}
	defer in.Close()
	p.record.reach(t)
	_ = in.SetDeadline(time.Now().Add(p.idle))
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = out.Close()
		return
	}
	p.join(in, early, out)
}

// join copies between two connections until both have ended, nothing has come for a long time, or Close.
// from is where to read what comes in.
func (p *Proxy) join(in net.Conn, from io.Reader, out net.Conn) {
	p.mu.Lock()
	closed := p.closed
	p.open[in], p.open[out] = true, true
	p.mu.Unlock()
	defer func() {
		_, _ = in.Close(), out.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, in)
		delete(p.open, out)
	}()
	if closed {
		return
	}
	alive := func() {
		until := time.Now().Add(p.idle)
		_, _ = in.SetDeadline(until), out.SetDeadline(until)
	}
	end := func() { _, _ = in.Close(), out.Close() }
	alive()
	var other sync.WaitGroup
	other.Go(func() { pump(in, out, alive, end) })
	pump(out, from, alive, end)
	other.Wait()
}

// pump copies until from ends, and says so to the other side. It calls alive after each piece, and end if
// nothing more can go either way.
func pump(to net.Conn, from io.Reader, alive, end func()) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			alive()
			if _, err := to.Write(buffer[:n]); err != nil {
				end()
				return
			}
		}
		if err == nil {
			continue
		}
		if half, ok := to.(interface{ CloseWrite() error }); !ok || err != io.EOF || half.CloseWrite() != nil {
			end()
		}
		return
	}
}

// idling is a connection that ends when nothing goes through it for some time.
type idling struct {
	io.ReadWriteCloser
	idle time.Duration
	end  *time.Timer
}

func newIdling(c io.ReadWriteCloser, idle time.Duration) *idling {
	return &idling{c, idle, time.AfterFunc(idle, func() { _ = c.Close() })}
}

func (i *idling) Read(into []byte) (int, error) {
	n, err := i.ReadWriteCloser.Read(into)
	if err == nil { // otherwise it may be closed, and waits for nothing
		i.end.Reset(i.idle)
	}
	return n, err
}

func (i *idling) Write(text []byte) (int, error) {
	n, err := i.ReadWriteCloser.Write(text)
	if err == nil {
		i.end.Reset(i.idle)
	}
	return n, err
}

func (i *idling) Close() error {
	i.end.Stop()
	return i.ReadWriteCloser.Close()
}

func (i *idling) CloseWrite() error { return closeWrite(i.ReadWriteCloser) }

// limited is one of the listeners that have at most so many open connections together: others wait.
type limited struct {
	net.Listener
	free   chan struct{}
	closed chan struct{}
	once   sync.Once
}

// Accept waits for a connection. What it returns can close one direction, unlike with netutil.LimitListener.
func (l *limited) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case l.free <- struct{}{}:
		return &incoming{Conn: c, release: sync.OnceFunc(func() { <-l.free })}, nil
	case <-l.closed:
		_ = c.Close()
		return nil, net.ErrClosed
	}
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// incoming is a connection of a limited listener.
type incoming struct {
	net.Conn
	release func()
}

func (c *incoming) Close() error {
	err := c.Conn.Close()
	c.release()
	return err
}

func (c *incoming) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c any) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
