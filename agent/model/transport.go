package model

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"

	"redline/workspace/secrets"
)

// transport is the HTTP transport of go-openai. It cleans event streams, and turns every other
// answer into an [*Error]: go-openai would report such an answer without its Retry-After header
// and with any text of the provider.
type transport struct {
	base    http.RoundTripper
	query   string   // of the base URL
	headers []Header // sent with each request
	scrub   scrubber
	failed  func(Kind) *Error // makes an error about this provider
}

// RoundTrip sends the request. Its error is an [*Error], or the context's.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	req, err := rewrite(req, exchangeOf(req.Context()))
	if err != nil {
		return nil, err
	}
	if t.query != "" || len(t.headers) > 0 {
		req = req.Clone(req.Context())
		req.URL.RawQuery = t.query
		setHeaders(req, t.headers)
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		if ctxErr := req.Context().Err(); ctxErr != nil {
			return nil, ctxErr
		}
		if e, ok := errors.AsType[*Error](err); ok { // about a recording
			return nil, e
		}
		return nil, t.unreachable(err)
	}
	exchangeOf(req.Context()).heard()
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, t.refused(resp)
	}
	if strings.Contains(resp.Header.Get("Content-Type"), "html") {
		resp.Body.Close()
		return nil, t.failed(KindWebPage)
	}
	resp.Body = newEvents(resp.Body, t, exchangeOf(req.Context()))
	return resp, nil
}

// unreachable returns the error of a request that got no answer.
func (t *transport) unreachable(err error) *Error {
	e := t.failed(KindUnreachable)
	e.temporary = true
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		timeout   net.Error
	)
	switch {
	case errors.As(err, &dns):
		e.Detail, e.temporary = "no such host", !dns.IsNotFound
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Detail = "connection refused"
	case errors.As(err, &authority), errors.As(err, &name):
		e.Detail, e.temporary = "its certificate is not trusted", false
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Detail = "no answer"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		e.Detail = "the connection was closed"
	default:
		for inner := err; inner != nil; inner = errors.Unwrap(inner) {
			err = inner
		}
		e.Detail = t.scrub.line(err.Error())
	}
	return e
}

// refused returns the error of an answer whose status is not 2xx.
func (t *transport) refused(resp *http.Response) *Error {
	if resp.StatusCode < 400 {
		e := t.failure(resp.StatusCode, failure{})
		if to, err := resp.Location(); err == nil {
			to.User, to.RawQuery = nil, ""
			e.Detail = t.scrub.line("it points to " + to.String())
		}
		return e
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // a part is enough
	e := t.failure(resp.StatusCode, parseFailure(body))
	e.RetryAfter = cmp.Or(retryAfter(resp.Header.Get("Retry-After"), time.Now()), e.RetryAfter)
	return e
}

// newHTTP returns the transport for real endpoints. It waits for a connection until the
// request's retries end.
func newHTTP(giveUp time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: giveUp}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if x := exchangeOf(ctx); x != nil {
				var cancel context.CancelFunc
				ctx, cancel = context.WithDeadline(ctx, x.giveUpAt)
				defer cancel()
			}
			return dialer.DialContext(ctx, network, address)
		},
		TLSHandshakeTimeout: giveUp,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     90 * time.Second,
	}
}

// parseBase parses a base URL; ok is false if requests cannot be sent to it.
func parseBase(text string) (base *url.URL, ok bool) {
	base, err := url.Parse(strings.TrimSpace(text))
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, false
	}
	return base, true
}

// headers are sent with each request. A header without a value removes one that go-openai sets.
func (c Config) headers(key string) []Header {
	headers := append([]Header(nil), c.Headers...)
	if c.KeyHeader != "" && http.CanonicalHeaderKey(c.KeyHeader) != "Authorization" {
		headers = append([]Header{{Name: "Authorization"}}, append(headers, Header{Name: c.KeyHeader, Value: key})...)
	} else if c.KeyHeader != "" {
		headers = append(headers, Header{Name: c.KeyHeader, Value: key})
	}
	return headers
}

// setHeaders sets headers of a request that belongs to the caller.
func setHeaders(req *http.Request, headers []Header) {
	for _, h := range headers {
		if req.Header.Set(h.Name, h.Value); h.Value == "" {
			req.Header.Del(h.Name)
		}
	}
}

// secrets returns the key, and the values of the headers that hold secrets.
func (c Config) secrets(key string) []string {
	var all []string
	if key != "" {
		all = append(all, key)
	}
	for _, h := range c.Headers {
		if h.Value != "" && (h.Secret || secrets.Named(h.Name)) {
			all = append(all, h.Value)
			if words := strings.Fields(h.Value); len(words) > 1 { // "Bearer …"
				all = append(all, words[len(words)-1])
			}
		}
	}
	return all
}

const (
	// keyPatience is how long the command that prints the key may take: a password manager may ask
	// its user for a fingerprint.
	keyPatience = time.Minute
	// maxKey is how many bytes the command may print.
	maxKey = 64 << 10
)

// runKeyCommand runs a program and returns the first line that it prints, without the spaces
// around it. Its errors are parts of a sentence. They name the program, but contain neither its
// output nor its arguments, which may hold a secret.
func runKeyCommand(ctx context.Context, command []string, patience time.Duration) (string, error) {
	name := "`" + filepath.Base(command[0]) + "`"
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = 100 * time.Millisecond // its child processes may keep its output open
	var out bytes.Buffer
	cmd.Stdout = &atMost{&out, maxKey}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return "", fmt.Errorf("%s did not end within %v", name, patience)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no program %s on the PATH", name)
	case errors.As(err, &exit):
		return "", fmt.Errorf("%s failed (%s)", name, exit.ProcessState)
	case out.Len() >= maxKey:
		return "", fmt.Errorf("%s printed more than a key", name)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", fmt.Errorf("%s could not be run", name)
	}
	key, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n") // pass prints notes after the first line
	key = strings.TrimSpace(key)
	if key == "" {
		return "", fmt.Errorf("%s printed nothing", name)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return "", fmt.Errorf("what %s printed is no key: it has spaces", name)
	}
	return key, nil
}

// atMost keeps the first bytes that are written, and drops the rest without an error: an error
// would end the program with a signal.
type atMost struct {
	to   *bytes.Buffer
	left int
}

var _ io.Writer = (*atMost)(nil)

func (w *atMost) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.to.Write(p[:n])
	w.left -= n
	return len(p), nil
}
