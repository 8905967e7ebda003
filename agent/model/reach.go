package model

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// Reach asks the endpoint of c for its list of models, as it would be asked for
// a reply, and returns the HTTP status. The error says that nobody answered; it
// holds no secrets, and neither does its text.
func Reach(ctx context.Context, c Config) (status int, err error) {
	key := strings.TrimSpace(c.APIKey)
	p := newClient(c)
	if p.broken != nil {
		return 0, p.broken
	}
	base, _ := parseBase(p.info.BaseURL) // it was read before
	query := url.Values{}
	if given, ok := parseBase(c.BaseURL); ok {
		base.User, query = given.User, given.Query()
	}
	if c.APIVersion != "" {
		query.Set("api-version", c.APIVersion)
	}
	address := *base.JoinPath("models")
	address.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return 0, &Error{Kind: KindMisconfigured}
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	setHeaders(request, c.headers(key))
	via := c.Transport
	if via == nil {
		own := newHTTP(p.giveUp)
		defer own.CloseIdleConnections()
		via = own
	}
	response, err := via.RoundTrip(request)
	if err != nil {
		return 0, (&transport{scrub: p.scrub, failed: p.failed}).unreachable(err)
	}
	response.Body.Close()
	return response.StatusCode, nil
}
