package acpwire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"redline/internal/leaktest"
)

func TestMain(m *testing.M) { os.Exit(leaktest.After(m).Run()) }

// peer is the other side of a connection.
type peer struct {
	t     testing.TB
	conn  *Conn
	to    net.Conn
	lines chan string
}

// connect starts a connection with a peer that reads all the time.
func connect(t testing.TB, o Options) *peer {
	p := open(t, o)
	go p.read()
	return p
}

func open(t testing.TB, o Options) *peer {
	ours, theirs := net.Pipe()
	p := &peer{t: t, conn: New(ours, o), to: theirs, lines: make(chan string, 1000)}
	t.Cleanup(func() {
		theirs.Close()
		ours.Close()
		p.conn.Close()
	})
	p.conn.Start()
	return p
}

func (p *peer) read() {
	defer close(p.lines)
	in := bufio.NewReaderSize(p.to, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		p.lines <- strings.TrimSuffix(line, "\n")
	}
}

// says sends a line.
func (p *peer) says(line string) {
	if _, err := io.WriteString(p.to, line+"\n"); err != nil {
		p.t.Error(err)
	}
}

// hears returns the next line of the connection.
func (p *peer) hears() string {
	p.t.Helper()
	select {
	case line := <-p.lines:
		return line
	case <-time.After(3 * time.Minute):
		p.t.Fatal("the connection says nothing")
		return ""
	}
}

// isAlive asks for a ping, and returns what was heard before its answer.
func (p *peer) isAlive() (before []string) {
	p.t.Helper()
	p.says(`{"jsonrpc":"2.0","id":"alive?","method":"ping"}`)
	for {
		if line := p.hears(); line == `{"jsonrpc":"2.0","id":"alive?","result":"pong"}` {
			return before
		} else {
			before = append(before, line)
		}
	}
}

var ping = map[string]Request{"ping": func(context.Context, json.RawMessage) (any, error) { return "pong", nil }}

func TestEachLineIsAnsweredAsItDeserves(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"noise", "Debugger listening", ""},
		{"an empty line", "", ""},
		{"no JSON", `{"jsonrpc":`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The line is not JSON."}}`},
		{"a list", `[{"jsonrpc":"2.0","method":"ping","id":1}]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Lists of messages are not part of the protocol: send each by itself."}}`},
		{"an unknown method", `{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{}}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"There is no method \"fs/read_text_file\"."}}`},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"_x/y","params":{}}`, ""},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":99,"result":{}}`, ""},
		{"an answer without an id", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`, ""},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A message needs \"jsonrpc\":\"2.0\", a \"method\" and, for a request, an \"id\" that is a short text or a number."}}`},
		{"an old version", `{"id":4,"method":"ping"}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"A message needs \"jsonrpc\":\"2.0\", a \"method\" and, for a request, an \"id\" that is a short text or a number."}}`},
		{"deep", `{"jsonrpc":"2.0","id":5,"method":"ping","params":[` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `]}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"A message has too many values."}}`},
		{"deeper", `{"jsonrpc":"2.0","id":5,"method":"ping","params":[` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + `]}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The line is not JSON."}}`},
		{"many values", `{"jsonrpc":"2.0","id":5,"method":"ping","params":[` + strings.Repeat("[],", 1_000_000) + `1]}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"A message has too many values."}}`},
		{"too long", `{"jsonrpc":"2.0","id":6,"method":"ping","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`, `{"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"A line may have 8 MiB at most."}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, Options{Requests: ping, MaxLine: 8 << 20})
			p.says(c.line)
			if got := strings.Join(p.isAlive(), "\n"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// A line of more than the SDK's 10 MiB arrives whole.
func TestLongLines(t *testing.T) {
	got := make(chan int, 1)
	p := connect(t, Options{Requests: ping, Notifications: map[string]func(json.RawMessage){
		"long": func(params json.RawMessage) { got <- len(params) },
	}})
	p.says(`{"jsonrpc":"2.0","method":"long","params":["` + strings.Repeat("x", 60<<20) + `"]}`)
	p.isAlive()
	if n := <-got; n != 60<<20+4 {
		t.Errorf("%d bytes arrived", n)
	}
}

// A line that never ends is reported when it is too long, and costs no more memory.
func TestALineWithoutEnd(t *testing.T) {
	odd := make(chan error, 1)
	p := connect(t, Options{MaxLine: 1 << 20, Odd: func(err error, line []byte) { odd <- err }})
	go func() {
		for {
			if _, err := io.WriteString(p.to, strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	}()
	if err := <-odd; !errors.Is(err, ErrTooLong) {
		t.Errorf("reported as %v", err)
	}
}

func TestCallsAndTheirAnswers(t *testing.T) {
	p := connect(t, Options{Requests: ping})
	type result struct {
		raw json.RawMessage
		err error
	}
	call := func(method string) <-chan result {
		got := make(chan result, 1)
		go func() {
			raw, err := p.conn.Call(context.Background(), method, struct{}{})
			got <- result{raw, err}
		}()
		return got
	}
	for i, c := range []struct{ answer, want string }{
		{`"result":{"a":1}`, `{"a":1}`},
		{`"result":null`, `null`},
		{`"error":{"code":-32000,"message":"Authentication required"},"result":null`, `-32000 Authentication required`},
		{`"error":"no"`, `-32603 an error that cannot be read`},
		{`"id2":1`, `-32603 an answer without a result`},
		{`"result":[` + strings.Repeat("[],", 1_000_000) + `1]`, `a message has too many values`},
	} {
		got := call("x")
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x","params":{}}`, i+1); p.hears() != want {
			t.Fatalf("no %s", want)
		}
		p.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","result":"an answer to a text"}`, i+1))
		p.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"an answer to the one before"}`, i))
		p.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+1, c.answer))
		r := <-got
		text := string(r.raw)
		var e *acp.RequestError
		if errors.As(r.err, &e) {
			text = fmt.Sprint(e.Code, " ", e.Message)
		} else if r.err != nil {
			text = r.err.Error()
		}
		if text != c.want {
			t.Errorf("%s: got %s, want %s", c.answer[:10], text, c.want)
		}
	}

	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan error, 1)
	go func() { _, err := p.conn.Call(ctx, "late", struct{}{}); got <- err }()
	p.hears()
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was given up: %v", err)
	}
	p.says(`{"jsonrpc":"2.0","id":7,"result":{}}`)
	p.isAlive()

	left := call("never answered")
	p.hears()
	p.to.Close()
	if r := <-left; !errors.Is(r.err, ErrEnded) {
		t.Errorf("a call whose peer has ended: %v", r.err)
	}
	if err := p.conn.Notify("x", nil); !errors.Is(err, ErrEnded) {
		t.Errorf("a notification to a peer that has ended: %v", err)
	}
}

// What was sent before an answer is handled before the call returns, and goes out in order.
func TestOrder(t *testing.T) {
	seen := 0
	p := connect(t, Options{Notifications: map[string]func(json.RawMessage){"n": func(json.RawMessage) { seen++ }}})
	for i := range 1000 {
		if err := p.conn.Notify("n", i); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":%d}`, i); p.hears() != want {
			t.Fatalf("not in order: %d", i)
		}
	}
	go func() {
		p.hears()
		for range 1000 {
			p.says(`{"jsonrpc":"2.0","method":"n"}`)
		}
		p.says(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	}()
	if _, err := p.conn.Call(context.Background(), "x", nil); err != nil || seen != 1000 {
		t.Errorf("the call returned after %d of 1000 notifications: %v", seen, err)
	}
}

// A flood of requests is bounded, whether they run, wait for an answer to be read, or have the same id.
func TestFloods(t *testing.T) {
	t.Run("running", func(t *testing.T) {
		cancelled := make(chan bool, 2)
		p := connect(t, Options{MaxRunning: 2, Requests: map[string]Request{"wait": func(ctx context.Context, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			cancelled <- true
			return nil, ctx.Err()
		}}})
		for i := range 1000 {
			p.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"wait"}`, min(i, 2)))
			if i >= 2 && p.hears() != `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Too many requests are running."}}` {
				t.Fatal("a third runs")
			}
		}
		p.says(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
		if got := p.hears(); !strings.Contains(got, "A request with this id is still running.") {
			t.Error(got)
		}
		p.says(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
		<-cancelled
		if got := p.hears(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"error"`) {
			t.Error(got)
		}
		p.conn.Close()
		<-cancelled // the other ends with the connection
	})
	t.Run("unread", func(t *testing.T) {
		p := open(t, Options{MaxBacklog: 1 << 16, Stall: 100 * time.Millisecond}) // and nobody reads
		go func() {
			for {
				if _, err := io.WriteString(p.to, `{"jsonrpc":"2.0","id":1,"method":"x"}`+"\n"); err != nil {
					return
				}
			}
		}()
		<-p.conn.Context().Done()
		if err := context.Cause(p.conn.Context()); !errors.Is(err, ErrStalled) {
			t.Error(err)
		}
	})
}

// After Close no notification is handled, even one that was read already.
func TestNothingAfterClose(t *testing.T) {
	for range 100 {
		ours, theirs := net.Pipe()
		closed := false
		c := New(ours, Options{Notifications: map[string]func(json.RawMessage){"n": func(json.RawMessage) {
			if closed {
				t.Error("a notification was handled after Close")
			}
		}}})
		c.Start()
		go func() {
			for {
				if _, err := io.WriteString(theirs, `{"jsonrpc":"2.0","method":"n"}`+"\n"); err != nil {
					return
				}
			}
		}()
		c.Close()
		closed = true
		theirs.Close()
		ours.Close()
	}
}

// 10,000 damaged messages do no harm: after each 500 a normal request is answered, and a normal call.
func TestDamagedMessages(t *testing.T) {
	p := connect(t, Options{Requests: map[string]Request{
		"ping":                       ping["ping"],
		"session/request_permission": decoding[acp.RequestPermissionRequest],
		"session/prompt":             decoding[acp.PromptRequest],
		"session/update":             decoding[acp.SessionNotification],
	}})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		seed := []byte(seeds[random.IntN(len(seeds))])
		for range 1 + random.IntN(4) {
			at := random.IntN(len(seed))
			switch random.IntN(4) {
			case 0:
				seed[at] = byte(random.IntN(256))
			case 1:
				seed = append(seed[:at:at], seed[min(len(seed), at+random.IntN(20)):]...)
			case 2:
				seed = append(seed[:at:at], append([]byte(`"]}{[,:0null\u0000`)[random.IntN(10):], seed[at:]...)...)
			case 3:
				seed = append(seed[:at:at], seed[random.IntN(at+1):]...)
			}
			if len(seed) == 0 {
				seed = []byte("x")
			}
		}
		p.says(string(seed))
		if i%500 == 499 {
			p.isAlive()
		}
		for drained := false; !drained; {
			select {
			case <-p.lines:
			default:
				drained = true
			}
		}
	}
}

// decoding answers with what it has decoded.
func decoding[T any](_ context.Context, params json.RawMessage) (any, error) {
	return Decode[T](params)
}

// seeds are messages to damage.
var seeds = []string{
	`{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"a","name":"Allow","kind":"allow_once"}],"toolCall":{"toolCallId":"t","kind":"edit","title":"Edit","locations":[{"path":"/a","line":3}]}}}`,
	`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"},{"type":"resource","resource":{"uri":"file:///a","text":"x"}},{"type":"image","data":"AA==","mimeType":"image/png"}]}}`,
	`{"jsonrpc":"2.0","id":4,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}}}`,
	`{"jsonrpc":"2.0","id":4,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"read","status":"pending","content":[{"type":"diff","path":"/a","newText":"x"},{"type":"content","content":{"type":"text","text":"y"}}],"rawInput":{"a":[1,{"b":null}]}}}}`,
	`{"jsonrpc":"2.0","id":4,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":{"details":"x"}}}`,
	`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}`,
}

// FuzzConn feeds bytes to a connection. Whatever they are, the next request is answered.
func FuzzConn(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s + "\n"))
	}
	f.Add([]byte("\x00\n[\n{}\n{\"jsonrpc\":\"2.0\",\"id\":1e5,\"method\":\"ping\"}"))
	f.Fuzz(func(t *testing.T, input []byte) {
		p := connect(t, Options{MaxLine: 1000, Requests: ping})
		p.says(string(input))
		p.isAlive()
	})
}

// A request whose beginning runs in order is known before the notification after it; what it sends once it
// is answered comes after the answer.
func TestPreparedRequests(t *testing.T) {
	begun := false
	known := make(chan bool, 1)
	var p *peer
	p = connect(t, Options{
		Prepared: map[string]Prepared{"begin": func(json.RawMessage) Request {
			begun = true
			return func(context.Context, json.RawMessage) (any, error) {
				return Answered{Result: 1, Then: func() { _ = p.conn.Notify("then", nil) }}, nil
			}
		}},
		Notifications: map[string]func(json.RawMessage){"after": func(json.RawMessage) { known <- begun }},
	})
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"begin"}`, `{"jsonrpc":"2.0","method":"after"}`} {
		if _, err := p.to.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if !<-known {
		t.Error("the notification came first")
	}
	for _, want := range []string{`"result":1`, `"method":"then"`} {
		if line := <-p.lines; !strings.Contains(line, want) {
			t.Errorf("it sends %s, want %s", line, want)
		}
	}
}

// The peer hears that a question is withdrawn.
func TestAQuestionIsWithdrawn(t *testing.T) {
	p := connect(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := p.conn.Ask(ctx, "question", nil)
		ended <- err
	}()
	<-p.lines
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if line := <-p.lines; !strings.Contains(line, `"method":"$/cancel_request","params":{"requestId":1}`) {
		t.Errorf("it sends %s", line)
	}
}
