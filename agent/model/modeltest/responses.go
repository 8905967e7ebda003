package modeltest

import (
	"encoding/json"
	"fmt"
)

// responses is the protocol of OpenAI's responses, which Codex speaks.
type responses struct{}

func (responses) read(body []byte, to *Request) error {
	var ask struct {
		Model string `json:"model"`
		Input []struct {
			Type      string          `json:"type"`
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			CallID    string          `json:"call_id"`
			Name      string          `json:"name"`
			Arguments string          `json:"arguments"`
			Input     string          `json:"input"`
			Output    json.RawMessage `json:"output"`
		} `json:"input"`
		Tools []struct {
			Type string `json:"type"`
			Name string `json:"name"`
		} `json:"tools"`
	}
	err := json.Unmarshal(body, &ask)
	to.Model = ask.Model
	for _, item := range ask.Input {
		switch item.Type {
		case "function_call", "custom_tool_call":
			to.Messages = append(to.Messages, Message{Role: "assistant", Calls: []CallMade{{item.CallID, item.Name, item.Arguments + item.Input}}})
		case "function_call_output", "custom_tool_call_output":
			to.Messages = append(to.Messages, Message{Role: "tool", CallID: item.CallID, Content: words(item.Output)})
		case "message", "":
			to.Messages = append(to.Messages, Message{Role: item.Role, Content: words(item.Content)})
		}
	}
	for _, t := range ask.Tools {
		to.Tools = append(to.Tools, t.Name)
		if t.Type == "custom" {
			to.custom = append(to.custom, t.Name)
		}
	}
	return err
}

func (responses) stream(to Request) stream { return &responseStream{custom: to.custom} }

// responseStream is one response. Its text is one item up to the next call.
type responseStream struct {
	custom []string // tools whose argument is a text, not JSON
	items  []object // that are complete
	said   string   // the text of an item that is not
}

func (s *responseStream) begin() []string {
	return []string{event("response.created", object{"response": object{"id": "response"}})}
}

func (s *responseStream) id() string { return fmt.Sprintf("item_%d", len(s.items)+1) }

func (s *responseStream) text(fragment string) (events []string) {
	if s.said == "" {
		events = append(events, event("response.output_item.added", object{
			"output_index": len(s.items), "item": object{"type": "message", "id": s.id(), "role": "assistant", "content": []any{}},
		}))
	}
	s.said += fragment
	return append(events, event("response.output_text.delta", object{
		"output_index": len(s.items), "content_index": 0, "item_id": s.id(), "delta": fragment,
	}))
}

func (s *responseStream) done(item object) string {
	item["id"] = s.id()
	s.items = append(s.items, item)
	return event("response.output_item.done", object{"output_index": len(s.items) - 1, "item": item})
}

// close completes the item of the text.
func (s *responseStream) close() []string {
	if s.said == "" {
		return nil
	}
	said := s.said
	s.said = ""
	return []string{s.done(object{"type": "message", "role": "assistant", "content": []any{object{"type": "output_text", "text": said}}})}
}

func (s *responseStream) call(id, name, arguments string) []string {
	item := object{"type": "function_call", "call_id": id, "name": name, "arguments": arguments}
	for _, custom := range s.custom {
		if custom == name {
			item = object{"type": "custom_tool_call", "call_id": id, "name": name, "input": arguments}
		}
	}
	return append(s.close(), s.done(item))
}

func (s *responseStream) end(reason string) []string {
	name, response := "response.completed", object{"id": "response", "output": s.items, "usage": object{
		"input_tokens": UsagePrompt, "output_tokens": UsageCompletion, "total_tokens": UsagePrompt + UsageCompletion,
	}}
	if reason != "" && reason != "stop" && reason != "tool_calls" {
		name, response["incomplete_details"] = "response.incomplete", object{"reason": reason}
	}
	return append(s.close(), event(name, object{"response": response}))
}
