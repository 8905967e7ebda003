package model_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// inProcess sends a request to a scripted endpoint without a network.
func inProcess(s *modeltest.Server) model.Provider {
	return model.New(model.Config{BaseURL: modeltest.BaseURL, APIKey: testKey, Name: "test-model", Transport: s})
}

const testKey = "sk-test-0123456789abcdef"

// hello is a request that any script answers.
func hello() model.Request {
	return model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: "hello"}}}
}

// raw is a reply whose body is sent unchanged, in one piece.
func raw(body string) modeltest.Reply {
	return modeltest.Reply{Parts: []modeltest.Part{modeltest.Raw(body)}, Finish: modeltest.FinishNone}
}

func TestReply(t *testing.T) {
	server := modeltest.New(modeltest.Stream(
		modeltest.Text("I rename π and 😀 now."),
		modeltest.Call("edit_file", `{"path":"a.go","old_string":"x","new_string":"é😀"}`),
		modeltest.Call("read_file", `{"path":"b.go"}`),
	))
	var events []model.Event
	reply, err := inProcess(server).Complete(t.Context(), hello(), func(e model.Event) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	want := model.Reply{
		Text: "I rename π and 😀 now.",
		Calls: []model.Call{
			{ID: "call_1_0", Name: "edit_file", Arguments: `{"path":"a.go","old_string":"x","new_string":"é😀"}`},
			{ID: "call_1_1", Name: "read_file", Arguments: `{"path":"b.go"}`},
		},
		Finish: "tool_calls",
		Usage:  model.Usage{Prompt: modeltest.UsagePrompt, Completion: modeltest.UsageCompletion},
	}
	if diff := cmp.Diff(want, reply); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
	checkEvents(t, events, reply)
}

// checkEvents compares the events with the reply that they announced.
func checkEvents(t interface{ Errorf(string, ...any) }, events []model.Event, reply model.Reply) {
	var (
		text  strings.Builder
		calls []model.Call
	)
	for _, e := range events {
		text.WriteString(e.Text)
		if e.Call != nil {
			calls = append(calls, *e.Call)
		}
	}
	if text.String() != reply.Text {
		t.Errorf("events say %q, the reply %q", text.String(), reply.Text)
	}
	if diff := cmp.Diff(reply.Calls, calls); diff != "" {
		t.Errorf("calls of the reply and of the events (-reply +events):\n%s", diff)
	}
}

// The endpoint lets the test see that a call is announced before the next one is complete.
func TestCallIsAnnouncedWhenTheNextBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := modeltest.New(modeltest.Stream(
			modeltest.Call("first", `{"a":1}`),
			modeltest.Call("second", `{"b":2}`),
			modeltest.Wait("end"),
		))
		seen := make(chan string, 2)
		done := make(chan error, 1)
		go func() {
			_, err := inProcess(server).Complete(t.Context(), hello(), func(e model.Event) { seen <- e.Call.Name })
			done <- err
		}()
		synctest.Wait()
		if got := <-seen; got != "first" {
			t.Errorf("announced %q first", got)
		}
		select {
		case name := <-seen:
			t.Errorf("%q was announced before it was complete", name)
		default:
		}
		server.Release("end")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := <-seen; got != "second" {
			t.Errorf("announced %q second", got)
		}
	})
}

// numbering is how a provider distinguishes calls.
type numbering struct{ index, id, sameIndex bool }

// fragments writes a reply as a stream, cut wherever the generator chooses.
func fragments(t *rapid.T, reply model.Reply, n numbering) string {
	var b strings.Builder
	send := func(delta map[string]any) {
		data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta}}})
		fmt.Fprintf(&b, "data: %s\n\n", data)
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 400}).Draw(t, "keep-alives") {
			b.WriteString(rapid.SampledFrom([]string{": keep-alive\n", "\r\n", "event: ping\n"}).Draw(t, "filler"))
		}
	}
	send(map[string]any{"role": "assistant", "content": ""})
	for _, piece := range cuts(t, reply.Text) {
		send(map[string]any{"content": piece})
	}
	for i, c := range reply.Calls {
		names, arguments := cuts(t, c.Name), cuts(t, c.Arguments)
		if !n.index || n.sameIndex {
			names = []string{c.Name} // only a name shows that a call begins
		}
		call := func(first bool, name, piece string) {
			function := map[string]any{"arguments": piece}
			if name != "" {
				function["name"] = name
			}
			delta := map[string]any{"function": function}
			switch {
			case n.sameIndex:
				delta["index"] = 0
			case n.index:
				delta["index"] = i
			}
			if n.id && first {
				delta["id"] = c.ID
				delta["type"] = "function"
			}
			send(map[string]any{"tool_calls": []any{delta}})
		}
		if rapid.Bool().Draw(t, "whole") || !n.id && (!n.index || n.sameIndex) {
			call(true, c.Name, arguments[0])
			arguments = arguments[1:]
		} else {
			for j, name := range names {
				call(j == 0, name, "")
			}
		}
		for _, piece := range arguments {
			call(false, "", piece)
		}
	}
	fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", reply.Finish)
	fmt.Fprintf(&b, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\n", reply.Usage.Prompt, reply.Usage.Completion)
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// cuts splits text between characters at places that the generator chooses.
func cuts(t *rapid.T, text string) []string {
	var pieces []string
	runes := []rune(text)
	for len(runes) > 0 {
		n := rapid.IntRange(1, len(runes)).Draw(t, "cut")
		pieces = append(pieces, string(runes[:n]))
		runes = runes[n:]
	}
	return pieces
}

func TestAnyFragmentationGivesTheSameReply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]numbering{
			{index: true, id: true},
			{index: true},
			{id: true},
			{},
			{id: true, index: true, sameIndex: true},
			{index: true, sameIndex: true},
		}).Draw(t, "numbering")
		want := model.Reply{
			Text:   rapid.StringN(0, 30, -1).Draw(t, "text"),
			Finish: "stop",
			Usage:  model.Usage{Prompt: rapid.IntRange(0, 99).Draw(t, "prompt"), Completion: 7},
		}
		for i := range rapid.IntRange(0, 4).Draw(t, "calls") {
			value, _ := json.Marshal(rapid.StringN(0, 20, -1).Draw(t, "value"))
			c := model.Call{
				ID:        fmt.Sprintf("redline_%d", i+1), // the id that is made up where none is sent
				Name:      rapid.SampledFrom([]string{"edit_file", "edit_", "x"}).Draw(t, "name"),
				Arguments: fmt.Sprintf(`{"a":%s,"b":{"c":[%d]}}`, value, i),
			}
			if n.id {
				c.ID = fmt.Sprintf("call-%d", i)
			}
			want.Calls = append(want.Calls, c)
			want.Finish = "tool_calls"
		}
		var events []model.Event
		server := modeltest.New(raw(fragments(t, want, n)))
		got, err := inProcess(server).Complete(t.Context(), hello(), func(e model.Event) { events = append(events, e) })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("reply (-want +got):\n%s", diff)
		}
		checkEvents(t, events, got)
	})
}

func called(id, name, arguments string) model.Call {
	return model.Call{ID: id, Name: name, Arguments: arguments}
}

func TestOddStreams(t *testing.T) {
	const finish = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n"
	call := func(fragment string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + fragment + `]}}]}` + "\n"
	}
	for _, test := range []struct {
		name, body string
		want       []model.Call
	}{
		{
			"interleaved calls",
			call(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}`) +
				call(`{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\""}}`) +
				call(`{"index":0,"function":{"arguments":":1}"}}`) +
				call(`{"index":1,"function":{"arguments":":2}"}}`) + finish,
			[]model.Call{called("a", "f", `{"x":1}`), called("b", "g", `{"y":2}`)},
		},
		{
			"the name in every fragment",
			call(`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`) +
				call(`{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}`) + finish,
			[]model.Call{called("a", "f", `{}`)},
		},
		{
			"one id twice",
			call(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`) +
				call(`{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}`) + finish,
			[]model.Call{called("a", "f", `{}`), called("redline_2", "g", `{}`)},
		},
		{
			"no arguments, no [DONE], no line end",
			call(`{"index":0,"id":"a","function":{"name":"f"}}`) + strings.TrimSpace(finish),
			[]model.Call{called("a", "f", `{}`)},
		},
		{
			"arguments to repair, and some that are not",
			call(`{"index":0,"id":"a","function":{"name":"f","arguments":"{'x': True,}"}}`) +
				call(`{"index":1,"id":"b","function":{"name":"g","arguments":"{\"re\":\"\\d\"}"}}`) + finish,
			[]model.Call{called("a", "f", `{"x": true}`), called("b", "g", `{"re":"\d"}`)},
		},
		{
			"cut at the greatest length: nothing is repaired",
			call(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1"}}`) +
				strings.Replace(finish, "tool_calls", "length", 1),
			[]model.Call{called("a", "f", `{"x":1`)},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			reply, err := inProcess(modeltest.New(raw(test.body))).Complete(t.Context(), hello(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, reply.Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestThousandKeepAlives(t *testing.T) {
	body := strings.Repeat(": keep-alive\n\n", 1000) +
		`data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}` + "\n\n" +
		strings.Repeat("\n", 1000) +
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	reply, err := inProcess(modeltest.New(raw(body))).Complete(t.Context(), hello(), nil)
	if err != nil || reply.Text != "hi" {
		t.Errorf("got %q, %v", reply.Text, err)
	}
}

// recorded returns the bytes of a streamed reply.
func recorded(t testing.TB, reply modeltest.Reply) string {
	t.Helper()
	server := modeltest.New(reply)
	request, err := newPost(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// A truncated reply is never mistaken for a whole one, wherever it was cut and whether the
// connection broke or just ended, and the text before the cut is kept.
func TestCutAtEveryByte(t *testing.T) {
	whole := recorded(t, modeltest.Stream(
		modeltest.Text("Some text π."),
		modeltest.Call("edit_file", `{"path":"a.go"}`),
		modeltest.Call("read_file", `{"path":"b.go"}`),
	))
	finished := strings.Index(whole, `"finish_reason":"tool_calls"`)
	finished += strings.Index(whole[finished:], "\n")
	for _, breaks := range []bool{false, true} {
		for at := range len(whole) + 1 {
			reply := raw(whole[:at])
			if breaks {
				reply.Parts = append(reply.Parts, modeltest.Cut())
			}
			synctest.Test(t, func(t *testing.T) {
				// In the bubble, retries take no time.
				server := modeltest.New(reply, reply, reply, reply, reply, reply, reply, reply, reply, reply,
					reply, reply, reply, reply, reply, reply, reply, reply, reply, reply, reply, reply)
				var events []model.Event
				got, err := inProcess(server).Complete(t.Context(), hello(), func(e model.Event) { events = append(events, e) })
				if (err == nil) != (got.Finish != "") {
					t.Fatalf("cut at %d: finish %q, error %v", at, got.Finish, err)
				}
				if err != nil {
					wantKind(t, err, model.KindBroken)
				}
				if at >= finished && err != nil {
					t.Errorf("cut at %d, behind the finish reason: %v", at, err)
				}
				if at < finished && err == nil {
					t.Errorf("cut at %d, before the finish reason: no error", at)
				}
				checkEvents(t, events, got)
				if started := got.Text != "" || strings.Contains(whole[:at], "edit_file"); started && len(server.Requests()) > 1 {
					t.Errorf("cut at %d: asked again after a part of the reply had come", at)
				}
			})
		}
	}
}

// After the finish reason, the client waits only briefly for the end of the stream.
func TestEndlessTail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := recorded(t, modeltest.Stream(modeltest.Text("hi")))
		finish := strings.LastIndex(whole[:strings.Index(whole, `"usage"`)], "data: ")
		reply := modeltest.Stream(modeltest.Raw(whole[:finish]), modeltest.Wait("never"))
		start := time.Now()
		got, err := inProcess(modeltest.New(reply)).Complete(t.Context(), hello(), nil)
		if err != nil || got.Text != "hi" || got.Finish != "stop" {
			t.Errorf("got %+v, %v", got, err)
		}
		if waited := time.Since(start); waited > 5*time.Second {
			t.Errorf("waited %v for the end", waited)
		}
	})
}
