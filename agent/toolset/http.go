package toolset

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// address is a server with a URL: the transport "Streamable HTTP" of the protocol. Each message is a
// request of its own, whose response has what the server says to it.
type address struct {
	url     string
	headers map[string]string // as configured
	client  *http.Client
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
	return &address{url: s.URL, headers: s.Headers, client: &http.Client{
		Transport: base,
		// do not follow redirects: the user has configured no other address
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// send implements [transport].
func (a *address) send(ctx context.Context, request *jsonrpc.Request, body []byte, from *client) error {
	response, err := a.do(ctx, http.MethodPost, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return refusal(response)
	}
	if request == nil || !request.IsCall() {
		return nil // there is no answer to an answer or a notification
	}
	if request.Method == "initialize" {
		a.session = response.Header.Get("Mcp-Session-Id")
	}
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind {
	case "application/json":
		var raw []byte
		if raw, err = io.ReadAll(response.Body); err == nil {
			err = from.receive(raw)
		}
	case "text/event-stream":
		err = readEvents(response.Body, func(raw []byte) (bool, error) {
			err := from.receive(raw)
			if errors.Is(err, errNoMessage) { // such as a sign of life
				err = nil
			}
			_, waits := from.waiting.Load(request.ID)
			return !waits, err
		})
	default:
		return fmt.Errorf("it answered with %q", oneLine(kind, maxName))
	}
	if errors.Is(err, bufio.ErrTooLong) || errors.As(err, new(*http.MaxBytesError)) {
		return errTooLarge
	}
	return cmp.Or(err, errNoReply) // which counts only if there was no answer
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
	if a.version != "" {
		request.Header.Set("MCP-Protocol-Version", a.version)
	}
	if a.session != "" {
		request.Header.Set("Mcp-Session-Id", a.session)
	}
	for name, value := range a.headers {
		request.Header.Set(name, value)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	response.Body = http.MaxBytesReader(nil, response.Body, 2*maxMessage)
	return response, nil
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
func (a *address) agreed(version string) { a.version = version }

// end implements [transport].
func (a *address) end() {
	if a.session != "" {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if response, err := a.do(ctx, http.MethodDelete, nil); err == nil {
			response.Body.Close()
		}
	}
	a.client.CloseIdleConnections()
}

func (a *address) lastError() string { return "" }

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
			return bufio.ErrTooLong
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
