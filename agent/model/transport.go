package model

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxErrorBody is how many bytes of an answer that is no reply are read.
const maxErrorBody = 64 << 10

// transport is the HTTP transport of go-openai. It cleans event streams, and turns every other
// answer into an [*Error]: go-openai would report such an answer without its Retry-After
// header and with whatever the provider wrote.
type transport struct {
	base    http.RoundTripper
	query   string   // of the base URL
	headers []Header // that go with each request
	scrub   scrubber
	failed  func(Kind) *Error // a new error about this provider
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
	kind, temporary := kindOfStatus(resp.StatusCode)
	e := t.failed(kind)
	e.Status, e.temporary = resp.StatusCode, temporary
	if resp.StatusCode < 400 {
		if to, err := resp.Location(); err == nil {
			to.User, to.RawQuery = nil, ""
			e.Detail = t.scrub.line("it points to " + to.String())
		}
		return e
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // a part will do
	said := parseFailure(body)
	if resp.StatusCode != http.StatusUnauthorized { // there it is often the key
		e.Detail = t.scrub.line(said.Message)
	}
	if said.Code == "insufficient_quota" { // will not pass by waiting
		e.temporary = false
	}
	e.RetryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	return e.judge()
}

func kindOfStatus(status int) (kind Kind, temporary bool) {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return KindUnauthorized, false
	case status == http.StatusNotFound, status < 400:
		return KindNotFound, false
	case status == http.StatusTooManyRequests:
		return KindRateLimited, true
	case status >= 500:
		return KindOverloaded, true
	case status == http.StatusRequestTimeout:
		return KindTimeout, true
	default:
		return KindRejected, false
	}
}

// retryAfter reads the header of that name (RFC 9110 section 10.2.3): seconds,
// or a date. It returns 0 if there is nothing to wait for.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
		const longest = 24 * 60 * 60
		return time.Duration(max(0, min(seconds, longest)) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// failure is a provider's description of an error.
type failure struct {
	Message string
	Code    string // its code, else its type
}

// parseFailure reads the body of an error: {"error":{"message":…}} as OpenAI
// writes it, {"error":"…"}, {"message":…} or {"detail":…} as others do, or
// plain text. It returns nothing for a web page.
func parseFailure(body []byte) failure {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  any             `json:"detail"`
	}
	text := strings.TrimSpace(string(body))
	var several []json.RawMessage // as Gemini writes it
	if json.Unmarshal(body, &several) == nil && len(several) > 0 {
		body = several[0]
	}
	if json.Unmarshal(body, &outer) != nil {
		if strings.HasPrefix(text, "<") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			text = ""
		}
		return failure{Message: text}
	}
	var inner struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    any    `json:"code"`
	}
	if json.Unmarshal(outer.Error, &inner) != nil {
		_ = json.Unmarshal(outer.Error, &inner.Message) // stays "" if it is no string either
	}
	detail, _ := outer.Detail.(string)
	code, _ := inner.Code.(string)
	if number, ok := inner.Code.(float64); ok {
		code = strconv.Itoa(int(number))
	}
	return failure{
		Message: cmp.Or(inner.Message, outer.Message, detail),
		Code:    cmp.Or(code, inner.Type),
	}
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

// parseBase reads a base URL; ok is false if requests cannot be sent to it.
func parseBase(text string) (base *url.URL, ok bool) {
	base, err := url.Parse(strings.TrimSpace(text))
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, false
	}
	return base, true
}
