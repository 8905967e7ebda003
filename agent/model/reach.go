package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Reach asks the endpoint of c for its list of models, as it would be asked for
// a reply, and returns the HTTP status. The error says that nobody answered; it
// holds no secrets, and neither does its text.
func Reach(ctx context.Context, c Config) (status int, err error) {
	p := newClient(c)
	response, end, err := p.plain(ctx, http.MethodGet, p.under("models"), nil)
	if err != nil {
		return 0, err
	}
	end()
	return response.StatusCode, nil
}

// maxPlain bounds the answer to a request that is none for a reply, in bytes: a list of models can
// have hundreds.
const maxPlain = 16 << 20

// under returns a path below the base URL, or nil if there is none.
func (p *client) under(path ...string) *url.URL {
	if p.base == nil {
		return nil
	}
	return p.base.JoinPath(path...)
}

// plain makes a request that is none for a reply, with the key and the headers of one. The caller
// calls end. Its errors are an [*Error] or the context's.
func (p *client) plain(ctx context.Context, method string, address *url.URL, body []byte) (response *http.Response, end func(), err error) {
	if p.broken != nil {
		return nil, nil, p.broken
	}
	key, err := p.key(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := p.config
	to := *address
	query := p.base.Query()
	if c.APIVersion != "" {
		query.Set("api-version", c.APIVersion)
	}
	to.RawQuery, to.Fragment = query.Encode(), ""
	request, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, p.failed(KindMisconfigured)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	if to.Hostname() == "api.anthropic.com" { // there only chat completions take a bearer
		request.Header.Set("x-api-key", key)
		request.Header.Set("anthropic-version", "2023-06-01")
	}
	setHeaders(request, c.headers(key))
	via, close := c.Transport, func() {}
	if via == nil {
		own := newHTTP(p.giveUp)
		via, close = own, own.CloseIdleConnections
	}
	response, err = via.RoundTrip(request)
	if err != nil {
		defer close()
		if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, nil, ctx.Err()
		}
		return nil, nil, (&transport{scrub: p.scrub, failed: p.failed}).unreachable(err)
	}
	return response, func() { response.Body.Close(); close() }, nil
}

// document makes a request as [client.plain] does, and reads the JSON of its answer into v.
func (p *client) document(ctx context.Context, method string, address *url.URL, body []byte, v any) error {
	response, end, err := p.plain(ctx, method, address, body)
	if err != nil {
		return err
	}
	defer end()
	t := &transport{scrub: p.scrub, failed: p.failed}
	if response.StatusCode/100 != 2 {
		return t.refused(response)
	}
	if strings.Contains(response.Header.Get("Content-Type"), "html") {
		return p.failed(KindWebPage)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxPlain)).Decode(v); err != nil {
		e := p.failed(KindBroken)
		e.Detail = "its answer is not the JSON that was asked for"
		return e
	}
	return nil
}
