package loop

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/internal/fence"
)

// WrittenCall is a call of a tool in the text of a reply.
type WrittenCall struct {
	Tool string
	Args json.RawMessage // a JSON object
	Note string          // the reason, in the model's words; "" for none
}

// WrittenPlan is a plan in a reply: a JSON array of calls, with an item at its end that says how to
// answer. That item is the answer itself if there are no calls.
//
//	[{"action": "tool", "tool": "read_file", "args": {"path": "a.go"}, "note": "find the sum"},
//	 {"action": "final", "answer": "Say where the sum is."}]
type WrittenPlan struct {
	Calls  []WrittenCall // in the order of the reply
	Final  bool          // it has such an item
	Answer string        // what that item says, if Final
	Report bool          // that item asks for a report once the plan's commands have run
	Prose  string        // the reply without the plan and the fences around it
	Within bool          // it is within other text of a model that was not asked to write its calls
}

// WrittenReader reads replies.
type WrittenReader struct {
	// Asked is true if the model was asked to write its calls in this form. Then a plan counts
	// anywhere in the reply, and several are joined in order. Otherwise a plan counts only if it
	// is the whole reply, or the only plan in it: an array in a fence, in which each item says
	// that it is a call, and one calls a known tool. Anything else counts as an explanation.
	Asked bool
	Known func(tool string) bool // reports whether a tool of this name exists
	// Shown is what the model was shown. A plan with a call from there is a quotation of someone
	// else's text and does not count; see [seen].
	Shown []string
}

// WrittenVerdict says whether a reply is a plan.
type WrittenVerdict int

// The verdicts.
const (
	Prose  WrittenVerdict = iota // it has no plan
	Found                        // it has a plan
	Broken                       // the model, asked for a plan, has written something that was meant as one but cannot be read, or in more than one way
	Quoted                       // its plans are all quotations
)

// Read returns the plan in a reply.
func (r WrittenReader) Read(reply string) (WrittenPlan, WrittenVerdict) {
	var p WrittenPlan
	var taken []span
	within := true // a plan may be within other text
	shown := &seen{texts: r.Shown, strict: !r.Asked}
	verdict := Prose
	values, broken := find(reply, false)
	for i, v := range values {
		items, ok := r.items(v.raw)
		switch {
		case !ok:
			continue
		case isMarked(reply, v.span), slices.ContainsFunc(items, func(it item) bool { return it.call != nil && shown.has(it) }):
			verdict = Quoted
			continue
		}
		taken = append(taken, v.span)
		if i > 0 && string(values[i-1].raw) == string(v.raw) {
			continue // the same plan again
		}
		within = within && len(taken) == 1 && isFenced(reply, v.span) && r.isExplicit(items)
		for _, it := range items {
			if it.call != nil {
				p.Calls = append(p.Calls, *it.call)
			} else {
				p.Final, p.Answer, p.Report = true, it.answer, p.Report || it.report
			}
		}
	}
	switch {
	case broken && r.Asked:
		return WrittenPlan{}, Broken
	case len(taken) == 0:
		return WrittenPlan{}, verdict
	}
	p.Prose = without(reply, taken)
	if !r.Asked && !slices.ContainsFunc(p.Calls, func(c WrittenCall) bool { return r.Known(c.Tool) }) &&
		slices.ContainsFunc(p.Calls, func(c WrittenCall) bool { return isEditor().MatchString(c.Tool) }) {
		return WrittenPlan{}, Prose // see TextCalls
	}
	if !r.Asked && p.Prose != "" {
		if !within || broken {
			return WrittenPlan{}, Prose
		}
		p.Within = true
	}
	return p, Found
}

// isExplicit reports whether each item says that it is a call or the answer, and one is a call of
// a known tool.
func (r WrittenReader) isExplicit(items []item) bool {
	return !slices.ContainsFunc(items, func(it item) bool { return it.call != nil && !it.says }) &&
		slices.ContainsFunc(items, func(it item) bool { return it.call != nil && r.Known(it.call.Tool) })
}

// isFenced reports whether a place is an array, and all that is in a fence.
func isFenced(reply string, s span) bool {
	before, after := strings.TrimRight(reply[:s.start], " \t\r\n"), skipBlanks(reply[s.end:])
	line, _, _ := strings.Cut(after, "\n")
	marks, info, opens := fence.Open(strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]))
	return reply[s.start] == '[' && opens && !strings.ContainsAny(info, " {[") && (after == "" || fence.Closes(strings.TrimSpace(line), marks))
}

// isMarked reports whether a place is marked as a quotation: in a line that begins with ">", or
// between single backticks.
func isMarked(reply string, s span) bool {
	line := strings.TrimSpace(reply[strings.LastIndexByte(reply[:s.start], '\n')+1 : s.start])
	before, after := reply[:s.start], reply[s.end:]
	inline := strings.HasSuffix(before, "`") && strings.HasPrefix(after, "`") && !strings.HasSuffix(before, "```")
	return strings.HasPrefix(line, ">") || inline
}

// without returns the reply without some places, which must ascend, and without the fences
// and tags around them.
func without(reply string, places []span) string {
	var b strings.Builder
	at := 0
	for _, s := range places {
		b.WriteString(trimOpening(reply[at:s.start]))
		b.WriteString("\n")
		rest := reply[s.end:]
		at = len(reply) - len(trimClosing(rest))
	}
	b.WriteString(reply[at:])
	return strings.TrimSpace(b.String())
}

// trimOpening removes an opening fence or tag from the end of text.
func trimOpening(text string) string {
	trimmed := strings.TrimRight(text, " \t\r\n")
	line := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
	bare := strings.TrimSpace(line)
	_, info, opens := fence.Open(bare)
	switch {
	case opens:
		if !strings.ContainsAny(info, "~ {[") {
			return trimmed[:len(trimmed)-len(line)]
		}
	case strings.HasSuffix(bare, openTag):
		return strings.TrimSuffix(trimmed, openTag)
	case bare == "json" || bare == "JSON": // the rest of a fence that was removed before
		return trimmed[:len(trimmed)-len(line)]
	}
	return text
}

// trimClosing removes a closing fence or tag from the start of text.
func trimClosing(text string) string {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	for _, mark := range []string{"```", "~~~", closeTag} {
		if rest, ok := strings.CutPrefix(trimmed, mark); ok {
			return strings.TrimLeft(rest, "`~")
		}
	}
	return text
}

// The tags that some models are trained to put around a call.
const (
	openTag  = "<tool_call>"
	closeTag = "</tool_call>"
)

// item is one item of a plan: a call, or the answer.
type item struct {
	call   *WrittenCall // nil for the answer
	answer string
	report bool // with the answer: see WrittenPlan
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
		_ = json.Unmarshal(members["report"], &it.report) // what is no boolean asks for nothing
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
