// Package wire is the answering side of the OpenAI chat wire: the request as a
// server reads it, and the events of a streamed reply as a server writes them.
// (The asking side is go-openai's, in package model.)
// See https://platform.openai.com/docs/api-reference/chat/streaming.

package model

import (
	"encoding/json"
	"fmt"
)

// WireRequest is the body of a chat completion request.
type WireRequest struct {
	Model    string        `json:"model"`
	Messages []WireMessage `json:"messages"`
	Tools    []WireTool    `json:"tools"`
	Stream   bool          `json:"stream"`
}

// WireMessage is one message of a request.
type WireMessage struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []WireCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

// WireCall is a tool call that an assistant message holds.
type WireCall struct {
	ID       string       `json:"id"`
	Function WireFunction `json:"function"`
}

// WireFunction is what is called, with its arguments as JSON text.
type WireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// WireTool is a tool that a request offers.
type WireTool struct {
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

// WireDone is the event after the last one.
const WireDone = "data: [DONE]\n\n"

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

// WireText is the event that adds text to the reply.
func WireText(text string) string {
	return wireEvent([]choice{{Delta: delta{Content: text}}}, nil)
}

// WireCallStart is the event that begins the reply's call with this index, counted
// from 0, and gives the first piece of its arguments.
func WireCallStart(index int, id, name, arguments string) string {
	return callEvent(callDelta{Index: index, ID: id, Type: "function", Function: function{name, arguments}})
}

// WireCallArguments is the event that adds a piece to a call's arguments.
func WireCallArguments(index int, piece string) string {
	return callEvent(callDelta{Index: index, Function: function{Arguments: piece}})
}

func callEvent(d callDelta) string {
	return wireEvent([]choice{{Delta: delta{Calls: []callDelta{d}}}}, nil)
}

// WireFinish is the event that ends the reply's content.
func WireFinish(reason string) string {
	return wireEvent([]choice{{Finish: &reason}}, nil)
}

// WireUsage is the event that counts the tokens of the request.
func WireUsage(prompt, completion int) string {
	return wireEvent([]choice{}, &usage{prompt, completion, prompt + completion})
}

func wireEvent(choices []choice, u *usage) string {
	data, err := json.Marshal(chunk{Object: "chat.completion.chunk", Choices: choices, Usage: u})
	if err != nil {
		panic(fmt.Sprintf("a chunk holds only strings and numbers: %v", err))
	}
	return "data: " + string(data) + "\n\n"
}
