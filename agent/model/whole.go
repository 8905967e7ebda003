package model

import (
	"encoding/json"
	"fmt"
)

// asEvents returns a reply that came whole, as a chat completion, in the form
// of the events of a stream; ok is false if body is no complete reply.
func asEvents(body []byte) (events []byte, ok bool) {
	var whole struct {
		Choices []struct {
			Index   int                        `json:"index"`
			Message map[string]json.RawMessage `json:"message"`
			Finish  string                     `json:"finish_reason"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(body, &whole) != nil || len(whole.Choices) == 0 {
		return nil, false
	}
	choice := whole.Choices[0]
	if choice.Message == nil || choice.Finish == "" {
		return nil, false
	}
	var calls []map[string]json.RawMessage
	if json.Unmarshal(choice.Message["tool_calls"], &calls) == nil && len(calls) > 0 {
		for i := range calls {
			calls[i]["index"] = json.RawMessage(fmt.Sprint(i))
		}
		choice.Message["tool_calls"], _ = json.Marshal(calls) // it was just decoded
	}
	chunk := map[string]any{"choices": []any{map[string]any{"index": 0, "delta": choice.Message, "finish_reason": choice.Finish}}}
	if len(whole.Usage) > 0 {
		chunk["usage"] = whole.Usage
	}
	data, err := json.Marshal(chunk)
	return data, err == nil
}
