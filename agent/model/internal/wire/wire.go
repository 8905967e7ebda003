// Package wire is the answering side of the OpenAI chat wire: the request as a
// server reads it, and the events of a streamed reply as a server writes them.
// (The asking side is go-openai's, in package model.)
// See https://platform.openai.com/docs/api-reference/chat/streaming.
package wire

import (
	"encoding/json"
	"fmt"
)

// Request is the body of a chat completion request.
type Request struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools"`
	Stream   bool      `json:"stream"`
}

// Message is one message of a request.
type Message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []Call `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

// Call is a tool call that an assistant message holds.
type Call struct {
	ID       string   `json:"id"`
	Function Function `json:"function"`
}

// Function is what is called, with its arguments as JSON text.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool is a tool that a request offers.
type Tool struct {
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

// Done is the event after the last one.
const Done = "data: [DONE]\n\n"

type (
	chunk struct {
		Object  string   `json:"object"`
		Choices []choice `json:"choices"`
		Usage   *usage   `json:"usage,omitempty"`
	}
	choice struct {
		Index  int     `json:"index"`
		Delta  delta   `json:"delta"`
		Finish *string `json:"finish_reason"`
	}
	delta struct {
		Content string      `json:"content,omitempty"`
		Calls   []callDelta `json:"tool_calls,omitempty"`
	}
	callDelta struct {
		Index    int      `json:"index"`
		ID       string   `json:"id,omitempty"`
		Type     string   `json:"type,omitempty"`
		Function function `json:"function"`
	}
	function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
	usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
)

// Text is the event that adds text to the reply.
func Text(text string) string {
	return event([]choice{{Delta: delta{Content: text}}}, nil)
}

// CallStart is the event that begins the reply's call with this index, counted
// from 0, and gives the first piece of its arguments.
func CallStart(index int, id, name, arguments string) string {
	return callEvent(callDelta{Index: index, ID: id, Type: "function", Function: function{name, arguments}})
}

// CallArguments is the event that adds a piece to a call's arguments.
func CallArguments(index int, piece string) string {
	return callEvent(callDelta{Index: index, Function: function{Arguments: piece}})
}

func callEvent(d callDelta) string {
	return event([]choice{{Delta: delta{Calls: []callDelta{d}}}}, nil)
}

// Finish is the event that ends the reply's content.
func Finish(reason string) string {
	return event([]choice{{Finish: &reason}}, nil)
}

// Usage is the event that counts the tokens of the request.
func Usage(prompt, completion int) string {
	return event([]choice{}, &usage{prompt, completion, prompt + completion})
}

func event(choices []choice, u *usage) string {
	data, err := json.Marshal(chunk{Object: "chat.completion.chunk", Choices: choices, Usage: u})
	if err != nil {
		panic(fmt.Sprintf("a chunk holds only strings and numbers: %v", err))
	}
	return "data: " + string(data) + "\n\n"
}
