// Package fetch gets texts from the hosts that the user's own settings name, and
// from no others. Where a name leads is checked when the connection is made, and
// again for each redirect, so that neither a redirect nor a change of a name's
// address leads anywhere else. A request carries nothing but its address: no
// cookie, no key, no body.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config is what may be fetched, and how much.
type Config struct {
	Hosts    []Host        // with public addresses only
	Private  []Host        // whatever their addresses are
	MaxBytes int64         // of a text, after decompression
	Timeout  time.Duration // of a fetch, redirects and all
}

// Allowed tells whether there is anything that may be fetched.
func (c Config) Allowed() bool { return len(c.Hosts)+len(c.Private) > 0 }

const (
	maxRedirects = 5
	maxURL       = 2048     // bytes
	maxHeader    = 64 << 10 // bytes
)

// Page is what was fetched.
type Page struct {
	URL  string // where it came from in the end
	Type string // its media type
	Text string // UTF-8; of HTML what a reader sees
	Cut  bool   // there is more than may be fetched
}

// Fetcher fetches. Its methods may be called from any goroutine.
type Fetcher struct {
	config Config
	client *http.Client
	lookup func(ctx context.Context, network, host string) ([]net.IP, error) // nil for the system's; for tests
}

// New returns a fetcher. It opens nothing.
func New(c Config) *Fetcher {
	f := &Fetcher{config: c}
	f.client = &http.Client{
		Timeout: c.Timeout,
		Transport: &http.Transport{
			Proxy:                  nil, // it would look up the name where nobody checks the address
			DialContext:            f.dial,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxHeader,
			TLSHandshakeTimeout:    c.Timeout,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return &Refusal{fmt.Sprintf("there were more than %d redirects", maxRedirects)}
			}
			if _, err := f.allowed(r.URL); err != nil {
				return &Refusal{"it redirects to " + shown(r.URL) + ", and " + err.Error()}
			}
			r.Header.Del("Referer") // where it came from is nobody's business
			return nil
		},
	}
	return f
}

// Refusal is why something is not fetched: a clause for the model or the user.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// Fetch gets a text. What is not allowed, or is no text, is a [*Refusal]; every
// other error is the network's, in words that name no address but the one asked
// for. A context that ends is its error.
func (f *Fetcher) Fetch(ctx context.Context, address string) (Page, error) {
	u, err := f.parse(address)
	if err != nil {
		return Page{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, &Refusal{"it is not a valid address"}
	}
	request.Header.Set("User-Agent", "redline")
	request.Header.Set("Accept", "text/*, application/json, application/xml;q=0.9, */*;q=0.1")
	response, err := f.client.Do(request)
	if err != nil {
		return Page{}, f.failure(ctx, err)
	}
	defer response.Body.Close()
	page := Page{URL: shown(response.Request.URL)}
	if response.StatusCode != http.StatusOK {
		return page, &Refusal{fmt.Sprintf("%s answered %d %s", page.URL, response.StatusCode, http.StatusText(response.StatusCode))}
	}
	page.Type, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	if !textual(page.Type) {
		return page, &Refusal{fmt.Sprintf("%s is %s, which is no text", page.URL, orUnknown(page.Type))}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, f.config.MaxBytes+1))
	if err != nil && (len(body) == 0 || ctx.Err() != nil) {
		return page, f.failure(ctx, err)
	}
	page.Cut = err != nil || int64(len(body)) > f.config.MaxBytes
	body = body[:min(int64(len(body)), f.config.MaxBytes)]
	return page.read(body)
}

// parse reads an address and checks it.
func (f *Fetcher) parse(address string) (*url.URL, error) {
	if len(address) > maxURL {
		return nil, &Refusal{fmt.Sprintf("the address has more than %d bytes", maxURL)}
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Opaque != "" {
		return nil, &Refusal{"it is not an address like https://host/path"}
	}
	if _, err := f.allowed(u); err != nil {
		return nil, err
	}
	u.Fragment = ""
	return u, nil
}

// allowed tells whether the settings name the host of an address, and whether it
// may be anywhere.
func (f *Fetcher) allowed(u *url.URL) (private bool, err error) {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return false, &Refusal{"only https and http addresses are fetched"}
	case u.User != nil:
		return false, &Refusal{"an address with a user name in it is not fetched"}
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
	return false, &Refusal{fmt.Sprintf("%s is not among the hosts that the user allows (fetch.hosts); go on without it, or ask the user", hostOf(u))}
}

// failure puts an error of the network into words.
func (f *Fetcher) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r, ok := errors.AsType[*Refusal](err); ok {
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
		err = u.Err // without the address, which the caller has
	}
	if o, ok := errors.AsType[*net.OpError](err); ok {
		err = o.Err
	}
	return fmt.Errorf("it could not be fetched: %w", err)
}

// textual tells whether a media type is text. One that is not given may be.
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

// shown is an address without what may be secret in it.
func shown(u *url.URL) string {
	return u.Redacted()
}
