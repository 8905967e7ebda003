package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// shape is an answer of a provider, and what it means to the user.
type shape struct {
	by, name string
	status   int    // 0: 200
	after    string // the header Retry-After
	body     string // as it is sent

	text, thought string
	calls         string     // name and arguments of each call, one a line
	finish        string     // "": stop, or tool_calls if there are calls
	kind          model.Kind // of the error; "" for none
	says          string     // in the error's sentence
	again         bool       // the request is sent again, unchanged
	other         string     // the request is sent again without what was refused, and has this in it
	back          string     // in the next request
}

// stream is a stream of events with these payloads.
func stream(payloads ...string) string {
	var b strings.Builder
	for _, p := range payloads {
		b.WriteString("data: " + p + "\n\n")
	}
	return b.String()
}

const done = "[DONE]"

// TestShapes checks what becomes of answers in the forms that providers give them: as they are
// documented, and as they were reported.
func TestShapes(t *testing.T) {
	all := [][]shape{openAIShapes, azureShapes, anthropicShapes, geminiShapes, openRouterShapes, ollamaShapes, llamaShapes, vLLMShapes, studioShapes,
		deepSeekShapes, mistralShapes, groqShapes, otherShapes}
	n := 0
	seen := map[string]bool{}
	for _, group := range all {
		for _, s := range group {
			name := s.by + "/" + s.name
			if n++; seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
			t.Run(name, func(t *testing.T) { synctest.Test(t, s.check) })
		}
	}
	if n < 120 {
		t.Errorf("%d shapes", n)
	}
}

func (s shape) check(t *testing.T) {
	given := modeltest.Reply{Status: s.status, Body: s.body, Finish: modeltest.FinishNone, Parts: []modeltest.Part{modeltest.Raw(s.body)}}
	if s.after != "" {
		given.Header = http.Header{"Retry-After": {s.after}}
	}
	ok := modeltest.Stream(modeltest.Text("Done."))
	server := modeltest.New(given)
	switch {
	case s.again && s.text == "": // for ever, until it is given up
		server = always(given)
	case s.other != "" || s.back != "":
		server.Add(ok)
	}
	p := inProcess(server)
	reply, err := p.Complete(t.Context(), working(), nil)
	sent := server.Requests()
	if s.other != "" {
		if err != nil || reply.Text != "Done." || len(sent) != 2 || strings.Contains(string(sent[0].Body), s.other) || !strings.Contains(string(sent[1].Body), s.other) {
			t.Errorf("got %+v, %v; sent %d times, last %s", reply, err, len(sent), sent[len(sent)-1].Body)
		}
		return
	}
	if (len(sent) > 1) != s.again {
		t.Errorf("sent %d times", len(sent))
	}
	var calls []string
	for _, c := range reply.Calls {
		calls = append(calls, c.Name+" "+c.Arguments)
	}
	if got := strings.Join(calls, "\n"); reply.Text != s.text || reply.Thought != s.thought || got != s.calls {
		t.Errorf("got %q, thought %q, called %q; want %q, %q, %q", reply.Text, reply.Thought, got, s.text, s.thought, s.calls)
	}
	if s.kind != "" {
		if e := wantKind(t, err, s.kind); !strings.Contains(e.Error(), s.says) {
			t.Errorf("the error is\n%s\nwant in it\n%s", e, s.says)
		}
		if reply.Finish != "" {
			t.Errorf("a failed reply has finish %q", reply.Finish)
		}
		return
	}
	finish := s.finish
	if finish == "" {
		finish = "stop"
		if s.calls != "" {
			finish = "tool_calls"
		}
	}
	if err != nil || reply.Finish != finish {
		t.Errorf("finish %q, %v; want %q", reply.Finish, err, finish)
	}
	if s.back != "" {
		s.checkBack(t, server, p, reply)
	}
}

// checkBack sends the reply back.
func (s shape) checkBack(t *testing.T, server *modeltest.Server, p model.Provider, reply model.Reply) {
	said := model.Message{Role: model.RoleAssistant, Content: reply.Text, Calls: reply.Calls, Thought: reply.Thought, Extra: reply.Extra}
	messages := append(working().Messages, said)
	for _, c := range reply.Calls {
		messages = append(messages, model.Message{Role: model.RoleTool, CallID: c.ID, Content: "result"})
	}
	if _, err := p.Complete(t.Context(), model.Request{Messages: messages}, nil); err != nil {
		t.Fatal(err)
	}
	if body := string(server.Requests()[1].Body); strings.Count(body, s.back) != 1 {
		t.Errorf("sent back:\n%s\nwant in it once\n%s", body, s.back)
	}
}

// said is a chunk with text, as most providers send it.
func said(text string) string {
	return fmt.Sprintf(`{"id":"c-1","object":"chat.completion.chunk","created":1764240000,"model":"m","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text)
}

// ended is a chunk with a finish reason.
func ended(reason string) string {
	return fmt.Sprintf(`{"id":"c-1","object":"chat.completion.chunk","created":1764240000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

// calling is a chunk with fragments of calls.
func calling(fragments string) string {
	return `{"id":"c-1","object":"chat.completion.chunk","created":1764240000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[` + fragments + `]},"finish_reason":null}]}`
}

// TestSpoiltShapesProperty checks that no answer makes the client fail in another way than with an
// error: the answers above, with pieces taken out and others put in.
func TestSpoiltShapesProperty(t *testing.T) {
	all := slices.Concat(openAIShapes, azureShapes, anthropicShapes, geminiShapes, openRouterShapes, ollamaShapes, llamaShapes, vLLMShapes, studioShapes,
		deepSeekShapes, mistralShapes, groqShapes, otherShapes)
	pieces := []string{"null", "{}", "[]", `"x"`, "-1", "1e99", "true", `"error":{"code":[1]},`, `"error":"x",`, `"id":{},`, `"index":{},`, `"type":[],`, `"raw":"{\"error\":{\"metadata\":{\"raw\":\"x\"}}}"`,
		"\n", "\n\n", "data: ", "event: error\n", "error: {}\n", "<|message|>", "<|channel|>", "<think>", "{", "}", "\"", "\\"}
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.SampledFrom(all).Draw(rt, "shape")
		body := s.body
		for range rapid.IntRange(1, 4).Draw(rt, "changes") {
			from := rapid.IntRange(0, len(body)).Draw(rt, "from")
			to := min(len(body), from+rapid.SampledFrom([]int{0, 0, 1, 2, 5, 20, 100}).Draw(rt, "less"))
			body = body[:from] + rapid.SampledFrom(pieces).Draw(rt, "more") + body[to:]
		}
		given := modeltest.Reply{Status: s.status, Body: body, Finish: modeltest.FinishNone, Parts: []modeltest.Part{modeltest.Raw(body)}}
		p := model.New(model.Config{BaseURL: modeltest.BaseURL, APIKey: testKey, Name: "test-model", Transport: always(given), GiveUp: time.Nanosecond})
		var events []model.Event
		reply, err := p.Complete(t.Context(), working(), func(e model.Event) { events = append(events, e) })
		if (err == nil) != (reply.Finish != "") {
			rt.Errorf("finish %q, %v", reply.Finish, err)
		}
		if _, ok := errors.AsType[*model.Error](err); err != nil && !ok {
			rt.Errorf("the error is %v", err)
		}
		checkEvents(rt, events, reply)
		back := []model.Message{{Role: model.RoleAssistant, Content: reply.Text, Calls: reply.Calls, Extra: reply.Extra}}
		server := modeltest.New(modeltest.Stream(modeltest.Text("ok")))
		if _, err := inProcess(server).Complete(t.Context(), model.Request{Messages: back}, nil); err != nil {
			rt.Errorf("sent back: %v", err)
			return
		}
		for _, c := range server.Requests()[0].Messages[0].Calls {
			if !strings.HasPrefix(c.Arguments, "{") || !json.Valid([]byte(c.Arguments)) || c.Name == "" || strings.ContainsAny(c.Name, "<|> .") {
				rt.Errorf("sent back: %+v", c)
			}
		}
	})
}
