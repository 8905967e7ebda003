package model

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// noParameters is the schema of a tool without parameters.
const noParameters = `{"type":"object","properties":{}}`

// wireRequest converts a request to go-openai's form, for a model that lacks l.
func (p *client) wireRequest(req Request, l lacks) openai.ChatCompletionRequest {
	if l.tools {
		req.Messages, req.Tools = withoutTools(req.Messages, req.Tools), nil
	}
	if l.system {
		req.Messages = withoutSystem(req.Messages)
	}
	if l.order {
		req.Messages = withReplies(req.Messages)
	}
	if l.ids {
		req.Messages = withShortIDs(req.Messages)
	}
	if l.sampling {
		req.Temperature, req.TopP, req.Penalty = nil, nil, nil
	}
	out := openai.ChatCompletionRequest{
		Model:            cmp.Or(req.Model, p.info.Name),
		Temperature:      wireFloat(req.Temperature),
		TopP:             wireFloat(req.TopP),
		FrequencyPenalty: wireFloat(req.Penalty),
		Stream:           true,
		StreamOptions:    &openai.StreamOptions{IncludeUsage: true},
	}
	if l.options || l.stream {
		out.StreamOptions = nil
	}
	if l.limit || reasons(out.Model) {
		out.MaxCompletionTokens = req.MaxTokens
	} else {
		//lint:ignore SA1019 it is the name that every compatible server knows
		out.MaxTokens = req.MaxTokens
	}
	if req.Schema != nil && !l.schema {
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: req.Schema.Name, Schema: req.Schema.JSON, Strict: true},
		}
	}
	for _, m := range req.Messages {
		wired := wireMessage(m)
		if l.thoughts {
			wired.ReasoningContent = m.Thought
		}
		out.Messages = append(out.Messages, wired)
	}
	for _, t := range req.Tools {
		parameters := t.Parameters
		if parameters == nil {
			parameters = json.RawMessage(noParameters)
		}
		out.Tools = append(out.Tools, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: parameters},
		})
	}
	return out
}

func wireMessage(m Message) openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Content, ToolCallID: m.CallID}
	if m.Role == RoleTool && m.Content == "" {
		out.Content = "(empty)" // go-openai omits an empty content, which providers refuse
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID:       c.ID,
			Type:     openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: wireName(c.Name), Arguments: wireArguments(c.Arguments)},
		})
	}
	return out
}

// wireArguments returns the arguments of a call, wrapped in an object if they are none: many
// providers would refuse every later request of the conversation.
func wireArguments(arguments string) string {
	if IsJSONObject(arguments) {
		return arguments
	}
	wrapped, _ := json.Marshal(map[string]string{"not_an_object": arguments}) // strings always marshal
	return string(wrapped)
}

// maxWireName is how long the name of a tool may be, in bytes.
const maxWireName = 64

// wireName returns the name of a call's tool in letters that all providers take: a model may call
// a tool by a name that no tool can have.
func wireName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	return cmp.Or(name[:min(len(name), maxWireName)], "unnamed")
}

// wireFloat returns a number that go-openai sends even if it is 0.
func wireFloat(f *float64) float32 {
	switch {
	case f == nil:
		return 0
	case *f == 0:
		return math.SmallestNonzeroFloat32
	}
	return float32(*f)
}

// reasons reports whether a model accepts only max_completion_tokens, as OpenAI's reasoning
// models do.
func reasons(model string) bool {
	return slices.ContainsFunc([]string{"o1", "o3", "o4", "gpt-5", "gpt-6"}, func(family string) bool { return strings.HasPrefix(model, family) })
}

// countCalls counts the calls of a conversation.
func countCalls(messages []Message) (n int) {
	for _, m := range messages {
		n += len(m.Calls)
	}
	return n
}

//go:embed toolless.md
var toolless string

// withoutTools converts the messages for a model that does not accept tools: the system prompt
// describes the tools, and earlier calls and their results become text.
func withoutTools(messages []Message, tools []Tool) []Message {
	var out []Message
	if len(tools) > 0 {
		system := Message{Role: RoleSystem}
		if len(messages) > 0 && messages[0].Role == RoleSystem {
			system, messages = messages[0], messages[1:]
		}
		system.Content = strings.TrimLeft(system.Content+"\n\n"+described(tools), "\n")
		out = append(out, system)
	}
	names := map[string]string{} // call → tool
	results := false             // the last of out holds results
	for _, m := range messages {
		if m.Role == RoleTool {
			result := fmt.Sprintf("Result of %s:\n%s", names[m.CallID], m.Content)
			if results {
				out[len(out)-1].Content += "\n\n" + result
			} else {
				out = append(out, Message{Role: RoleUser, Content: result})
			}
			results = true
			continue
		}
		results = false
		for _, c := range m.Calls {
			names[c.ID] = c.Name
		}
		m.Content, m.Calls = inWords(m), nil
		out = append(out, m)
	}
	return out
}

// described describes the tools, and how to call them.
func described(tools []Tool) string {
	var b strings.Builder
	b.WriteString(toolless)
	for _, t := range tools {
		schema := string(t.Parameters)
		schema = cmp.Or(schema, noParameters)
		fmt.Fprintf(&b, "\n## %s\n%s\n%s\n", t.Name, strings.TrimSpace(t.Description), schema)
	}
	return b.String()
}

// inWords returns the text of a model's message, with its calls in the form in which it must
// write them. The text already has calls that were read from it.
func inWords(m Message) string {
	type step struct {
		Action string          `json:"action"`
		Tool   string          `json:"tool"`
		Args   json.RawMessage `json:"args"`
	}
	var steps []step
	for _, c := range m.Calls {
		if !strings.Contains(m.Content, c.Name) {
			steps = append(steps, step{"tool", c.Name, json.RawMessage(wireArguments(c.Arguments))})
		}
	}
	if len(steps) == 0 {
		return m.Content
	}
	doc, err := json.Marshal(steps)
	if err != nil { // wireArguments is always JSON
		return m.Content
	}
	return strings.TrimLeft(fmt.Sprintf("%s\n\n```json\n%s\n```", m.Content, doc), "\n")
}

// withoutSystem converts the messages for a model without a system role: the system text goes
// before the user's first words. Consecutive messages of one role become one, since such models
// need the roles to alternate.
func withoutSystem(messages []Message) []Message {
	var out []Message
	for _, m := range messages {
		if m.Role == RoleSystem {
			m.Role = RoleUser
		}
		last := len(out) - 1
		if last >= 0 && m.Role == out[last].Role && m.Role != RoleTool && len(out[last].Calls) == 0 {
			m.Content = strings.Trim(out[last].Content+"\n\n"+m.Content, "\n")
			m.Thought = out[last].Thought + m.Thought
			out[last] = m
			continue
		}
		out = append(out, m)
	}
	return out
}

// noted is the reply between results of tools and a message with the user's role, for a model
// that needs one there.
const noted = "I have read the results."

// withReplies puts a reply between the results of tools and a message with the user's role.
func withReplies(messages []Message) []Message {
	var out []Message
	for i, m := range messages {
		if i > 0 && m.Role == RoleUser && messages[i-1].Role == RoleTool {
			out = append(out, Message{Role: RoleAssistant, Content: noted})
		}
		out = append(out, m)
	}
	return out
}

// shortID is the length of the ids of calls for a model that takes no others, of letters and
// digits.
const shortID = 9

// withShortIDs replaces the ids of calls by numbers of that length. Ids that a reply has in
// common with an earlier one get their own.
func withShortIDs(messages []Message) []Message {
	out := slices.Clone(messages)
	latest := map[string]string{}
	n := 0
	for i, m := range out {
		out[i].Calls = slices.Clone(m.Calls)
		for j, c := range m.Calls {
			n++
			latest[c.ID] = fmt.Sprintf("%0*d", shortID, n)
			out[i].Calls[j].ID = latest[c.ID]
		}
		if id, ok := latest[m.CallID]; ok && m.Role == RoleTool {
			out[i].CallID = id
		}
	}
	return out
}

// back is what is sent back with one reply that has calls.
type back struct {
	reply map[string]json.RawMessage // members of the message
	calls []json.RawMessage          // extra_content of each call, nil for none
}

// sentBack collects what is sent back with the replies of a conversation that have calls, in
// order. Ids cannot name the calls, since some providers use the same in each reply.
func sentBack(messages []Message) []back {
	var all []back
	some := false
	for _, m := range messages {
		if len(m.Calls) == 0 {
			continue
		}
		b := back{calls: make([]json.RawMessage, len(m.Calls))}
		if m.Extra != "" && json.Unmarshal([]byte(m.Extra), &b.reply) != nil {
			b.reply = nil
		}
		some = some || len(b.reply) > 0
		for i, c := range m.Calls {
			if c.Extra != "" && json.Valid([]byte(c.Extra)) {
				b.calls[i], some = json.RawMessage(c.Extra), true
			}
		}
		all = append(all, b)
	}
	if !some {
		return nil
	}
	return all
}

// rewrite adds to a request's body what go-openai does not write: that no stream is wanted, and
// what is sent back with the model's replies. It returns a new request.
func rewrite(req *http.Request, x *exchange) (*http.Request, error) {
	if !x.whole && len(x.back) == 0 {
		return req, nil
	}
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, err
	}
	if x.whole {
		body["stream"] = json.RawMessage("false")
		delete(body, "stream_options")
	}
	if len(x.back) > 0 {
		if body["messages"], err = withBack(body["messages"], x.back); err != nil {
			return nil, err
		}
	}
	if data, err = json.Marshal(body); err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(data))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	req.ContentLength = int64(len(data))
	return req, nil
}

// withBack adds to the messages of a request what is sent back with those that have calls. A
// model without tools gets no calls, so nothing is sent back to it.
func withBack(messages json.RawMessage, all []back) (json.RawMessage, error) {
	var out []map[string]json.RawMessage
	if err := json.Unmarshal(messages, &out); err != nil {
		return nil, err
	}
	for _, m := range out {
		if m["tool_calls"] == nil || len(all) == 0 {
			continue
		}
		b := all[0]
		all = all[1:]
		maps.Copy(m, b.reply)
		var calls []map[string]json.RawMessage
		if err := json.Unmarshal(m["tool_calls"], &calls); err != nil {
			return nil, err
		}
		for i, c := range calls {
			if i < len(b.calls) && b.calls[i] != nil {
				c["extra_content"] = b.calls[i]
			}
		}
		doc, err := json.Marshal(calls)
		if err != nil {
			return nil, err
		}
		m["tool_calls"] = doc
	}
	return json.Marshal(out)
}
