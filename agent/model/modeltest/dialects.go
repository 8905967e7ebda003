package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"

	"redline/agent/model"
)

// dialect is a protocol in which a program asks a model.
type dialect interface {
	// read adds what a body says to a request.
	read(body []byte, to *Request) error
	// stream returns a writer of one reply to a request.
	stream(to Request) stream
}

// stream writes a reply as events. Each string is sent in one write; together they are the body of
// the answer.
type stream interface {
	begin() []string
	text(fragment string) []string
	call(id, name, arguments string) []string
	// end ends the reply with the reason of the script, "" for the usual one.
	end(reason string) []string
}

// dialectOf returns the protocol of a request by its path.
func dialectOf(path string) dialect {
	switch {
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/messages"):
		return messages{}
	case strings.Contains(path, ":streamGenerateContent"):
		return gemini{}
	case strings.Contains(path, ":generateContent"):
		return gemini{whole: true}
	}
	return chat{}
}

// chat is the protocol of OpenAI's chat completions.
type chat struct{ calls int }

func (chat) read(body []byte, to *Request) error {
	var ask model.WireRequest
	err := json.Unmarshal(body, &ask)
	to.Model = ask.Model
	for _, m := range ask.Messages {
		message := Message{Role: m.Role, Content: m.Content, CallID: m.ToolCallID}
		for _, part := range m.MultiContent {
			message.Content += part.Text
		}
		for _, c := range m.ToolCalls {
			message.Calls = append(message.Calls, CallMade{c.ID, c.Function.Name, c.Function.Arguments})
		}
		to.Messages = append(to.Messages, message)
	}
	for _, t := range ask.Tools {
		to.Tools = append(to.Tools, t.Function.Name)
	}
	return err
}

func (chat) stream(Request) stream { return &chat{} }

func (*chat) begin() []string { return nil }

func (*chat) text(fragment string) []string { return []string{model.WireText(fragment)} }

func (c *chat) call(id, name, arguments string) []string {
	events := []string{model.WireCall(c.calls, id, name, "")}
	for _, fragment := range split(arguments) {
		events = append(events, model.WireCall(c.calls, "", "", fragment))
	}
	c.calls++
	return events
}

func (c *chat) end(reason string) []string {
	switch {
	case reason != "":
	case c.calls > 0:
		reason = "tool_calls"
	default:
		reason = "stop"
	}
	return []string{model.WireFinish(reason), model.WireUsage(UsagePrompt, UsageCompletion), model.WireDone}
}

// object is a JSON object that is sent.
type object map[string]any

// event is a named server-sent event, whose type is also in its data.
func event(name string, data object) string {
	data["type"] = name
	return fmt.Sprintf("event: %s\n%s", name, unnamed(data))
}

// unnamed is a server-sent event without a name.
func unnamed(data object) string { return "data: " + encoded(data) + "\n\n" }

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("an event holds only strings, numbers and JSON: %v", err))
	}
	return string(text)
}

// arguments returns the arguments of a call as JSON, which is a string if a script did not write
// valid JSON.
func arguments(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return json.RawMessage(encoded(text))
}

// words returns the text of a JSON string, or that of all texts of a list of parts.
func words(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw)
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}
