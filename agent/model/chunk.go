package model

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// beyond has the parts of a reply that go-openai does not read.
type beyond struct {
	cost   float64           // of the request, as the provider reports it; 0 if it does not
	extras map[string]string // call, by its id or by its index → its extra_content
}

// uncommon are strings that show that a chunk may have such parts.
var uncommon = [][]byte{
	[]byte(`"reasoning"`), []byte(`"extra_content"`), []byte(`"cost"`),
	[]byte(`"content":[`), []byte(`"content": [`), []byte(`"thinking"`),
}

// common returns a chunk in the form that go-openai reads. It takes out what go-openai does not
// read: thoughts that are called reasoning, text in parts, costs, and what a provider wants back
// with a call. It returns a payload that is no chunk unchanged.
func (b *beyond) common(payload []byte) []byte {
	looked := false
	for _, mark := range uncommon {
		looked = looked || bytes.Contains(payload, mark)
	}
	if !looked {
		return payload
	}
	var chunk map[string]any
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.UseNumber()
	if dec.Decode(&chunk) != nil {
		return payload
	}
	if usage, ok := chunk["usage"].(map[string]any); ok {
		if cost, ok := usage["cost"].(json.Number); ok {
			if f, err := cost.Float64(); err == nil && f > 0 {
				b.cost = f
			}
		}
	}
	choices, _ := chunk["choices"].([]any)
	for _, choice := range choices {
		if c, ok := choice.(map[string]any); ok {
			if delta, ok := c["delta"].(map[string]any); ok {
				b.delta(delta)
			}
		}
	}
	out, err := json.Marshal(chunk)
	if err != nil { // what was decoded can be encoded
		return payload
	}
	return out
}

// delta makes one choice's part of a chunk common.
func (b *beyond) delta(delta map[string]any) {
	thought, _ := delta["reasoning_content"].(string)
	if other, ok := delta["reasoning"].(string); ok && thought == "" {
		thought = other
	}
	if parts, ok := delta["content"].([]any); ok {
		var text strings.Builder
		for _, part := range parts {
			p, _ := part.(map[string]any)
			if p["type"] == "thinking" {
				thought += textOf(p["thinking"])
			} else {
				text.WriteString(textOf(p["text"]))
			}
		}
		delta["content"] = text.String()
	}
	if thought != "" {
		delta["reasoning_content"] = thought
	}
	calls, _ := delta["tool_calls"].([]any)
	for i, call := range calls {
		c, _ := call.(map[string]any)
		extra, ok := c["extra_content"]
		if !ok {
			continue
		}
		doc, err := json.Marshal(extra)
		if err != nil || len(doc) > maxErrorBody {
			continue
		}
		if b.extras == nil {
			b.extras = map[string]string{}
		}
		if id, _ := c["id"].(string); id != "" {
			b.extras[id] = string(doc)
			continue
		}
		index := strconv.Itoa(i)
		if n, ok := c["index"].(json.Number); ok {
			index = n.String()
		}
		b.extras["#"+index] = string(doc)
	}
}

// textOf returns the text of a part, which is a string or has parts itself.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var all strings.Builder
		for _, part := range v {
			if p, ok := part.(map[string]any); ok {
				all.WriteString(textOf(p["text"]))
			}
		}
		return all.String()
	}
	return ""
}

// extraOf returns the extra JSON of a call, "" for none.
func (b *beyond) extraOf(c *callParts) string {
	if extra, ok := b.extras[c.id]; ok && c.id != "" {
		return extra
	}
	if c.index == nil {
		return ""
	}
	return b.extras["#"+strconv.Itoa(*c.index)]
}
