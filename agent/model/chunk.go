package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// beyond collects the parts of a reply that go-openai does not read.
type beyond struct {
	cost   float64           // the cost of the request, if the provider reports it; else 0
	extras map[string]string // call, by its id or by its index → its extra_content

	details map[string][]map[string]any // by field: what a provider wants back with the reply, see keptFields
	size    int                         // bytes of the chunks that details come from

	last []byte // the last chunk, if it was passed on as it came
}

// keptFields are the fields of a reply that its provider wants back unchanged, with the calls of
// the reply: OpenRouter's and LiteLLM's. They hold the signatures of a model's thoughts.
var keptFields = []string{"reasoning_details", "thinking_blocks"}

// uncommon are strings that occur in chunks with such parts. go-openai takes each chunk that
// begins with a member "error" for one, even if that is null.
var uncommon = [][]byte{
	[]byte(`"reasoning"`), []byte(`"reasoning_details"`), []byte(`"thinking_blocks"`), []byte(`"extra_content"`), []byte(`"cost"`), []byte(`"error"`),
}

// common converts a chunk to the form that go-openai reads, if it has parts that go-openai does
// not read: thoughts in a field named reasoning, costs, and what a provider wants back.
func (b *beyond) common(payload []byte) []byte {
	b.last = payload
	for _, mark := range uncommon {
		if bytes.Contains(payload, mark) {
			b.last = nil
			return b.converted(payload)
		}
	}
	return payload
}

// odd returns the last chunk if go-openai could not read it, because it is written in another
// way than OpenAI's: with text in parts, arguments that are no string, or other types of numbers.
func (b *beyond) odd(err error) (chunk openai.ChatCompletionStreamResponse, ok bool) {
	payload := b.last
	b.last = nil
	if _, typed := errors.AsType[*json.UnmarshalTypeError](err); !typed || payload == nil {
		return chunk, false
	}
	err = json.Unmarshal(b.converted(payload), &chunk)
	return chunk, err == nil
}

// converted returns a chunk in the form that go-openai reads, and keeps what is beyond it. A
// payload that is not a chunk is returned unchanged.
func (b *beyond) converted(payload []byte) []byte {
	chunk, ok := object(payload)
	if !ok {
		return payload
	}
	usage, _ := chunk["usage"].(map[string]any)
	if cost, ok := usage["cost"].(json.Number); ok {
		if f, err := cost.Float64(); err == nil && f > 0 {
			b.cost = f
		}
	}
	choices, _ := chunk["choices"].([]any)
	var all []any
	for _, choice := range choices {
		if c, ok := choice.(map[string]any); ok {
			delta, _ := c["delta"].(map[string]any)
			b.keep(delta, len(payload))
			finish, _ := c["finish_reason"].(string)
			all = append(all, map[string]any{"index": whole(c["index"]), "delta": b.delta(delta), "finish_reason": finish})
		}
	}
	plain := map[string]any{"choices": all}
	if usage != nil {
		plain["usage"] = plainUsage(usage)
	}
	out, err := encoded(plain)
	if err != nil { // what was decoded can be encoded
		return payload
	}
	return out
}

// object decodes a JSON object, with its numbers as they are written.
func object(doc []byte) (members map[string]any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	return members, dec.Decode(&members) == nil && members != nil
}

// encoded returns v as JSON in one line.
func encoded(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

// whole returns a JSON number, or a string of digits, as a whole number; 0 for anything else.
func whole(v any) int {
	var text string
	switch v := v.(type) {
	case int:
		return v
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < 0 || f > 1<<40 {
		return 0
	}
	return int(f)
}

// plainUsage returns the numbers of a usage that Redline reads.
func plainUsage(usage map[string]any) map[string]any {
	plain := map[string]any{"prompt_tokens": whole(usage["prompt_tokens"]), "completion_tokens": whole(usage["completion_tokens"])}
	details, _ := usage["prompt_tokens_details"].(map[string]any)
	plain["prompt_tokens_details"] = map[string]any{"cached_tokens": whole(details["cached_tokens"])}
	return plain
}

// delta returns one choice's part of a chunk in the form that go-openai reads.
func (b *beyond) delta(delta map[string]any) map[string]any {
	plain := map[string]any{}
	thought, _ := delta["reasoning_content"].(string)
	if other, ok := delta["reasoning"].(string); ok && thought == "" {
		thought = other
	}
	switch content := delta["content"].(type) {
	case string:
		plain["content"] = content
	case []any:
		var text strings.Builder
		for _, part := range content {
			p, _ := part.(map[string]any)
			if p["type"] == "thinking" {
				thought += textOf(p["thinking"])
			} else {
				text.WriteString(textOf(p["text"]))
			}
		}
		plain["content"] = text.String()
	}
	if refusal, ok := delta["refusal"].(string); ok {
		plain["refusal"] = refusal
	}
	if thought != "" {
		plain["reasoning_content"] = thought
	}
	calls, _ := delta["tool_calls"].([]any)
	var all []any
	for i, call := range calls {
		if c, ok := call.(map[string]any); ok {
			b.extra(i, c)
			all = append(all, plainCall(c))
		}
	}
	if len(all) > 0 {
		plain["tool_calls"] = all
	}
	return plain
}

// plainCall returns a fragment of a call in the form that go-openai reads. Some providers send
// the arguments as an object instead of JSON text.
func plainCall(c map[string]any) map[string]any {
	function, _ := c["function"].(map[string]any)
	name, _ := function["name"].(string)
	arguments, isText := function["arguments"].(string)
	if !isText && function["arguments"] != nil {
		if doc, err := encoded(function["arguments"]); err == nil {
			arguments = string(doc)
		}
	}
	plain := map[string]any{"type": "function", "function": map[string]any{"name": name, "arguments": arguments}}
	switch id := c["id"].(type) {
	case string:
		plain["id"] = id
	case json.Number:
		plain["id"] = id.String()
	}
	if c["index"] != nil {
		plain["index"] = whole(c["index"])
	}
	return plain
}

// extra keeps what a provider wants back with a call, the i-th of its chunk.
func (b *beyond) extra(i int, c map[string]any) {
	extra, ok := c["extra_content"]
	if !ok {
		return
	}
	doc, err := json.Marshal(extra)
	if err != nil || len(doc) > maxErrorBody {
		return
	}
	if b.extras == nil {
		b.extras = map[string]string{}
	}
	if id, _ := c["id"].(string); id != "" {
		b.extras[id] = string(doc)
		return
	}
	if c["index"] != nil {
		i = whole(c["index"])
	}
	b.extras["#"+strconv.Itoa(i)] = string(doc)
}

// keep takes the kept fields out of a choice's part of a chunk of this size. Details that are too
// large are not kept at all, since a part of them is of no use.
func (b *beyond) keep(delta map[string]any, size int) {
	for _, field := range keptFields {
		pieces, _ := delta[field].([]any)
		if len(pieces) == 0 {
			continue
		}
		if b.size += size; b.size > maxLine {
			b.details = nil
			return
		}
		for _, piece := range pieces {
			if p, ok := piece.(map[string]any); ok {
				if b.details == nil {
					b.details = map[string][]map[string]any{}
				}
				b.details[field] = joined(b.details[field], p)
			}
		}
	}
}

// growing are the members of a detail that come in pieces.
var growing = map[string]bool{"text": true, "summary": true, "data": true, "thinking": true}

// joined adds a piece to the details of a reply: to the detail that it continues, or as a new
// one.
func joined(all []map[string]any, piece map[string]any) []map[string]any {
	for i := len(all) - 1; i >= 0; i-- {
		if !continues(all[i], piece, i == len(all)-1) {
			continue
		}
		for name, v := range piece {
			was, wasText := all[i][name].(string)
			more, isText := v.(string)
			switch {
			case v == nil:
			case growing[name] && wasText && isText:
				all[i][name] = was + more
			default:
				all[i][name] = v
			}
		}
		return all
	}
	return append(all, piece)
}

// continues reports whether a piece belongs to an earlier detail: it has the same type, index
// and id; or there is no index, and the last detail has no signature yet.
func continues(detail, piece map[string]any, last bool) bool {
	is := func(of map[string]any, name string) string {
		switch v := of[name].(type) {
		case string:
			return v
		case json.Number:
			return v.String()
		}
		return ""
	}
	was, id := is(detail, "id"), is(piece, "id")
	if is(detail, "type") != is(piece, "type") || was != "" && id != "" && was != id {
		return false
	}
	if detail["index"] != nil || piece["index"] != nil {
		return is(detail, "index") == is(piece, "index")
	}
	return last && is(detail, "signature") == "" && detail["data"] == nil
}

// kept returns the kept fields of the reply as a JSON object, "" for none.
func (b *beyond) kept() string {
	if len(b.details) == 0 {
		return ""
	}
	doc, err := encoded(b.details)
	if err != nil { // what was decoded can be encoded
		return ""
	}
	return string(doc)
}

// textOf returns the text of a part, which is a string or an array of parts.
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
