package modeltest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dialectTests have, by path, a request with a call and its result, and the answer to it: the text
// "hey", then a call of run with {}.
var dialectTests = map[string]struct {
	request string
	answer  string // "" if the client of agent/model reads it in its own tests
}{
	"/v1/chat/completions": {
		request: `{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"do "},{"type":"text","text":"it"}]},
			{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c","content":"fine"}],
			"tools":[{"type":"function","function":{"name":"read"}},{"type":"function","function":{"name":"run"}}]}`,
	},
	"/v1/responses": {
		request: `{"model":"m","input":[{"type":"message","role":"system","content":"be brief"},{"type":"message","role":"user","content":[{"type":"input_text","text":"do "},{"type":"input_text","text":"it"}]},
			{"type":"function_call","call_id":"c","name":"read","arguments":"{\"a\":1}"},{"type":"reasoning"},{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"fine"}]}],
			"tools":[{"type":"function","name":"read"},{"type":"custom","name":"run"}]}`,
		answer: `event: response.created
data: {"response":{"id":"response"},"type":"response.created"}

event: response.output_item.added
data: {"item":{"content":[],"id":"item_1","role":"assistant","type":"message"},"output_index":0,"type":"response.output_item.added"}

event: response.output_text.delta
data: {"content_index":0,"delta":"h","item_id":"item_1","output_index":0,"type":"response.output_text.delta"}

event: response.output_text.delta
data: {"content_index":0,"delta":"e","item_id":"item_1","output_index":0,"type":"response.output_text.delta"}

event: response.output_text.delta
data: {"content_index":0,"delta":"y","item_id":"item_1","output_index":0,"type":"response.output_text.delta"}

event: response.output_item.done
data: {"item":{"content":[{"text":"hey","type":"output_text"}],"id":"item_1","role":"assistant","type":"message"},"output_index":0,"type":"response.output_item.done"}

event: response.output_item.done
data: {"item":{"call_id":"call_1_0","id":"item_2","input":"{}","name":"run","type":"custom_tool_call"},"output_index":1,"type":"response.output_item.done"}

event: response.completed
data: {"response":{"id":"response","output":[{"content":[{"text":"hey","type":"output_text"}],"id":"item_1","role":"assistant","type":"message"},` +
			`{"call_id":"call_1_0","id":"item_2","input":"{}","name":"run","type":"custom_tool_call"}],"usage":{"input_tokens":100,"output_tokens":10,"total_tokens":110}},"type":"response.completed"}

`,
	},
	"/v1/messages": {
		request: `{"model":"m","system":[{"type":"text","text":"be brief"}],"messages":[{"role":"user","content":"do it"},
			{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"read","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"fine"}]}]}],
			"tools":[{"name":"read"},{"name":"run"}]}`,
		answer: `event: message_start
data: {"message":{"content":[],"id":"message_4","model":"m","role":"assistant","stop_reason":null,"type":"message","usage":{"input_tokens":100,"output_tokens":1}},"type":"message_start"}

event: content_block_start
data: {"content_block":{"text":"","type":"text"},"index":0,"type":"content_block_start"}

event: content_block_delta
data: {"delta":{"text":"h","type":"text_delta"},"index":0,"type":"content_block_delta"}

event: content_block_delta
data: {"delta":{"text":"e","type":"text_delta"},"index":0,"type":"content_block_delta"}

event: content_block_delta
data: {"delta":{"text":"y","type":"text_delta"},"index":0,"type":"content_block_delta"}

event: content_block_stop
data: {"index":0,"type":"content_block_stop"}

event: content_block_start
data: {"content_block":{"id":"call_1_0","input":{},"name":"run","type":"tool_use"},"index":1,"type":"content_block_start"}

event: content_block_delta
data: {"delta":{"partial_json":"{","type":"input_json_delta"},"index":1,"type":"content_block_delta"}

event: content_block_delta
data: {"delta":{"partial_json":"}","type":"input_json_delta"},"index":1,"type":"content_block_delta"}

event: content_block_stop
data: {"index":1,"type":"content_block_stop"}

event: message_delta
data: {"delta":{"stop_reason":"tool_use"},"type":"message_delta","usage":{"output_tokens":10}}

event: message_stop
data: {"type":"message_stop"}

`,
	},
	"/v1beta/models/m:streamGenerateContent": {
		request: geminiRequest,
		answer: `data: {"candidates":[{"content":{"parts":[{"text":"h"}],"role":"model"},"index":0}]}

data: {"candidates":[{"content":{"parts":[{"text":"e"}],"role":"model"},"index":0}]}

data: {"candidates":[{"content":{"parts":[{"text":"y"}],"role":"model"},"index":0}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"args":{},"id":"call_1_0","name":"run"}}],"role":"model"},"index":0}]}

data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"candidatesTokenCount":10,"promptTokenCount":100,"totalTokenCount":110}}

`,
	},
	"/v1beta/models/m:generateContent": {
		request: geminiRequest,
		answer: `{"candidates":[{"content":{"parts":[{"text":"h"},{"text":"e"},{"text":"y"},{"functionCall":{"args":{},"id":"call_1_0","name":"run"}},{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],` +
			`"usageMetadata":{"candidatesTokenCount":10,"promptTokenCount":100,"totalTokenCount":110}}
`,
	},
}

const geminiRequest = `{"systemInstruction":{"parts":[{"text":"be brief"}]},"contents":[{"role":"user","parts":[{"text":"do "},{"text":"it"}]},
	{"role":"model","parts":[{"functionCall":{"id":"c","name":"read","args":{"a":1}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c","name":"read","response":{"output":"fine"}}}]}],
	"tools":[{"functionDeclarations":[{"name":"read"},{"name":"run"}]}]}`

// Each protocol is read to the same messages, and written as its clients read it.
func TestDialects(t *testing.T) {
	for path, test := range dialectTests {
		t.Run(path, func(t *testing.T) {
			server := New(Stream(Text("hey"), Call("run", "{}")))
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.test"+path, strings.NewReader(test.request))
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range keyHeaders {
				request.Header.Set(key, "secret")
			}
			response, err := server.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("%d %s, %v", response.StatusCode, answer, err)
			}
			got := server.Requests()[0]
			want := []Message{
				{Role: "system", Content: "be brief"}, {Role: "user", Content: "do it"},
				{Role: "assistant", Calls: []CallMade{{"c", "read", `{"a":1}`}}}, {Role: "tool", CallID: "c", Content: "fine"},
			}
			if strings.Contains(path, "models/m:") { // where results are objects
				want[3].Content = `{"output":"fine"}`
			}
			if diff := cmp.Diff(want, got.Messages); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if got.Model != "m" || strings.Join(got.Tools, " ") != "read run" || len(got.Header) != 0 {
				t.Errorf("the request is %s, %s, %v", got.Model, got.Tools, got.Header)
			}
			if diff := cmp.Diff(test.answer, string(answer)); diff != "" && test.answer != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
		})
	}
}
