package mcp

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// transportTo returns the connection to a server with a URL.
func transportTo(s *Server) (sdk.Transport, func()) {
	base := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: startTimeout}).DialContext,
		TLSHandshakeTimeout: startTimeout,
		IdleConnTimeout:     time.Minute,
		MaxIdleConns:        4,
	}
	return &sdk.StreamableClientTransport{
		Endpoint: s.URL,
		HTTPClient: &http.Client{
			Transport: &carrier{base, s.Headers},
			// do not follow redirects: the user has configured no other address
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		MaxRetries:           -1,
		DisableStandaloneSSE: true, // accept nothing that was not requested
		MaxEventSize:         maxMessage,
	}, base.CloseIdleConnections
}

// carrier adds the configured headers to requests and limits the size of the responses.
type carrier struct {
	base    http.RoundTripper
	headers map[string]string
}

func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range c.headers {
		r.Header.Set(name, value)
	}
	response, err := c.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = &boundedBody{ReadCloser: response.Body, left: 2 * maxMessage}
	return response, nil
}

var errTooLarge = errors.New("it sent too much")

// boundedBody fails after too many bytes.
type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
