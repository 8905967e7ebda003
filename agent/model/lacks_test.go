package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// working is a request in the middle of a turn, with everything that a model may not support.
func working() model.Request {
	half := 0.5
	return model.Request{
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: "You plan."},
			{Role: model.RoleUser, Content: "Change a."},
			{Role: model.RoleAssistant, Content: "I look.", Thought: "Hm.", Calls: []model.Call{called("1", "read_file", `{"path":"a"}`), called("2", "search", `{}`)}},
			{Role: model.RoleTool, CallID: "1", Content: "the text"},
			{Role: model.RoleTool, CallID: "2", Content: "nothing"},
		},
		Tools:       []model.Tool{{Name: "read_file", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "search"}},
		Temperature: &half, MaxTokens: 9,
		Schema: &model.Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object"}`)},
	}
}

// bodyOf is a request as it was sent.
func bodyOf(t *testing.T, r modeltest.Request) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

// What servers answer to a request that their model does not support, and how the request is sent
// then.
func TestARefusalIsLearnedFrom(t *testing.T) {
	noTools := func(t *testing.T, body map[string]any) {
		if body["tools"] != nil || strings.Contains(fmt.Sprint(body["messages"]), "tool_calls") {
			t.Errorf("tools are still in the request: %v", body)
		}
	}
	tests := []struct {
		name   string
		status int
		says   string
		check  func(t *testing.T, body map[string]any)
		notice string
	}{
		{"Ollama", 400, `{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools","type":"api_error"}}`, noTools, "takes no tools"},
		{"vLLM", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`, noTools, "takes no tools"},
		{"llama.cpp without --jinja", 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, noTools, "takes no tools"},
		{"old llama.cpp", 500, `{"error":{"code":500,"message":"Unsupported param: tools"}}`, noTools, "takes no tools"},
		{"OpenRouter", 404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs","code":404}}`, noTools, "takes no tools"},
		{"Groq", 400, "{\"error\":{\"message\":\"`tool calling` is not supported with this model\"}}", noTools, "takes no tools"},
		{"OpenAI, argument", 400, `{"error":{"message":"Unrecognized request argument supplied: tools"}}`, noTools, "takes no tools"},
		{"system role", 500, `{"error":{"message":"System role not supported"}}`, func(t *testing.T, body map[string]any) {
			first := body["messages"].([]any)[0].(map[string]any)
			if first["role"] != "user" || first["content"] != "You plan.\n\nChange a." {
				t.Errorf("the first message is %v", first)
			}
		}, ""},
		{"developer instruction", 400, `[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]`, nil, ""},
		{"system value", 400, `{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model."}}`, nil, ""},
		{"alternation", 400, `{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}`, nil, ""},
		{"stream_options", 400, `{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`, func(t *testing.T, body map[string]any) {
			if body["stream_options"] != nil || body["stream"] != true {
				t.Errorf("got %v", body)
			}
		}, ""},
		{"limit", 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`, func(t *testing.T, body map[string]any) {
			if body["max_tokens"] != nil || body["max_completion_tokens"] != 9.0 {
				t.Errorf("got %v", body)
			}
		}, ""},
		{"temperature", 400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported."}}`, func(t *testing.T, body map[string]any) {
			if body["temperature"] != nil {
				t.Errorf("got %v", body)
			}
		}, "takes no temperature"},
		{"thoughts", 400, "{\"error\":{\"message\":\"Missing `reasoning_content` field in the assistant message at message index 2\"}}", func(t *testing.T, body map[string]any) {
			if got := body["messages"].([]any)[2].(map[string]any)["reasoning_content"]; got != "Hm." {
				t.Errorf("the thought is sent back as %v", got)
			}
		}, ""},
		{"schema", 400, `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."}}`, func(t *testing.T, body map[string]any) {
			if body["response_format"] != nil {
				t.Errorf("got %v", body)
			}
		}, ""},
		{"DeepSeek's schema", 400, `{"error":{"message":"This response_format type is unavailable now"}}`, nil, ""},
		{"streaming", 400, `{"error":{"message":"Your organization must be verified to stream this model.","param":"stream","code":"unsupported_value"}}`, func(t *testing.T, body map[string]any) {
			if body["stream"] != false || body["stream_options"] != nil {
				t.Errorf("got %v", body)
			}
		}, "does not stream"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ok := modeltest.Stream(modeltest.Text("Done."))
				server := modeltest.New(modeltest.Fail(test.status, test.says), ok, ok)
				p := inProcess(server)
				var notices []string
				for range 2 { // the second time it is known
					reply, err := p.Complete(t.Context(), working(), func(e model.Event) {
						if e.Notice != "" {
							notices = append(notices, e.Notice)
						}
					})
					if err != nil || reply.Text != "Done." {
						t.Fatalf("got %+v, %v", reply, err)
					}
				}
				sent := server.Requests()
				if len(sent) != 3 {
					t.Fatalf("asked %d times, want a refusal and two replies", len(sent))
				}
				for _, r := range sent[1:] {
					if body := bodyOf(t, r); test.check != nil {
						test.check(t, body)
					}
				}
				if told := strings.Join(notices, "\n"); test.notice == "" && told != "" || !strings.Contains(told, test.notice) || len(notices) > 1 {
					t.Errorf("the user is told %q, want %q", notices, test.notice)
				}
			})
		})
	}
}

// A model can lack several features. A model that lacks none of those that a refusal names is not
// asked for ever.
func TestSeveralRefusals(t *testing.T) {
	tools := modeltest.Fail(400, `{"error":{"message":"this model does not support tools"}}`)
	system := modeltest.Fail(400, `{"error":{"message":"System role not supported"}}`)
	server := modeltest.New(tools, system, modeltest.Stream(modeltest.Text("Done.")), tools)
	p := inProcess(server)
	reply, err := p.Complete(t.Context(), working(), nil)
	if err != nil || !reply.ToolsInText {
		t.Fatalf("got %+v, %v", reply, err)
	}
	_, err = p.Complete(t.Context(), working(), nil)
	wantKind(t, err, model.KindRejected)
}

// Mistral wants a reply between the results of tools and the next message of the user, and ids of
// nine letters or digits.
func TestMistralsHistory(t *testing.T) {
	order := modeltest.Fail(400, `{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","param":null,"code":"3230"}`)
	ids := modeltest.Fail(400, `{"object":"error","message":"Tool call id was written1_1 but must be a-z, A-Z, 0-9, with a length of 9.","code":"3280"}`)
	server := modeltest.New(order, ids, modeltest.Stream(modeltest.Text("Done.")))
	req := model.Request{Messages: []model.Message{
		{Role: model.RoleUser, Content: "u"},
		{Role: model.RoleAssistant, Calls: []model.Call{called("written1_1", "search", `{}`), called("b", "search", `{}`)}},
		{Role: model.RoleTool, CallID: "written1_1", Content: "one"},
		{Role: model.RoleTool, CallID: "b", Content: "two"},
		{Role: model.RoleUser, Content: "go on"},
		{Role: model.RoleAssistant, Calls: []model.Call{called("written1_1", "search", `{}`)}},
		{Role: model.RoleTool, CallID: "written1_1", Content: "three"},
	}}
	if reply, err := inProcess(server).Complete(t.Context(), req, nil); err != nil || reply.Text != "Done." {
		t.Fatalf("got %+v, %v", reply, err)
	}
	var got []string
	for _, m := range server.Requests()[2].Messages {
		line := m.Role + " " + m.CallID
		for _, c := range m.Calls {
			line += c.ID + " "
		}
		got = append(got, strings.TrimSpace(line))
	}
	want := []string{"user", "assistant 000000001 000000002", "tool 000000001", "tool 000000002", "assistant", "user", "assistant 000000003", "tool 000000003"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if req.Messages[1].Calls[0].ID != "written1_1" {
		t.Error("the caller's messages were changed")
	}
}

// A feature that the user has set is neither tested nor dropped.
func TestCapabilitiesThatAreSet(t *testing.T) {
	ask := func(c model.Config, replies ...modeltest.Reply) (*modeltest.Server, model.Reply, error) {
		server := modeltest.New(replies...)
		c.BaseURL, c.Name, c.Transport = modeltest.BaseURL, "m", server
		reply, err := model.New(c).Complete(t.Context(), working(), nil)
		return server, reply, err
	}
	whole := modeltest.Stream(modeltest.Raw(`{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"[]"}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`))
	whole.Finish = modeltest.FinishNone
	server, reply, err := ask(model.Config{Tools: model.TakesOff, Stream: model.TakesOff, System: model.TakesOff}, whole)
	if err != nil || reply.Text != "[]" || !reply.ToolsInText || reply.Usage.Prompt != 3 {
		t.Fatalf("got %+v, %v", reply, err)
	}
	body := bodyOf(t, server.Requests()[0])
	if body["tools"] != nil || body["stream"] != false {
		t.Errorf("sent %v", body)
	}
	got := server.Requests()[0].Messages
	var roles []string
	for _, m := range got {
		roles = append(roles, m.Role)
	}
	if diff := cmp.Diff([]string{"user", "assistant", "user"}, roles); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	for i, want := range []string{
		"## read_file\nReads.\n{\"type\":\"object\"}",
		`I look.` + "\n\n```json\n" + `[{"action":"tool","tool":"read_file","args":{"path":"a"}},{"action":"tool","tool":"search","args":{}}]`,
		"Result of read_file:\nthe text\n\nResult of search:\nnothing",
	} {
		if !strings.Contains(got[i].Content, want) {
			t.Errorf("message %d is\n%s\nwant in it\n%s", i, got[i].Content, want)
		}
	}

	_, _, err = ask(model.Config{Tools: model.TakesOn}, modeltest.Fail(400, `{"error":"m does not support tools"}`))
	wantKind(t, err, model.KindRejected)
}

// Refusals for any other reason are returned unchanged.
func TestOtherRefusals(t *testing.T) {
	for _, says := range []string{
		"Invalid 'tools[0].function.parameters': schema must be an object.",
		"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
		"Missing required parameter: 'messages[3].tool_call_id'.",
		"The model `gpt-9` does not exist or you do not have access to it.",
		"Request too large for the system.",
		"upstream error while streaming the reply",
	} {
		server := modeltest.New(modeltest.Fail(400, fmt.Sprintf(`{"error":{"message":%q}}`, says)))
		_, err := inProcess(server).Complete(t.Context(), working(), nil)
		wantKind(t, err, model.KindRejected)
		if n := len(server.Requests()); n != 1 {
			t.Errorf("%s: asked %d times", says, n)
		}
	}
}

// A server that answers a request for a stream with a whole reply is understood.
func TestWholeReply(t *testing.T) {
	for _, indent := range []string{"", "  "} {
		var doc any
		if err := json.Unmarshal([]byte(`{"id":"x","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"I do.",
			"reasoning":"Because.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},
			{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}}],"usage":{"prompt_tokens":7,"completion_tokens":5,"cost":0.25}}`), &doc); err != nil {
			t.Fatal(err)
		}
		body, err := json.MarshalIndent(doc, "", indent)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := inProcess(modeltest.New(raw(string(body)))).Complete(t.Context(), hello(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := model.Reply{
			Text: "I do.", Thought: "Because.", Finish: "tool_calls", Calls: []model.Call{called("a", "f", `{"a":1}`), called("b", "f", "{}")},
			Usage: model.Usage{Prompt: 7, Completion: 5, Cost: 0.25},
		}
		if diff := cmp.Diff(want, reply); diff != "" {
			t.Errorf("reply (-want +got):\n%s", diff)
		}
	}
	large := `{"choices":[{"finish_reason":"stop","message":{"content":"` + strings.Repeat("0123456789", 1_000_000) + `"}}]}`
	reply, err := inProcess(modeltest.New(raw(large))).Complete(t.Context(), hello(), nil)
	if err != nil || len(reply.Text) != 10_000_000 {
		t.Errorf("of 10 MB came %d, %v", len(reply.Text), err)
	}
}

// A whole reply may take as long as a stream may be idle.
func TestWholeReplyIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: mute{}, Stream: model.TakesOff})
		_, err := p.Complete(context.Background(), hello(), nil)
		e := wantKind(t, err, model.KindTimeout)
		if !strings.Contains(e.Error(), "nothing came for 300 s") {
			t.Errorf("got %v", e)
		}
	})
}
