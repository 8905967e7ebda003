package acp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/acp"
	"redline/acp/acptest"
	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/model"
	"redline/agent/store"
)

var hostile = flag.Int("hostile", 1000, "how many hostile messages a client sends")

// writer is a model that writes the last number of a request like "normal 7" into normal.txt.
type writer struct{}

func (writer) Info() model.Info { return model.Info{Provider: "script", Name: "writer"} }

func (writer) Complete(_ context.Context, r model.Request, _ func(model.Event)) (model.Reply, error) {
	last := r.Messages[len(r.Messages)-1]
	_, number, ok := strings.Cut(last.Content, "normal ")
	if last.Role != model.RoleUser || !ok || len(r.Tools) == 0 {
		return model.Reply{Text: "Done.", Finish: "stop"}, nil
	}
	number, _, _ = strings.Cut(number, "\n")
	c := agenttest.Call("write_file", map[string]any{"path": "normal.txt", "content": number + "\n"})
	c.ID = "a"
	return model.Reply{Calls: []model.Call{c}, Finish: "tool_calls"}, nil
}

// raw is a client that writes lines.
type raw struct {
	t     *testing.T
	conn  net.Conn
	lines chan map[string]any

	permission func(id any, session string) // answers a permission request
}

// rawClient starts a server and connects to it without a client's manners.
func rawClient(t *testing.T, o acp.Options) *raw {
	near, far := net.Pipe()
	c := &raw{t: t, conn: near, lines: make(chan map[string]any, 1<<16)}
	ended := make(chan error, 1)
	go func() { ended <- acp.Serve(context.Background(), far, o) }()
	go func() {
		defer close(c.lines)
		lines := bufio.NewReader(near)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var m map[string]any
			numbers := json.NewDecoder(bytes.NewReader(line))
			numbers.UseNumber() // an id may be any number
			if err := numbers.Decode(&m); err != nil || m["jsonrpc"] != "2.0" {
				t.Errorf("the server writes %q", line)
			}
			c.lines <- m
		}
	}()
	t.Cleanup(func() {
		near.Close()
		select {
		case <-ended:
		case <-time.After(acptest.Patience):
			t.Error("the server has not ended")
		}
		far.Close()
	})
	return c
}

func (c *raw) write(line string) {
	if _, err := c.conn.Write([]byte(line + "\n")); err != nil {
		c.t.Fatal(err)
	}
}

// until reads messages until one answers a request.
func (c *raw) until(id string) map[string]any {
	c.t.Helper()
	late := time.After(acptest.Patience)
	for {
		select {
		case m, ok := <-c.lines:
			if !ok {
				c.t.Fatal("the server has ended")
			}
			c.asked(m)
			if m["id"] == id && m["method"] == nil {
				return m
			}
		case <-late:
			c.t.Fatalf("no answer to %s", id)
		}
	}
}

// asked answers a permission request.
func (c *raw) asked(m map[string]any) {
	if m["method"] == "session/request_permission" {
		c.permission(m["id"], m["params"].(map[string]any)["sessionId"].(string))
	}
}

// ask sends a request that must succeed.
func (c *raw) ask(id, method string, params any) map[string]any {
	c.t.Helper()
	body, _ := json.Marshal(m{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	c.write(string(body))
	got := c.until(id)
	if got["error"] != nil {
		c.t.Fatalf("%s: %v", method, got["error"])
	}
	result, _ := got["result"].(map[string]any)
	return result
}

// However malformed the messages of a client are, the server answers the next good one, and nothing is
// changed that was not approved.
func TestHostileClient(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.go"), []byte(files["shop.go"]), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := store.New(state)
	t.Cleanup(func() { kept.Close() })
	p := &panel{t: t, dir: dir, state: state}
	p.agents = func(o *agent.Options) { o.Model = writer{} }
	c := rawClient(t, p.options(kept))
	c.ask("i", "initialize", m{"protocolVersion": 1, "clientInfo": m{"name": "hostile", "version": "1"}})
	session := c.ask("s", "session/new", m{"cwd": dir, "mcpServers": []any{}})["sessionId"].(string)
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	mutate := &mutator{rand: rand.New(rand.NewPCG(seed, 1)), inside: dir}
	request := func(id any, method string, params any) string {
		body, _ := json.Marshal(m{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		return string(body)
	}
	answer := func(id any, option string) string {
		body, _ := json.Marshal(m{"jsonrpc": "2.0", "id": id, "result": m{"outcome": m{"outcome": "selected", "optionId": option}}})
		return string(body)
	}
	mutate.bodies = []string{
		request(1, "initialize", m{"protocolVersion": 1, "clientCapabilities": m{"fs": m{"readTextFile": true}}, "clientInfo": m{"name": "x", "version": "1"}}),
		request(2, "session/new", m{"cwd": dir, "mcpServers": []any{m{"name": "x", "command": "y", "args": []any{}, "env": []any{}}}}),
		request(3, "session/load", m{"cwd": dir, "mcpServers": []any{}, "sessionId": session}),
		request(4, "session/resume", m{"cwd": dir, "mcpServers": []any{}, "sessionId": session}),
		request(5, "session/list", m{"cwd": dir, "cursor": "x"}),
		request(6, "session/set_mode", m{"sessionId": session, "modeId": "ask"}),
		request(7, "session/set_config_option", m{"sessionId": session, "configId": "mode", "value": "auto"}),
		request(8, "session/prompt", m{"sessionId": session, "prompt": []any{text("normal 0\n"), m{"type": "resource_link", "name": "shop.go", "uri": "file://" + dir + "/shop.go#L1-2"}}}),
		request(9, "session/prompt", m{"sessionId": session, "prompt": []any{text("/approve 1"), m{"type": "resource", "resource": m{"uri": "file:///x", "text": "y"}}}}),
		request(10, "session/prompt", m{"sessionId": session, "prompt": []any{m{"type": "image", "data": "AA==", "mimeType": "image/png"}}}),
		request(11, "authenticate", m{"methodId": "x"}),
		request(12, "session/close", m{"sessionId": "c00000000"}),
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + session + `"}}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":8}}`,
		answer(1, "approve-file"), answer(99, "approve-rest"), answer("1", "approve-rest"),
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`,
	}
	asked, own := 0, ""
	c.permission = func(id any, session string) {
		if session == own {
			c.write(answer(id, "approve-rest"))
			return
		}
		asked++ // the answer that counts comes too late
		c.write(mutate.changed(strings.Replace(answer(id, "approve-file"), "approve-file", "approve-nothing", mutate.rand.IntN(2))))
		c.write(`{"jsonrpc":"2.0","id":` + fmt.Sprint(id) + `,"result":{"outcome":{"outcome":"cancelled"}}}`)
		c.write(answer(id, "approve-rest"))
	}
	for i := 1; i <= *hostile; i++ {
		c.write(mutate.next())
		for more := true; more; {
			select {
			case m := <-c.lines:
				c.asked(m)
			default:
				more = false
			}
		}
		if i%500 != 0 && i != *hostile {
			continue
		}
		id, number := fmt.Sprintf("n%d", i), fmt.Sprint(i)
		c.ask(id+"m", "session/set_mode", m{"sessionId": session, "modeId": "auto"})
		own = c.ask(id+"s", "session/new", m{"cwd": dir, "mcpServers": []any{}})["sessionId"].(string)
		var got []byte
		for try := range 5 { // what the messages before have begun may change the file meanwhile, so that a plan is stale
			c.ask(fmt.Sprintf("%s-%d", id, try), "session/prompt", m{"sessionId": own, "prompt": []any{text("normal " + number)}})
			if got, _ = os.ReadFile(filepath.Join(dir, "normal.txt")); slices.Contains(strings.Fields(string(got)), number) {
				break
			}
		}
		c.ask(id+"c", "session/close", m{"sessionId": own})
		if !slices.Contains(strings.Fields(string(got)), number) {
			t.Fatalf("after %d messages a normal turn writes %q", i, got)
		}
		for k := range 5 { // undisturbed, so that there are questions
			id := fmt.Sprintf("h%d-%d", i, k)
			c.write(request(id, "session/prompt", m{"sessionId": session, "prompt": []any{text(fmt.Sprintf("/plan normal %d", k))}}))
			c.until(id)
		}
	}
	if asked == 0 {
		t.Error("there was no question to answer")
	}
	if got := p.read("shop.go"); got != files["shop.go"] {
		t.Errorf("shop.go has changed:\n%s", got)
	}
}

// Lines that are no messages are answered where they can be, and the next message is read.
func TestLinesThatAreNoMessages(t *testing.T) {
	kept := store.New(t.TempDir())
	t.Cleanup(func() { kept.Close() })
	p := &panel{t: t, dir: t.TempDir(), state: t.TempDir(), model: &agenttest.Script{}}
	c := rawClient(t, p.options(kept))
	for i, line := range []string{
		``, `x`, `{`, `{}`, `[]`, `null`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"1.0","id":1,"method":"initialize"}`,
		`{"jsonrpc":"2.0","id":{},"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":7}`,
		`{"jsonrpc":"2.0","id":7,"result":{}}`, "\x00\xff", strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","method":"nope"}`,
		`{"jsonrpc":"2.0","id":8,"method":"nope","params":` + strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 501),
		`{"jsonrpc":"2.0","id":9,"method":"initialize","params":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		c.write(line)
		c.ask(fmt.Sprint("i", i), "initialize", m{"protocolVersion": 1})
	}
}

// mutator makes malformed messages from valid ones.
type mutator struct {
	rand   *rand.Rand
	bodies []string
	inside string // the only folder that may be opened
}

// next returns a line.
func (u *mutator) next() string {
	for {
		line := u.changed(u.bodies[u.rand.IntN(len(u.bodies))])
		if line = strings.ReplaceAll(line, "\n", " "); u.harmless(line) {
			return line
		}
	}
}

// harmless reports whether a line opens no folder but that of the test.
func (u *mutator) harmless(line string) bool {
	var p struct {
		Params struct{ Cwd string }
	}
	if json.Unmarshal([]byte(line), &p) != nil {
		return true // it opens nothing
	}
	return p.Params.Cwd == "" || p.Params.Cwd == u.inside || !filepath.IsAbs(p.Params.Cwd)
}

func (u *mutator) changed(line string) string {
	if u.rand.IntN(5) < 3 {
		var v any
		if json.Unmarshal([]byte(line), &v) == nil {
			for range 1 + u.rand.IntN(3) {
				v = u.value(v, 0)
			}
			return written(v)
		}
	}
	return u.bytes(line)
}

// odd are values that no client should send.
var odd = []string{
	`null`, `[]`, `{}`, `""`, `-1`, `4294967296`, `1e400`, `0.5`, `true`, `"\u0000"`, `"\ud800"`, `"../../etc/passwd"`, `"file:///"`, `"%00"`, `[[[[]]]]`, `{"a":{"a":{}}}`,
	`9223372036854775807`, `"` + strings.Repeat("x", 3000) + `"`, strings.Repeat("[", 300) + strings.Repeat("]", 300), `"/approve"`, `"approve-rest"`, `"selected"`, `"text"`,
}

// verbatim is a value that is written as it is.
type verbatim string

// value changes v, or a value inside it.
func (u *mutator) value(v any, depth int) any {
	if depth > 0 && u.rand.IntN(5) == 0 {
		return verbatim(odd[u.rand.IntN(len(odd))])
	}
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 {
			return v
		}
		name := names[u.rand.IntN(len(names))]
		switch u.rand.IntN(8) {
		case 0:
			delete(v, name)
		case 1:
			v[strings.ToUpper(name)] = v[name]
		default:
			v[name] = u.value(v[name], depth+1)
		}
	case []any:
		if len(v) == 0 {
			return v
		}
		i := u.rand.IntN(len(v))
		if u.rand.IntN(5) == 0 {
			return append(v, v[i])
		}
		v[i] = u.value(v[i], depth+1)
	case float64:
		return v + float64(u.rand.IntN(9)-4)
	case string:
		if depth > 1 {
			return u.bytes(v)
		}
	}
	return v
}

// bytes changes a few bytes.
func (u *mutator) bytes(text string) string {
	b := []byte(text)
	for range 1 + u.rand.IntN(4) {
		if len(b) == 0 {
			break
		}
		i := u.rand.IntN(len(b))
		switch u.rand.IntN(4) {
		case 0:
			b[i] ^= 1 << u.rand.IntN(8)
		case 1:
			b = slices.Delete(b, i, min(len(b), i+1+u.rand.IntN(8)))
		case 2:
			b = slices.Insert(b, i, []byte(odd[u.rand.IntN(len(odd))])...)
		default:
			b = b[:i]
		}
	}
	return string(b)
}

// written returns a value as JSON.
func written(v any) string {
	switch v := v.(type) {
	case verbatim:
		return string(v)
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, written(name)+":"+written(v[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, written(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(data)
}
