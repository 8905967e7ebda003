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

// Reach asks the endpoint of c for its list of models, in the same way as for a reply, and
// returns the HTTP status. It returns an error if there was no answer; the error and its text
// hold no secrets.
func Reach(ctx context.Context, c Config) (status int, err error) {
	p := newClient(c)
	response, end, err := p.plain(ctx, http.MethodGet, p.under("models"), nil)
	if err != nil {
		return 0, err
	}
	end()
	return response.StatusCode, nil
}

// maxPlain is how many bytes are read of the answer to a request made by plain. A list can have
// hundreds of models.
const maxPlain = 16 << 20

// under returns a path below the base URL, or nil if there is none.
func (p *client) under(path ...string) *url.URL {
	if p.base == nil {
		return nil
	}
	return p.base.JoinPath(path...)
}

// plain sends a request other than one for a reply, with the same key and headers. The caller
// must call end. Its errors are an [*Error] or the context's.
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
	if to.Hostname() == "api.anthropic.com" { // there only chat completions accept a bearer token
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

// document sends a request as [client.plain] does, and decodes the JSON of its answer into v.
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
