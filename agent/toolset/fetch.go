package toolset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"redline/agent/tool"
	"redline/internal/lazyregexp"
	"redline/workspace/network"
)

// FetchOptions says what may be fetched, and how much.
type FetchOptions struct {
	Hosts    []Host        // with public addresses only
	Private  []Host        // with any addresses
	MaxBytes int64         // size limit of a text, after decompression
	Timeout  time.Duration // timeout of a fetch, including redirects
}

// Allowed reports whether any host may be fetched from.
func (c FetchOptions) Allowed() bool { return len(c.Hosts)+len(c.Private) > 0 }

const (
	maxRedirects = 5
	maxURL       = 2048     // bytes
	maxHeader    = 64 << 10 // bytes
)

// fetcher fetches texts. Its methods may be called from any goroutine.
type fetcher struct {
	config FetchOptions
	client *http.Client
	lookup func(ctx context.Context, network, host string) ([]net.IP, error) // for tests; nil: the system's resolver
	own    func() []netip.Addr                                               // the addresses of this machine
}

// newFetcher returns a fetcher. It opens no connection.
func newFetcher(c FetchOptions) *fetcher {
	f := &fetcher{config: c, own: network.OwnAddresses}
	f.client = &http.Client{
		Timeout: c.Timeout,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would look up the name and skip the check of the address
			DialContext:            f.dial,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxHeader,
			TLSHandshakeTimeout:    c.Timeout,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return &pageRefusal{fmt.Sprintf("there were more than %d redirects", maxRedirects)}
			}
			if _, err := f.allowed(r.URL); err != nil {
				return &pageRefusal{"it redirects to " + shown(r.URL) + ", and " + err.Error()}
			}
			r.Header.Del("Referer") // do not reveal the previous page
			return nil
		},
	}
	return f
}

// pageRefusal is the reason why something is not fetched: a clause for the model or the user.
type pageRefusal struct{ Reason string }

func (r *pageRefusal) Error() string { return r.Reason }

// Fetch gets a text. It returns a [*pageRefusal] if the address is not allowed or the content is not
// text. Any other error is the network's, and names no address but the requested one. If ctx
// ends, the error is ctx's.
func (f *fetcher) Fetch(ctx context.Context, address string) (tool.Fetched, error) {
	u, err := f.parse(address)
	if err != nil {
		return tool.Fetched{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return tool.Fetched{}, &pageRefusal{"it is not a valid address"}
	}
	request.Header.Set("User-Agent", "redline")
	request.Header.Set("Accept", "text/*, application/json, application/xml;q=0.9, */*;q=0.1")
	response, err := f.client.Do(request)
	if err != nil {
		return tool.Fetched{}, f.failure(ctx, err)
	}
	defer response.Body.Close()
	page := tool.Fetched{URL: shown(response.Request.URL)}
	if response.StatusCode != http.StatusOK {
		return page, &pageRefusal{fmt.Sprintf("%s answered %d %s", page.URL, response.StatusCode, http.StatusText(response.StatusCode))}
	}
	page.Type, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	if !textual(page.Type) {
		return page, &pageRefusal{fmt.Sprintf("%s is %s, which is no text", page.URL, orUnknown(page.Type))}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, f.config.MaxBytes+1))
	if err != nil && (len(body) == 0 || ctx.Err() != nil) {
		return page, f.failure(ctx, err)
	}
	page.Cut = err != nil || int64(len(body)) > f.config.MaxBytes
	body = body[:min(int64(len(body)), f.config.MaxBytes)]
	return read(page, body)
}

// parse parses an address and checks it.
func (f *fetcher) parse(address string) (*url.URL, error) {
	if len(address) > maxURL {
		return nil, &pageRefusal{fmt.Sprintf("the address has more than %d bytes", maxURL)}
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Opaque != "" {
		return nil, &pageRefusal{"it is not an address like https://host/path"}
	}
	if _, err := f.allowed(u); err != nil {
		return nil, err
	}
	u.Fragment = ""
	return u, nil
}

// allowed reports whether the settings name the host of a URL, and whether it may have a
// private address.
func (f *fetcher) allowed(u *url.URL) (private bool, err error) {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return false, &pageRefusal{"only https and http addresses are fetched"}
	case u.User != nil:
		return false, &pageRefusal{"an address with a user name in it is not fetched"}
	}
	for _, h := range f.config.Private {
		if h.matches(u) {
			return true, nil
		}
	}
	for _, h := range f.config.Hosts {
		if h.matches(u) {
			return false, nil
		}
	}
	return false, &pageRefusal{fmt.Sprintf("%s is not among the hosts that the user allows (fetch.hosts); continue without it, or ask the user", hostOf(u))}
}

// failure describes a network error.
func (f *fetcher) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r, ok := errors.AsType[*pageRefusal](err); ok {
		return r
	}
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() {
		return fmt.Errorf("it took longer than %s (fetch.timeout_seconds)", f.config.Timeout)
	}
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		if d.IsNotFound {
			return errors.New("no such host is known")
		}
		return errors.New("the host's name could not be looked up")
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address, which the caller adds
	}
	if o, ok := errors.AsType[*net.OpError](err); ok {
		err = o.Err
	}
	return fmt.Errorf("it could not be fetched: %w", err)
}

// textual reports whether a media type is text. A missing media type counts as text.
func textual(media string) bool {
	if media == "" || strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") {
		return true
	}
	switch media {
	case "application/json", "application/xml", "application/javascript", "application/x-javascript", "application/yaml",
		"application/x-yaml", "application/toml", "application/sql", "application/x-sh", "application/x-ndjson", "application/x-tex":
		return true
	}
	return false
}

func orUnknown(media string) string {
	if media == "" {
		return "of an unknown kind"
	}
	return media
}

// shown returns a URL without the parts that may be secret.
func shown(u *url.URL) string {
	return u.Redacted()
}

// dial connects to an address of the host, which is allowed. It looks up the name once and
// connects to the address that it has checked.
func (f *fetcher) dial(ctx context.Context, kind, address string) (net.Conn, error) {
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
		if !private && (!network.Public(addr) || slices.Contains(f.own(), addr)) {
			last = &pageRefusal{fmt.Sprintf("%s has the address %s, which is private or this machine's; the user has to name it in fetch.private_hosts", host, addr)}
			continue
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, kind, net.JoinHostPort(addr.String(), port))
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
	port = cmp.Or(port, usualPort(u.Scheme))
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
