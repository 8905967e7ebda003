package modeltest

import (
	"encoding/json"
	"fmt"
)

// messages is the protocol of Anthropic's messages, which Claude Code speaks.
type messages struct{}

func (messages) read(body []byte, to *Request) error {
	var ask struct {
		Model    string          `json:"model"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	err := json.Unmarshal(body, &ask)
	to.Model = ask.Model
	if len(ask.System) > 0 {
		to.Messages = append(to.Messages, Message{Role: "system", Content: words(ask.System)})
	}
	for _, m := range ask.Messages {
		var blocks []struct {
			Type    string          `json:"type"`
			ID      string          `json:"id"`
			Name    string          `json:"name"`
			Input   json.RawMessage `json:"input"`
			Of      string          `json:"tool_use_id"`
			Content json.RawMessage `json:"content"`
		}
		said := Message{Role: m.Role, Content: words(m.Content)}
		if json.Unmarshal(m.Content, &blocks) == nil {
			for _, b := range blocks {
				switch b.Type {
				case "tool_use":
					said.Calls = append(said.Calls, CallMade{b.ID, b.Name, string(b.Input)})
				case "tool_result":
					to.Messages = append(to.Messages, Message{Role: "tool", CallID: b.Of, Content: words(b.Content)})
				}
			}
		}
		if said.Content != "" || len(said.Calls) > 0 {
			to.Messages = append(to.Messages, said)
		}
	}
	for _, t := range ask.Tools {
		to.Tools = append(to.Tools, t.Name)
	}
	return err
}

func (messages) stream(to Request) stream {
	return &messageStream{model: to.Model, after: len(to.Messages)}
}

// messageStream is one message. Its text is one block up to the next call.
type messageStream struct {
	model  string
	after  int // how many messages the request has: agents take messages with one id for one message
	blocks int // that are complete
	open   bool
	calls  int
}

func (s *messageStream) begin() []string {
	return []string{event("message_start", object{"message": object{
		"id": fmt.Sprintf("message_%d", s.after), "type": "message", "role": "assistant", "model": s.model, "content": []any{}, "stop_reason": nil,
		"usage": object{"input_tokens": UsagePrompt, "output_tokens": 1},
	}})}
}

func (s *messageStream) start(block object) string {
	s.open = true
	return event("content_block_start", object{"index": s.blocks, "content_block": block})
}

func (s *messageStream) delta(of object) string {
	return event("content_block_delta", object{"index": s.blocks, "delta": of})
}

func (s *messageStream) close() []string {
	if !s.open {
		return nil
	}
	s.open = false
	s.blocks++
	return []string{event("content_block_stop", object{"index": s.blocks - 1})}
}

func (s *messageStream) text(fragment string) (events []string) {
	if !s.open {
		events = append(events, s.start(object{"type": "text", "text": ""}))
	}
	return append(events, s.delta(object{"type": "text_delta", "text": fragment}))
}

func (s *messageStream) call(id, name, arguments string) []string {
	events := append(s.close(), s.start(object{"type": "tool_use", "id": id, "name": name, "input": object{}}))
	for _, fragment := range split(arguments) {
		events = append(events, s.delta(object{"type": "input_json_delta", "partial_json": fragment}))
	}
	s.calls++
	return append(events, s.close()...)
}

func (s *messageStream) end(reason string) []string {
	switch {
	case reason == "length":
		reason = "max_tokens"
	case s.calls > 0:
		reason = "tool_use"
	default:
		reason = "end_turn"
	}
	return append(s.close(),
		event("message_delta", object{"delta": object{"stop_reason": reason}, "usage": object{"output_tokens": UsageCompletion}}),
		event("message_stop", object{}))
}
