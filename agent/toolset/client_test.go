package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// odd is a server at an address that answers each call with a text of its own: %s stands for the id.
type odd struct {
	*client
	mu       sync.Mutex
	requests []string // METHOD of HTTP, headers of the session, body
}

const hello = `application/json|{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"odd","version":"1"}}}`

func newOdd(t *testing.T, answers map[string]string) *odd {
	t.Helper()
	o := &odd{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		o.mu.Lock()
		o.requests = append(o.requests, fmt.Sprintf("%s %s %s %s", r.Method, r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version"), body))
		o.mu.Unlock()
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &m)
		w.Header().Set("Mcp-Session-Id", "s1")
		if answers[m.Method] == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		kind, text, _ := strings.Cut(answers[m.Method], "|")
		status := http.StatusOK
		if n, _ := fmt.Sscan(kind, &status); n == 1 {
			_, kind, _ = strings.Cut(kind, " ")
		}
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "%s", string(m.ID)))
	}))
	at := newAddress(&Server{URL: web.URL})
	o.client = newClient(at)
	t.Cleanup(func() {
		o.stop(errClosed)
		at.end()
		web.Close()
	})
	return o
}

func (o *odd) seen() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.requests, "\n")
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestAnswersOfEveryForm(t *testing.T) {
	const found = `{"content":[{"type":"text","text":"found"}]}`
	for name, c := range map[string]struct{ answer, want, err string }{
		"JSON":                   {`application/json; charset=utf-8|{"jsonrpc":"2.0","id":%s,"result":` + found + `}`, "found", ""},
		"a list":                 {`application/json|[{"jsonrpc":"2.0","method":"notifications/message"},{"jsonrpc":"2.0","id":%s,"result":` + found + `}]`, "found", ""},
		"events":                 {"text/event-stream|: a comment\n\nid: 1\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":%s,\"result\":" + found + "}\n\nnever read", "found", ""},
		"events with \\r":        {"text/event-stream|data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":" + found + "}\r\n\r\n", "found", ""},
		"questions in between":   {"text/event-stream|data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":" + found + "}\n\n", "found", ""},
		"noise between events":   {"text/event-stream|data: ping\n\ndata: {}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":" + found + "}\n\n", "found", ""},
		"a list within a list":   {`application/json|[[{"jsonrpc":"2.0","id":%s,"result":` + found + `}]]`, "", "it sent a list of messages within a list"},
		"contents of every kind": {`application/json|{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"image","data":"YWI=","mimeType":"image/png"},{"type":"audio","data":"YQ=="},{"type":"resource","resource":{"uri":"x:","text":"inside"}},{"type":"resource","resource":{"uri":"x:","blob":"YQ=="}},{"type":"resource_link","uri":"x:y"},{"type":"hologram","depth":3}]}}`, "[an image of 2 bytes, left out]\n[audio of 1 bytes, left out]\ninside\n[a resource that is no text, left out]\n[a link: x:y]", ""},
		"a structure":            {`application/json|{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":{"a":1}}}`, `{"a":1}`, ""},
		"a large number":         {`application/json|{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":{"b":12345678901234567891,"a":1.0}}}`, `{"b":12345678901234567891,"a":1.0}`, ""},
		"a deep structure":       {`application/json|{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}}`, strings.Repeat("[", 3000) + strings.Repeat("]", 3000), ""},
		"not base64":             {`application/json|{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"image","data":"!!!"},{"type":"text","text":"found"}],"_meta":1}}`, "[an image of 2 bytes, left out]\nfound", ""},
		"a request for input":    {`application/json|{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"content":[{"type":"text","text":"found"}]}}`, "found", ""},
		"members of others":      {`application/json|{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"tools":["a"],"nextCursor":[],"content":[{"type":"text","text":"found"}]}}`, "found", ""},
		"nothing":                {`application/json|{"jsonrpc":"2.0","id":%s,"result":{"content":null,"structuredContent":null}}`, "", ""},
		"an error":               {`application/json|{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such thing"}}`, "", "refused: no such thing"},
		"an error as a status":   {`400 application/json|{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such thing"}}`, "", "refused: no such thing"},
		"a status":               {`503 text/plain|busy`, "", "it answered with the status 503 Service Unavailable"},
		"a redirect":             {`302 text/plain|`, "", "it answered with the status 302 Found"},
		"another type":           {`text/html|<html>`, "", `it answered with "text/html"`},
		"another's answer":       {`application/json|{"jsonrpc":"2.0","id":99,"result":` + found + `}`, "", "it did not answer"},
		"events that end":        {"text/event-stream|data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":" + found + "}\n", "", "it did not answer"},
		"no JSON-RPC":            {`application/json|{"result":` + found + `}`, "", "it sent no JSON-RPC"},
		"a result of no shape":   {`application/json|{"jsonrpc":"2.0","id":%s,"result":[]}`, "", "it answered with something else"},
		"too much":               {`application/json|{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 2*maxMessage) + `"}]}}`, "", "it sent too much"},
		"too long an event":      {"text/event-stream|data: " + strings.Repeat("x", maxMessage) + "\n\n", "", "it sent too much"},
		"too many lines":         {"text/event-stream|" + strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", maxMessage/1000+1) + "\n", "", "it sent too much"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOdd(t, map[string]string{"initialize": hello, "tools/call": c.answer})
			if err := o.initialize(within(t)); err != nil {
				t.Fatal(err)
			}
			got, err := o.callTool(within(t), "look", json.RawMessage(`{"a":1}`))
			said := ""
			var refused *jsonrpc.Error
			if errors.As(err, &refused) {
				said = "refused: " + refused.Message
			} else if err != nil {
				said = err.Error()
			}
			if !strings.HasPrefix(said, c.err) || (c.err == "") != (said == "") {
				t.Fatalf("the error is %q, want %q", said, c.err)
			}
			if got.Text != c.want {
				t.Errorf("got %q, want %q", got.Text, c.want)
			}
			if name == "questions in between" {
				for _, want := range []string{`"id":"q","result":{}`, `"id":7,"error":{"code":-32601`} {
					if !strings.Contains(o.seen(), want) {
						t.Errorf("%s is not among\n%s", want, o.seen())
					}
				}
			}
		})
	}
}

// The headers follow what was agreed on, and the end of a session is reported.
func TestASessionAtAnAddress(t *testing.T) {
	o := newOdd(t, map[string]string{
		"initialize": hello,
		"tools/list": `application/json|{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a"}],"nextCursor":"more"}}`,
	})
	if err := o.initialize(within(t)); err != nil {
		t.Fatal(err)
	}
	page, err := o.session.ListTools(within(t), &sdk.ListToolsParams{Cursor: "from here"})
	if err != nil || len(page.Tools) != 1 || page.NextCursor != "more" {
		t.Errorf("%+v, %v", page, err)
	}
	o.stop(errClosed)
	o.to.end()
	const want = `POST   {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"redline","version":"1"},"protocolVersion":"2025-11-25"}}
POST s1 2025-06-18 {"jsonrpc":"2.0","method":"notifications/initialized","params":{}}
POST s1 2025-06-18 {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"from here"}}
DELETE s1 2025-06-18 `
	if diff := cmp.Diff(parts(t, want), parts(t, o.seen())); diff != "" {
		t.Errorf("the server got (-want +got)\n%s", diff)
	}
	_ = o.session.Wait() // until it has seen the end: what it returns is the end itself
	if _, err := o.session.ListTools(within(t), nil); !errors.Is(err, sdk.ErrConnectionClosed) {
		t.Errorf("a closed connection: %v", err)
	}
}

// parts returns the headers and the decoded body of each request.
func parts(t *testing.T, requests string) (parts []any) {
	t.Helper()
	for request := range strings.SplitSeq(requests, "\n") {
		headers, body, _ := strings.Cut(request, "{")
		var decoded any
		if err := json.Unmarshal([]byte("{"+body), &decoded); err != nil && body != "" {
			t.Fatal(err)
		}
		parts = append(parts, headers, decoded)
	}
	return parts
}

func TestVersionsOfTheProtocol(t *testing.T) {
	for version, ok := range map[string]bool{"2025-11-25": true, "2024-11-05": true, "2026-07-28": false, "2099-01-01": false, "": false} {
		o := newOdd(t, map[string]string{"initialize": strings.ReplaceAll(hello, "2025-06-18", version)})
		if err := o.initialize(within(t)); (err == nil) != ok {
			t.Errorf("%q: %v", version, err)
		}
	}
}

// The members of other methods' results count for nothing.
func TestResultsWithMembersOfOtherMethods(t *testing.T) {
	o := newOdd(t, map[string]string{
		"initialize": strings.Replace(hello, `"capabilities"`, `"tools":{},"content":"welcome","isError":0,"capabilities"`, 1),
		"tools/list": `application/json|{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a"}],"protocolVersion":{},"content":{}}}`,
	})
	if err := o.initialize(within(t)); err != nil {
		t.Fatal(err)
	}
	if page, err := o.session.ListTools(within(t), nil); err != nil || len(page.Tools) != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}

// counted tells of each message that has been sent.
type counted struct {
	*process
	sent chan error
}

func (c *counted) send(ctx context.Context, request *jsonrpc.Request, body []byte, from *client) error {
	err := c.process.send(ctx, request, body, from)
	c.sent <- err
	return err
}

// A call that is cancelled returns at once, the server hears of it, and nothing is kept for an answer.
func TestACancelledCall(t *testing.T) {
	in, out := io.Pipe()
	to := &counted{process: &process{in: out}, sent: make(chan error, 1)}
	c := newClient(to)
	defer c.stop(errClosed)
	lines := json.NewDecoder(in)
	next := func(method string) (params string) {
		t.Helper()
		var m struct {
			Method string
			Params json.RawMessage
		}
		if err := lines.Decode(&m); err != nil || m.Method != method {
			t.Fatalf("%+v, %v; want %s", m, err, method)
		}
		if err := <-to.sent; err != nil {
			t.Fatal(err)
		}
		return string(m.Params)
	}
	ready := make(chan error, 1)
	go func() { ready <- c.initialize(within(t)) }()
	next("initialize")
	if err := c.receive([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`)); err != nil {
		t.Error(err)
	}
	next("notifications/initialized")
	if err := <-ready; err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() { _, err := c.callTool(ctx, "look", json.RawMessage(`{}`)); failed <- err }()
	next("tools/call")
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if params := next("notifications/cancelled"); !strings.Contains(params, `"requestId":2`) {
		t.Error(params)
	}
	c.waiting.Range(func(id, method any) bool {
		t.Errorf("an answer to the call %v (%v) is still expected", id, method)
		return true
	})
	if err := c.receive([]byte(`{"jsonrpc":"2.0","id":2,"result":{}}`)); err != nil { // too late
		t.Error(err)
	}
}

// A program that does not read holds nothing up.
func TestAProgramThatDoesNotRead(t *testing.T) {
	in, out := io.Pipe()
	c := newClient(&process{in: out})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	before := time.Now()
	if err := c.initialize(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(before) > 3*time.Second {
		t.Errorf("%v after %s", err, time.Since(before))
	}
	in.Close()
}

// A notification that a server refuses ends no session.
func TestARefusedNotification(t *testing.T) {
	o := newOdd(t, map[string]string{"initialize": hello, "notifications/progress": "500 text/plain|no", "tools/list": `application/json|{"jsonrpc":"2.0","id":%s,"result":{}}`})
	if err := o.initialize(within(t)); err != nil {
		t.Fatal(err)
	}
	_ = o.session.NotifyProgress(within(t), &sdk.ProgressNotificationParams{})
	if _, err := o.session.ListTools(within(t), nil); err != nil {
		t.Errorf("a call after it: %v", err)
	}
}

// Lines that are no messages are passed over; one that is too long, or a list within a list, ends the
// connection.
func TestWhatAProgramMayWrite(t *testing.T) {
	s := NewServers([]Server{{Name: "odd"}}, ServerOptions{}).list[0]
	for name, c := range map[string]struct {
		line string
		ok   bool
	}{
		"blank":          {"\n  \n", true},
		"a notification": {`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n", true},
		"a list":         {`[{"jsonrpc":"2.0","id":4,"result":1}]` + "\n", true},
		"not UTF-8":      {"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}\n", true},
		"words":          {"Welcome!\n", true},
		"other case":     {`{"JSONRPC":"2.0","Method":"x"}` + "\n", true},
		"a bad list":     {`[1]` + "\n", true},
		"lists":          {`[[{"jsonrpc":"2.0","id":4,"result":1}]]` + "\n", false},
		"too long":       {`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", maxMessage) + `"}` + "\n", false},
	} {
		cl := newClient(&process{})
		p := &process{out: io.NopCloser(strings.NewReader(c.line)), stray: lineLog{of: s}}
		err := p.read(cl)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
