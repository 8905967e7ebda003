package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// gemini is the protocol of Google's generateContent, as events or whole.
type gemini struct{ whole bool }

func (gemini) read(body []byte, to *Request) error {
	type content struct {
		Role  string `json:"role"`
		Parts []struct {
			Text string `json:"text"`
			Call *struct {
				ID   string          `json:"id"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"args"`
			} `json:"functionCall"`
			Result *struct {
				ID       string          `json:"id"`
				Response json.RawMessage `json:"response"`
			} `json:"functionResponse"`
		} `json:"parts"`
	}
	var ask struct {
		System   *content  `json:"systemInstruction"`
		Contents []content `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	err := json.Unmarshal(body, &ask)
	_, name, _ := strings.Cut(to.Path, "/models/")
	to.Model, _, _ = strings.Cut(name, ":")
	if ask.System != nil {
		ask.System.Role = "system"
		ask.Contents = append([]content{*ask.System}, ask.Contents...)
	}
	for _, c := range ask.Contents {
		said := Message{Role: strings.Replace(c.Role, "model", "assistant", 1)}
		for _, p := range c.Parts {
			said.Content += p.Text
			if p.Call != nil {
				said.Calls = append(said.Calls, CallMade{p.Call.ID, p.Call.Name, string(p.Call.Args)})
			}
			if p.Result != nil {
				to.Messages = append(to.Messages, Message{Role: "tool", CallID: p.Result.ID, Content: string(p.Result.Response)})
			}
		}
		if said.Content != "" || len(said.Calls) > 0 {
			to.Messages = append(to.Messages, said)
		}
	}
	for _, t := range ask.Tools {
		for _, f := range t.Functions {
			to.Tools = append(to.Tools, f.Name)
		}
	}
	return err
}

func (g gemini) stream(Request) stream { return &geminiStream{whole: g.whole} }

// geminiStream is one reply.
type geminiStream struct {
	whole bool
	parts []any // of a whole reply
}

func (s *geminiStream) add(part object) []string {
	if s.whole {
		s.parts = append(s.parts, part)
		return nil
	}
	return []string{unnamed(candidate([]any{part}, ""))}
}

func candidate(parts []any, reason string) object {
	one := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if reason == "" {
		return object{"candidates": []any{one}}
	}
	one["finishReason"] = reason
	return object{"candidates": []any{one}, "usageMetadata": object{
		"promptTokenCount": UsagePrompt, "candidatesTokenCount": UsageCompletion, "totalTokenCount": UsagePrompt + UsageCompletion,
	}}
}

func (*geminiStream) begin() []string { return nil }

func (s *geminiStream) text(fragment string) []string { return s.add(object{"text": fragment}) }

func (s *geminiStream) call(id, name, args string) []string {
	return s.add(object{"functionCall": object{"id": id, "name": name, "args": arguments(args)}})
}

func (s *geminiStream) end(reason string) []string {
	if reason == "" || reason == "tool_calls" {
		reason = "stop"
	}
	last := candidate(append(s.parts, object{"text": ""}), strings.ToUpper(reason))
	if s.whole {
		return []string{fmt.Sprintln(encoded(last))}
	}
	return []string{unnamed(last)}
}
