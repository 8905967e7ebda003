package mcp

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
		if m.ID == nil || m.Method == "" {
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
		o.close()
		at.idle()
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
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
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
	} {
		t.Run(name, func(t *testing.T) {
			o := newOdd(t, map[string]string{"initialize": hello, "tools/call": c.answer})
			if err := o.initialize(within(t)); err != nil {
				t.Fatal(err)
			}
			got, err := o.callTool(within(t), "look", json.RawMessage(`{"a":1}`))
			said := ""
			var refused *rpcError
			if errors.As(err, &refused) {
				said = "refused: " + refused.Message
			} else if err != nil {
				said = err.Error()
			}
			if !strings.HasPrefix(said, c.err) || (c.err == "") != (said == "") {
				t.Fatalf("the error is %q, want %q", said, c.err)
			}
			if text := textOf(got); text != c.want {
				t.Errorf("got %q, want %q", text, c.want)
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
	tools, next, err := o.listTools(within(t), "from here")
	if err != nil || len(tools) != 1 || next != "more" {
		t.Errorf("%v, %q, %v", tools, next, err)
	}
	o.close()
	const want = `POST   {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"redline","version":"1"},"protocolVersion":"2025-11-25"}}
POST s1 2025-06-18 {"jsonrpc":"2.0","method":"notifications/initialized","params":{}}
POST s1 2025-06-18 {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"from here"}}
DELETE s1 2025-06-18 `
	if got := o.seen(); got != want {
		t.Errorf("the server got\n%s\nwant\n%s", got, want)
	}
	if _, _, err := o.listTools(within(t), ""); !errors.Is(err, errGone) {
		t.Errorf("a closed connection: %v", err)
	}
}

func TestVersionsOfTheProtocol(t *testing.T) {
	for version, ok := range map[string]bool{"2025-11-25": true, "2024-11-05": true, "2099-01-01": false, "": false} {
		o := newOdd(t, map[string]string{"initialize": strings.ReplaceAll(hello, "2025-06-18", version)})
		if err := o.initialize(within(t)); (err == nil) != ok {
			t.Errorf("%q: %v", version, err)
		}
	}
}

// A call that is cancelled returns at once, and the server hears of it.
func TestACancelledCall(t *testing.T) {
	in, out := io.Pipe()
	p := &process{in: out}
	c := newClient(p)
	defer c.close()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() { failed <- c.call(ctx, "tools/call", struct{}{}, &struct{}{}) }()
	lines := json.NewDecoder(in)
	var m message
	if err := lines.Decode(&m); err != nil || m.Method != "tools/call" {
		t.Fatal(m, err)
	}
	cancel()
	if err := lines.Decode(&m); err != nil || m.Method != "notifications/cancelled" || string(m.Params) != `{"requestId":1}` {
		t.Errorf("%+v, %v", m, err)
	}
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := c.receive([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)); err != nil { // too late
		t.Error(err)
	}
}

// A program that does not read holds nothing up.
func TestAProgramThatDoesNotRead(t *testing.T) {
	in, out := io.Pipe()
	c := newClient(&process{in: out})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.call(ctx, "tools/list", struct{}{}, &struct{}{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	c.close()
	in.Close()
}

// Lines that are no messages are passed over; one that is too long, or a list within a list, ends the
// connection.
func TestWhatAProgramMayWrite(t *testing.T) {
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
		p := &process{out: io.NopCloser(strings.NewReader(c.line)), stray: lineLog{say: func(string) {}}}
		err := p.read(cl.receive)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
