package outside

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// fake is an agent that speaks ACP over a pipe as its script says.
type fake struct {
	t   *testing.T
	in  *bufio.Reader
	out net.Conn
	got []map[string]any // what it was sent
}

// reads returns the next message that Redline sends; nil at the end.
func (f *fake) reads() map[string]any {
	line, err := f.in.ReadString('\n')
	if err != nil {
		return nil
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		f.t.Errorf("not JSON: %s", line)
	}
	f.got = append(f.got, m)
	return m
}

func (f *fake) says(lines ...string) {
	for _, line := range lines {
		if _, err := io.WriteString(f.out, line+"\n"); err != nil {
			return
		}
	}
}

func (f *fake) answers(m map[string]any, result string) {
	f.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":%s}`, m["id"], result))
}

func (f *fake) updates(update string) {
	f.says(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + update + `}}`)
}

const capable = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}},"authMethods":[{"type":"a kind of tomorrow"}]}`

// begins does what comes before a prompt, and returns the prompt.
func (f *fake) begins() map[string]any {
	f.answers(f.reads(), capable)
	f.answers(f.reads(), `{"sessionId":"s1","modes":7}`)
	return f.reads()
}

// turn has a fake agent do one turn.
func turn(t *testing.T, ctx context.Context, asked Turn, most bounds, agent func(*fake)) (End, *heard, *fake, error) {
	t.Helper()
	ours, theirs := net.Pipe()
	defer ours.Close()
	f := &fake{t: t, in: bufio.NewReaderSize(theirs, 1<<20), out: theirs}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer theirs.Close()
		agent(f)
	}()
	to := &heard{t: t}
	if asked.Dir == "" {
		asked.Dir, asked.Request = "/w", "do it"
	}
	end, err := converse(ctx, ours, Agent{Name: "codex"}, asked, to, most)
	to.over = true
	ours.Close()
	<-ended
	return end, to, f, err
}

// heard is a sink that remembers, a line each.
type heard struct {
	t     *testing.T
	lines []string
	over  bool
}

func (h *heard) add(format string, args ...any) {
	if h.over {
		h.t.Error("the sink was called after the end")
	}
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
}
func (h *heard) Text(text string)    { h.add("text %q", text) }
func (h *heard) Thought(text string) { h.add("thought %q", text) }
func (h *heard) Steps(all []Step)    { h.add("steps %v", all) }
func (h *heard) Tool(t Tool)         { h.add("tool %v", t) }
func (h *heard) Usage(u Usage)       { h.add("usage %v", u) }
func (h *heard) Asked(t Tool, refused string) {
	h.add("asked %s %s: %q", t.Kind, t.Title, refused)
}

// wants are the bounds of tests: small, where a test must reach them.
var wants = bounds{start: 30 * time.Second, cancel: 30 * time.Second, input: 1 << 30, text: 16 << 20, noise: 2000, tools: 20_000, line: 1 << 20}

func TestConverse(t *testing.T) {
	end, to, f, err := turn(t, t.Context(), Turn{}, wants, func(f *fake) {
		p := f.begins()
		f.updates(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`)
		f.updates(`{"sessionUpdate":"plan","entries":[{"content":"one\nstep","priority":"high","status":"in_progress"},{"content":"two","status":"later"}]}`)
		f.updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I look."}}`)
		f.updates(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read\u202e a.go","kind":"read","locations":[{"path":"/w/a.go","line":3}],"content":[{"type":"smell"}],"rawInput":{"x":[1]}}`)
		f.updates(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`)
		f.says(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"not mine"}}}}`)
		f.updates(`{"sessionUpdate":"of_tomorrow","content":{"type":"text","text":"x"}}`)
		f.updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA==","mimeType":"image/png"}}`)
		f.updates(`{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"All "}}`)
		f.updates(`{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"done."}}`)
		f.updates(`{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"Really."}}`)
		f.updates(`{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":0.5,"currency":"USD"}}`)
		f.answers(p, `{"stopReason":"end_turn","usage":{"inputTokens":5,"outputTokens":6,"totalTokens":11,"cachedReadTokens":2}}`)
	})
	want := []string{
		`thought "hm"`, `steps [{one step in_progress} {two pending}]`, `text "I look."`,
		`tool {t read Read⟨U+202E⟩ a.go pending [/w/a.go]}`, `tool {t read Read⟨U+202E⟩ a.go completed [/w/a.go]}`,
		`text "All "`, `text "done."`, `text "\n\nReally."`, `usage {0 0 0 10 0.5 USD}`, `usage {5 6 2 11 0.5 USD}`,
	}
	if err != nil || !slices.Equal(to.lines, want) {
		t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(to.lines, "\n"), strings.Join(want, "\n"))
	}
	if got := fmt.Sprintf("%+v", end); got != fmt.Sprintf("%+v", End{Message: "All done.\n\nReally.", Session: "s1", Usage: Usage{5, 6, 2, 11, 0.5, "USD"}}) {
		t.Error(got)
	}
	sent, _ := json.Marshal(f.got)
	for _, want := range []string{`"clientCapabilities":{"auth":{},"fs":{}},`, `"params":{"cwd":"/w","mcpServers":[]}`, `"prompt":[{"text":"do it","type":"text"}]`} {
		if !strings.Contains(string(sent), want) {
			t.Errorf("%s was not sent: %s", want, sent)
		}
	}
}

// A session continues if the agent can and still has it; its history is not the answer.
func TestConverseContinues(t *testing.T) {
	asked := Turn{Dir: "/w", Session: "s1", Request: "all of it", Again: "go on"}
	for _, c := range []struct{ name, can, answer, methods, text string }{
		{"resume", capable, `"result":{}`, "initialize session/resume session/prompt", "go on"},
		{"load", `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`, `"result":null`, "initialize session/load session/prompt", "go on"},
		{"gone", capable, `"error":{"code":-32602,"message":"no such session"}`, "initialize session/resume session/new session/prompt", "all of it"},
		{"cannot", `{"protocolVersion":1}`, "", "initialize session/new session/prompt", "all of it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			end, to, f, err := turn(t, t.Context(), asked, wants, func(f *fake) {
				f.answers(f.reads(), c.can)
				m := f.reads()
				if c.answer != "" {
					f.updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"history"}}`)
					f.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,%s}`, m["id"], c.answer))
					m = f.reads()
				}
				if m["method"] == "session/new" {
					f.answers(m, `{"sessionId":"s1"}`)
					m = f.reads()
				}
				f.answers(m, `{"stopReason":"end_turn"}`)
			})
			var methods []string
			for _, m := range f.got {
				methods = append(methods, m["method"].(string))
			}
			last, _ := json.Marshal(f.got[len(f.got)-1])
			if err != nil || len(to.lines) > 0 || strings.Join(methods, " ") != c.methods || !strings.Contains(string(last), c.text) {
				t.Errorf("%v %q %q %s", err, to.lines, methods, last)
			}
			if (end.Session == "s1") != (c.name != "cannot") {
				t.Errorf("the session to continue is %q", end.Session)
			}
		})
	}
}

func TestPermissions(t *testing.T) {
	const usual = `[{"optionId":"y!","name":"Always","kind":"allow_always"},{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	yes := func(context.Context, string, []string) (int, error) { return 0, nil }
	no := func(context.Context, string, []string) (int, error) { return -1, nil }
	for _, c := range []struct {
		name, call, options string
		ask                 func(context.Context, string, []string) (int, error)
		want                string // the answer's outcome or error
		refused             int
	}{
		{"edit", `{"toolCallId":"p","kind":"edit","title":"x"}`, usual, nil, `selected y`, 0},
		{"execute", `{"toolCallId":"p","kind":"execute","title":"x"}`, usual, no, `selected y`, 0},
		{"the kind that was announced", `{"toolCallId":"r"}`, usual, nil, `selected y`, 0},
		{"a kind that was stricter", `{"toolCallId":"f","kind":"read"}`, usual, nil, `selected n`, 1},
		{"fetch", `{"toolCallId":"p","kind":"fetch","title":"x"}`, usual, nil, `selected n`, 1},
		{"fetch, allowed", `{"toolCallId":"p","kind":"fetch","title":"x"}`, usual, yes, `selected y`, 0},
		{"fetch, refused", `{"toolCallId":"p","kind":"fetch","title":"x"}`, usual, no, `selected n`, 1},
		{"other", `{"toolCallId":"p","kind":"other","title":"x"}`, usual, nil, `selected n`, 1},
		{"of tomorrow", `{"toolCallId":"p","kind":"of_tomorrow","title":"x"}`, usual, nil, `selected n`, 1},
		{"no kind", `{"toolCallId":"p","title":"x"}`, usual, nil, `selected n`, 1},
		{"no way to allow once", `{"toolCallId":"p","kind":"edit"}`, `[{"optionId":"a","name":"A","kind":"allow_always"},{"optionId":"n","name":"N","kind":"reject_always"}]`, nil, `selected n`, 1},
		{"one id for two options", `{"toolCallId":"p","kind":"edit"}`, `[{"optionId":"a","name":"A","kind":"allow_once"},{"optionId":"a","name":"N","kind":"reject_once"}]`, nil, `cancelled `, 1},
		{"an option of an unknown kind", `{"toolCallId":"p","kind":"edit"}`, `[{"optionId":"a","name":"A","kind":"allow"}]`, nil, `cancelled `, 1},
		{"no options", `{"toolCallId":"p","kind":"edit"}`, `[]`, nil, `cancelled `, 1},
		{"an option without an id", `{"toolCallId":"p","kind":"edit"}`, `[{"name":"A","kind":"allow_once"}]`, nil, `-32602`, 0},
		{"options that are none", `{"toolCallId":"p","kind":"edit"}`, `{}`, nil, `-32602`, 0},
		{"no tool call", `{"kind":"edit"}`, usual, nil, `-32602`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var answer map[string]any
			end, _, _, err := turn(t, t.Context(), Turn{Dir: "/w", Ask: c.ask}, wants, func(f *fake) {
				p := f.begins()
				f.updates(`{"sessionUpdate":"tool_call","toolCallId":"r","title":"x","kind":"read"}`)
				f.updates(`{"sessionUpdate":"tool_call","toolCallId":"f","title":"x","kind":"fetch"}`)
				f.says(`{"jsonrpc":"2.0","id":"ask","method":"session/request_permission","params":{"sessionId":"s1","toolCall":` + c.call + `,"options":` + c.options + `}}`)
				answer = f.reads()
				f.says(`{"jsonrpc":"2.0","id":"else","method":"session/request_permission","params":{"sessionId":"s2","toolCall":` + c.call + `,"options":` + c.options + `}}`)
				if other := f.reads(); other["error"] == nil {
					t.Errorf("a permission of another session: %v", other)
				}
				f.answers(p, `{"stopReason":"end_turn"}`)
			})
			got := ""
			if result, ok := answer["result"].(map[string]any); ok {
				outcome := result["outcome"].(map[string]any)
				id, _ := outcome["optionId"].(string)
				got = outcome["outcome"].(string) + " " + id
			} else if e, ok := answer["error"].(map[string]any); ok {
				got = fmt.Sprint(e["code"])
			}
			if err != nil || got != c.want || len(end.Refused) != c.refused {
				t.Errorf("%v: %v, want %s; refused %q", err, got, c.want, end.Refused)
			}
		})
	}
}

// Whatever goes wrong ends the turn with a sentence about it.
func TestConverseFails(t *testing.T) {
	small := bounds{start: 200 * time.Millisecond, cancel: time.Second, input: 8 << 20, text: 1 << 20, noise: 100, tools: 100, line: 1 << 20}
	flood := func(line string) func(*fake) {
		return func(f *fake) {
			f.begins()
			for range 1_000_000 {
				if _, err := io.WriteString(f.out, line+"\n"); err != nil {
					return
				}
			}
		}
	}
	update := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}`
	for _, c := range []struct {
		name  string
		agent func(*fake)
		want  string
	}{
		{"ends at once", func(*fake) {}, "it ended before it answered initialize"},
		{"ends while it works", func(f *fake) { f.begins() }, "it ended before it answered session/prompt"},
		{"never answers", func(f *fake) {
			for f.reads() != nil {
			}
		}, "it did not answer initialize within 200ms"},
		{"another protocol", func(f *fake) { f.answers(f.reads(), `{"protocolVersion":2}`) }, "it speaks version 2 of the Agent Client Protocol, and Redline version 1"},
		{"nonsense", func(f *fake) { f.answers(f.reads(), `"hello"`) }, "its answer to initialize cannot be used: it is not an object"},
		{"no session", func(f *fake) { f.answers(f.reads(), capable); f.answers(f.reads(), `{}`) }, "its answer to session/new cannot be used: sessionId is missing"},
		{"not signed in", func(f *fake) {
			f.answers(f.reads(), capable)
			f.reads()
			f.says(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}`)
		}, "it is not signed in"},
		{"an error", func(f *fake) {
			p := f.begins()
			f.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"error":{"code":-32603,"message":"Internal error","data":{"details":"no\nmodel\u001b[31m"}}}`, p["id"]))
		}, `it answered session/prompt with an error: Internal error: no model⟨U+001B⟩[31m`},
		{"a strange end", func(f *fake) { f.answers(f.begins(), `{}`) }, "its answer to session/prompt cannot be used: stopReason is missing"},
		{"a long line", func(f *fake) { f.begins(); f.says(strings.Repeat("x", 2<<20)) }, "it sent a line of more than 64 MiB"},
		{"noise", flood("Debugger attached."), "it keeps writing what is not the Agent Client Protocol to its standard output"},
		{"a flood of text", flood(fmt.Sprintf(update, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+strings.Repeat("x", 1000)+`"}}`)), "it wrote more than 16 MiB of text in one turn"},
		{"a flood of tools", func(f *fake) {
			f.begins()
			for i := range 200 {
				f.updates(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"x"}`, i))
			}
			f.reads()
		}, "it called more than 20000 tools in one turn"},
		{"a flood of anything", flood(fmt.Sprintf(update, `{"sessionUpdate":"of_tomorrow"}`)), "it sent more than 1 GiB in one turn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, _, err := turn(t, t.Context(), Turn{}, small, c.agent)
			if err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func TestConverseStops(t *testing.T) {
	for reason, want := range map[string]string{
		"end_turn": "", "max_tokens": "It reached its limit of tokens.", "refusal": "It refused to continue.",
		"cancelled": "It cancelled the turn by itself.", "of\ntomorrow": `It stopped for a reason that Redline does not know: "of tomorrow".`,
	} {
		end, _, _, err := turn(t, t.Context(), Turn{}, wants, func(f *fake) {
			text, _ := json.Marshal(reason)
			f.answers(f.begins(), fmt.Sprintf(`{"stopReason":%s}`, text))
		})
		if err != nil || end.Stopped != want {
			t.Errorf("%s: %v %q", reason, err, end.Stopped)
		}
	}
}

// A turn that is cancelled tells the agent so, takes back what it asks, and waits for a bounded time.
func TestConverseCancelled(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers bool
		most    time.Duration
	}{{"and answered", true, 30 * time.Second}, {"and not answered", false, 100 * time.Millisecond}} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			most := wants
			most.cancel = c.most
			asked := Turn{Dir: "/w", Ask: func(ctx context.Context, _ string, _ []string) (int, error) {
				cancel()
				<-ctx.Done()
				return -1, ctx.Err()
			}}
			end, _, f, err := turn(t, ctx, asked, most, func(f *fake) {
				p := f.begins()
				f.updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"so far"}}`)
				f.says(`{"jsonrpc":"2.0","id":"ask","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t","kind":"fetch"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"},{"optionId":"n","name":"N","kind":"reject_once"}]}}`)
				f.reads()
				f.reads()
				if c.answers {
					f.answers(p, `{"stopReason":"cancelled"}`)
				} else {
					f.reads()
				}
			})
			sent, _ := json.Marshal(f.got[3:])
			if !errors.Is(err, context.Canceled) || end.Message != "so far" || end.Session != "s1" || !strings.Contains(string(sent), `"method":"session/cancel","params":{"sessionId":"s1"}`) || !strings.Contains(string(sent), `{"outcome":{"outcome":"cancelled"}}`) {
				t.Errorf("%v %+v %s", err, end, sent)
			}
		})
	}
}

// 10,000 damaged messages do no harm: after each 500 the turn ends as it should.
func TestConverseOutlivesDamage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	seeds := []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"read","status":"pending","locations":[{"path":"/a","line":1}]}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1,"currency":"USD"}}}}`,
		`{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s1","options":[{"optionId":"a","name":"A","kind":"allow_once"}],"toolCall":{"toolCallId":"u","kind":"fetch","title":"x"}}}`,
		`{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s1","path":"/etc/passwd","content":"x"}}`,
		`{"jsonrpc":"2.0","id":99,"result":{"stopReason":"end_turn"}}`,
	}
	for range 20 {
		end, _, _, err := turn(t, t.Context(), Turn{}, wants, func(f *fake) {
			p := f.begins()
			go func() {
				for f.reads() != nil {
				}
			}()
			for range 500 {
				seed := []byte(seeds[random.IntN(len(seeds))])
				for range 1 + random.IntN(4) {
					at := random.IntN(len(seed))
					switch random.IntN(3) {
					case 0:
						seed[at] = byte(random.IntN(256))
					case 1:
						seed = append(seed[:at:at], seed[min(len(seed)-1, at+random.IntN(20)):]...)
					case 2:
						seed = append(seed[:at:at], append([]byte(`"]}{[,:0null`)[random.IntN(10):], seed[at:]...)...)
					}
				}
				if strings.Contains(string(seed), fmt.Sprintf(`"id":%v,"result"`, p["id"])) {
					continue // that would end the turn
				}
				f.says(string(seed))
			}
			f.updates(`{"sessionUpdate":"tool_call","toolCallId":"last","title":"x"}`)
			f.updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"done"}}`)
			f.answers(p, `{"stopReason":"end_turn"}`)
		})
		if err != nil || end.Message != "done" || end.Stopped != "" {
			t.Fatalf("%v %+v", err, end)
		}
	}
}
