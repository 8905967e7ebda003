package loop

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"redline/agent/model"
)

// item is one item of a plan: a call, or the answer.
type item struct {
	call   *WrittenCall // nil for the answer
	answer string
	says   bool // it explicitly says that it is a call
	raw    json.RawMessage
}

// The members of an item, and other names that models use for them.
var (
	toolNames   = []string{"tool", "tool_name", "name", "function"}
	argNames    = []string{"args", "arguments", "input", "parameters", "params", "tool_input", "action_input"}
	answerNames = []string{"answer", "final_answer", "content", "text", "response", "args", "arguments", "input", "action_input"}
	noteNames   = []string{"note", "why", "reason", "rationale", "thought", "comment"}
	listNames   = []string{"steps", "plan", "actions", "tool_calls", "calls"}
)

// Words for the kind of an item.
var (
	callWords   = []string{"tool", "tool_call", "tool_use", "call", "function", "use_tool", "call_tool"}
	answerWords = []string{"final", "final_answer", "answer", "finish"}
)

// items returns the items of a JSON value; ok is false if the value is not a plan, that is if
// any part of it is something else.
func (r WrittenReader) items(raw json.RawMessage) (items []item, ok bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		members := map[string]json.RawMessage{}
		if json.Unmarshal(raw, &members) != nil {
			return nil, false
		}
		list = []json.RawMessage{raw}
		if inner := first(members, listNames); inner != nil && !r.isItem(raw) && json.Unmarshal(inner, &list) != nil {
			return nil, false
		}
	}
	for _, raw := range list {
		it, ok := r.item(raw)
		if !ok {
			return nil, false
		}
		items = append(items, it)
	}
	return items, len(items) > 0
}

func (r WrittenReader) isItem(raw json.RawMessage) bool {
	_, ok := r.item(raw)
	return ok
}

// item reads one item. An item that does not say that it is a call must name a known tool, and
// have its arguments in one member.
func (r WrittenReader) item(raw json.RawMessage) (item, bool) {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &members) != nil || len(members) == 0 {
		return item{}, false
	}
	it := item{raw: bytes.TrimSpace(raw)}
	kind := text(first(members, []string{"action", "type"}))
	if slices.Contains(answerWords, kind) {
		answer := first(members, answerNames)
		if answer == nil {
			return item{}, false
		}
		it.answer = inWords(answer)
		return it, true
	}
	named := first(members, toolNames)
	c := WrittenCall{Tool: text(named), Note: text(first(members, noteNames))}
	within := map[string]json.RawMessage{} // OpenAI's form: name and arguments are members of the function
	if json.Unmarshal(named, &within) == nil && len(within) > 0 {
		c.Tool, members = text(within["name"]), within
	}
	says := slices.Contains(callWords, kind)
	if kind != "" && !says { // the action is the tool
		if c.Tool != "" && c.Tool != kind {
			return item{}, false
		}
		c.Tool = kind
	}
	given := first(members, argNames)
	known := r.Known != nil && r.Known(c.Tool)
	if c.Tool == "" || !known && !says || given == nil && kind == "" {
		return item{}, false
	}
	if c.Args = arguments(given, members); c.Args == nil {
		return item{}, false
	}
	it.call, it.says = &c, says
	return it, true
}

// arguments returns the arguments of a call: an object, or one in a string. If there is neither,
// the other members of the item are the arguments.
func arguments(given json.RawMessage, members map[string]json.RawMessage) json.RawMessage {
	if given == nil {
		rest := maps.Clone(members)
		for _, name := range slices.Concat([]string{"action", "type", "id"}, toolNames[:3], noteNames) {
			delete(rest, name)
		}
		doc, err := json.Marshal(rest)
		if err != nil {
			return nil // it cannot fail, since rest was read from JSON
		}
		return doc
	}
	if inner := text(given); inner != "" {
		repaired, ok := model.RepairJSON(inner)
		if !ok {
			return nil
		}
		given = json.RawMessage(repaired)
	}
	if !model.IsJSONObject(string(given)) {
		return nil
	}
	return given
}

// first returns the first of the named members that exists and is not null.
func first(members map[string]json.RawMessage, names []string) json.RawMessage {
	for _, name := range names {
		if v := members[name]; v != nil && string(v) != "null" {
			return v
		}
	}
	return nil
}

// text returns the text of a JSON string, "" for any other value.
func text(raw json.RawMessage) string {
	var s string
	if raw == nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// inWords formats an answer for the user.
func inWords(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	members := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &members) == nil {
		if inner := text(first(members, answerNames)); inner != "" {
			return strings.TrimSpace(inner)
		}
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
