package model_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// served is a request with a tool of Redline's and two of a tool server.
func served() model.Request {
	r := hello()
	schema := json.RawMessage(`{"type":"object","properties":{}}`)
	r.Tools = []model.Tool{
		{Name: "read_file", Parameters: schema}, {Name: "mcp__a__look", Parameters: schema, Optional: true},
		{Name: "mcp__a__look-up", Parameters: schema, Optional: true},
	}
	return r
}

func toolsSent(t *testing.T, r modeltest.Request) (names []string) {
	list, _ := bodyOf(t, r)["tools"].([]any)
	for _, one := range list {
		names = append(names, one.(map[string]any)["function"].(map[string]any)["name"].(string))
	}
	return names
}

// A provider that refuses a tool of a tool server, by its name or its place, is asked again without
// this tool; it stays away in later requests, and the user reads it once.
func TestARefusedToolIsLeftOut(t *testing.T) {
	for name, c := range map[string]struct{ says, left string }{
		"OpenAI":           {`{"error":{"message":"Invalid schema for function 'mcp__a__look': In context=('properties', 'x'), array schema missing items.","type":"invalid_request_error","param":"tools[1].function.parameters","code":"invalid_function_parameters"}}`, "mcp__a__look"},
		"OpenAI's pattern": {`{"error":{"message":"Invalid 'tools[2].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."}}`, "mcp__a__look-up"},
		"Anthropic":        {`{"error":{"type":"invalid_request_error","message":"tools.2.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12"}}`, "mcp__a__look-up"},
		"Gemini":           {`[{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].items: missing field.\n","status":"INVALID_ARGUMENT"}}]`, "mcp__a__look"},
		"vLLM":             {`{"object":"error","message":"[{'type': 'dict_type', 'loc': ('body', 'tools', 1, 'function', 'parameters'), 'msg': 'Input should be a valid dictionary'}]"}`, "mcp__a__look"},
		"a longer name":    {`{"error":"the tool \"mcp__a__look-up\" is not supported"}`, "mcp__a__look-up"},
	} {
		t.Run(name, func(t *testing.T) {
			ok := modeltest.Stream(modeltest.Text("Done."))
			server := modeltest.New(modeltest.Fail(400, c.says), ok, ok)
			p := inProcess(server)
			var notices []string
			for range 2 {
				if _, err := p.Complete(t.Context(), served(), func(e model.Event) {
					if e.Notice != "" {
						notices = append(notices, e.Notice)
					}
				}); err != nil {
					t.Fatal(err)
				}
			}
			want := []string{"read_file", "mcp__a__look", "mcp__a__look-up"}
			want = slices.DeleteFunc(want, func(name string) bool { return name == c.left })
			for _, r := range server.Requests()[1:] {
				if got := toolsSent(t, r); !slices.Equal(got, want) {
					t.Errorf("asked with %q, want %q", got, want)
				}
			}
			if len(notices) != 1 || !strings.Contains(notices[0], " refuses the tool "+c.left+", so it is asked without: ") {
				t.Errorf("told %q", notices)
			}
		})
	}
}

// All tools of servers may be refused, one after the other; and one whose schema is another now is
// offered again.
func TestToolsAreRefusedOneByOne(t *testing.T) {
	refuse := func(name string) modeltest.Reply {
		return modeltest.Fail(400, fmt.Sprintf(`{"error":{"message":"Invalid schema for function '%s'"}}`, name))
	}
	ok := modeltest.Stream(modeltest.Text("Done."))
	server := modeltest.New(refuse("mcp__a__look"), refuse("mcp__a__look-up"), ok, ok)
	p := inProcess(server)
	r := served()
	if _, err := p.Complete(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	r.Tools[1].Parameters = json.RawMessage(`{"type":"object","properties":{"name":{}}}`)
	if _, err := p.Complete(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{3, 2, 1, 2} {
		if got := toolsSent(t, server.Requests()[i]); len(got) != want {
			t.Errorf("request %d has the tools %q, want %d", i, got, want)
		}
	}
}

// A tool of Redline's own is not left out, nor is any tool because of an earlier call in the
// conversation: without it the work could not be done.
func TestOtherRefusalsThatNameATool(t *testing.T) {
	for _, says := range []string{
		"Invalid schema for function 'read_file'",
		"Invalid 'tools[0].function.parameters': schema must be an object.",
		"Invalid 'tools[7].function.parameters': schema must be an object.",
		"messages[2]: the call of mcp__a__look has no answer",
		"messages.2.content: tool_use mcp__a__look without a result",
	} {
		server := modeltest.New(modeltest.Fail(400, fmt.Sprintf(`{"error":{"message":%q}}`, says)))
		_, err := inProcess(server).Complete(t.Context(), served(), nil)
		wantKind(t, err, model.KindRejected)
		if n := len(server.Requests()); n != 1 {
			t.Errorf("%s: asked %d times", says, n)
		}
	}
}
