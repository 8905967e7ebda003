package orchestrator

import (
	"encoding/json"
	"maps"
	"strings"

	"redline/agent/recall"
)

// preciseName is the name in the context under which words are added that the planner left out.
const preciseName = "also in the request"

// maxPrecise is how many words of one request are kept.
const maxPrecise = 200

// AddPrecise finds the precise words of a request, such as addresses, names and numbers, that
// occur nowhere in the plan, adds them to the context and returns them.
func (p *Plan) AddPrecise(request string) []string {
	var all strings.Builder
	all.WriteString(p.RefinedTask)
	for _, value := range p.Context {
		all.WriteString("\n" + plainOf(value))
	}
	var lost []string
	for _, word := range recall.Words(request, maxPrecise) {
		if !recall.In(all.String(), word) {
			lost = append(lost, word)
		}
	}
	if lost == nil {
		return nil
	}
	var kept []string
	_ = json.Unmarshal(p.Context[preciseName], &kept) // those of the earlier plan, if it has a list of them
	raw, err := json.Marshal(append(kept, lost...))
	if err != nil {
		return nil // strings always marshal
	}
	p.Context = maps.Clone(p.Context) // the earlier plan may share it
	if p.Context == nil {
		p.Context = map[string]json.RawMessage{}
	}
	p.Context[preciseName] = raw
	return lost
}

// plainOf returns a JSON value as text, with addresses as they were written.
func plainOf(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for name, e := range v {
				b.WriteString(name + "\n")
				walk(e)
			}
		}
	}
	walk(v)
	return b.String() + string(raw)
}
