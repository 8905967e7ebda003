package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// address is a server with a URL: the transport "Streamable HTTP" of the protocol. Each message is a
// request of its own, whose response has what the server says to it.
type address struct {
	url    string
	client *http.Client
	idle   func() // closes idle connections

	mu      sync.Mutex
	session string // as the server calls it; "" if it has no sessions
	version string // of the protocol; "" until it is agreed on
}

func newAddress(s *Server) *address {
	base := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: s.StartTimeout}).DialContext,
		TLSHandshakeTimeout: s.StartTimeout,
		IdleConnTimeout:     time.Minute,
		MaxIdleConns:        4,
	}
	return &address{url: s.URL, idle: base.CloseIdleConnections, client: &http.Client{
		Transport: &carrier{base, s.Headers},
		// do not follow redirects: the user has configured no other address
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// send implements [transport].
func (a *address) send(ctx context.Context, m *message, receive func([]byte) error) error {
	body, err := m.encode()
	if err != nil {
		return err
	}
	response, err := a.do(ctx, http.MethodPost, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return refusal(response)
	}
	if m.Method == "" || m.ID == nil {
		return nil // there is no answer to an answer or a notification
	}
	if m.Method == "initialize" {
		a.mu.Lock()
		a.session = response.Header.Get("Mcp-Session-Id")
		a.mu.Unlock()
	}
	answered := false
	take := func(raw []byte) error {
		var one message
		answered = json.Unmarshal(raw, &one, fromServer) == nil && one.Method == "" && bytes.Equal(one.ID, m.ID)
		return receive(raw)
	}
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind {
	case "application/json":
		raw, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		if err := take(raw); err != nil {
			return err
		}
	case "text/event-stream":
		err := readEvents(response.Body, func(raw []byte) (bool, error) {
			err := take(raw)
			if errors.Is(err, errNoMessage) { // such as a sign of life
				err = nil
			}
			return answered, err
		})
		if err != nil {
			return err
		}
	default:
		return fmt.Errorf("it answered with %q", oneLine(kind, maxName))
	}
	if !answered {
		return errNoReply
	}
	return nil
}

// do sends a request with the headers that the protocol wants.
func (a *address) do(ctx context.Context, method string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, a.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
	}
	a.mu.Lock()
	version, session := a.version, a.session
	a.mu.Unlock()
	if version != "" {
		request.Header.Set("MCP-Protocol-Version", version)
	}
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	return a.client.Do(request)
}

// refusal returns the error of a response that is none: the one in it, else its status.
func refusal(response *http.Response) error {
	var m message
	if raw, err := io.ReadAll(response.Body); err == nil && json.Unmarshal(raw, &m, fromServer) == nil && m.Error != nil {
		return m.Error
	}
	return errors.New("it answered with the status " + response.Status)
}

// agreed implements [transport].
func (a *address) agreed(version string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version = version
}

// close tells the server that the session is over.
func (a *address) close() {
	a.mu.Lock()
	session := a.session
	a.mu.Unlock()
	if session != "" {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if response, err := a.do(ctx, http.MethodDelete, nil); err == nil {
			response.Body.Close()
		}
	}
}

// readEvents hands over the data of each event of a stream until take says that it has enough.
func readEvents(stream io.Reader, take func(data []byte) (enough bool, err error)) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxMessage)
	var data []byte
	for lines.Scan() { // of an event that the end of the stream cuts off, nothing counts
		line := lines.Bytes()
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(text, []byte(" "))...), '\n')
		}
		if len(data) > maxMessage {
			return errTooLarge
		}
		if len(line) > 0 || len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if enough, err := take(data); enough || err != nil {
			return err
		}
		data = nil
	}
	return lines.Err()
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
