package tool

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"redline/agent/plan"
)

// kind is the JSON type of an argument.
type kind string

const (
	stringKind  kind = "string"
	integerKind kind = "integer"
	booleanKind kind = "boolean"
	rangeKind   kind = "array" // two integers
	stringsKind kind = "strings"
	listKind    kind = "list" // an array whose elements match items
)

// param is one argument of a tool.
type param struct {
	name     string
	kind     kind
	required bool
	about    string   // for the model
	also     []string // other names that models use for it
	oneOf    []string // not in the schema for models
	hidden   bool     // not in the schema that models get
	items    any      // the JSON Schema of a list's elements
}

type params []param

// stepParam is an argument of every buffered tool.
var stepParam = param{name: "step", kind: stringKind, about: "Id of the step that this belongs to, of a plan that was submitted."}

// buffered returns the arguments of a buffered tool.
func buffered(ps ...param) params { return append(ps, stepParam) }

// args are the arguments of a call, by the names of their params: string, int, bool, [2]int,
// []string, or JSON for a list. Arguments that were not given are absent.
type args map[string]any

func (a args) has(name string) bool { _, ok := a[name]; return ok }

func (a args) text(name string) string { s, _ := a[name].(string); return s }

func (a args) int(name string) int { n, _ := a[name].(int); return n }

func (a args) strings(name string) []string { s, _ := a[name].([]string); return s }

func (a args) flag(name string) bool { b, _ := a[name].(bool); return b }

// schema returns the JSON Schema of the arguments.
func (ps params) schema() json.RawMessage {
	properties := map[string]any{}
	required := []string{}
	for _, p := range ps {
		if p.hidden {
			continue
		}
		property := map[string]any{"type": p.kind, "description": p.about}
		if p.oneOf != nil {
			property["enum"] = p.oneOf
		}
		if p.kind == rangeKind {
			property["items"] = map[string]any{"type": integerKind}
			property["minItems"], property["maxItems"] = 2, 2
		}
		if p.kind == stringsKind {
			property["type"], property["items"] = "array", map[string]any{"type": stringKind}
		}
		if p.kind == listKind {
			property["type"], property["items"] = "array", p.items
		}
		properties[p.name] = property
		if p.required {
			required = append(required, p.name)
		}
	}
	doc, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	if err != nil {
		panic(err) // strings and maps only: it always marshals
	}
	return doc
}

// parse reads the arguments of a call as leniently as it can without guessing: it ignores
// unknown members, treats null as absent, and accepts a number or a boolean as a string. It
// refuses arguments that are not valid text or given twice. The error is one sentence for the
// model.
func (ps params) parse(raw json.RawMessage) (args, error) {
	if strings.TrimSpace(string(raw)) == "" {
		raw = json.RawMessage("{}")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		return nil, fmt.Errorf("the arguments are not a JSON object; give them as {%s}", ps.example())
	}
	if err := plan.CheckArgs(raw); err != nil {
		return nil, err
	}
	out := args{}
	for _, p := range ps {
		value, ok := p.find(given)
		if !ok {
			if p.required {
				return nil, fmt.Errorf("the argument %q is missing; give {%s}", p.name, ps.example())
			}
			continue
		}
		parsed, ok := p.parse(value)
		if !ok {
			return nil, fmt.Errorf("the argument %q must be %s", p.name, p.wanted())
		}
		out[p.name] = parsed
	}
	return out, nil
}

// find returns the value given for p, under its own name or another.
func (p param) find(given map[string]json.RawMessage) (json.RawMessage, bool) {
	for _, name := range append([]string{p.name}, p.also...) {
		if value, ok := given[name]; ok && string(value) != "null" {
			return value, true
		}
	}
	return nil, false
}

func (p param) parse(value json.RawMessage) (any, bool) {
	switch p.kind {
	case integerKind:
		return parseInt(value)
	case booleanKind:
		b, err := strconv.ParseBool(strings.ToLower(unquoted(value)))
		return b, err == nil
	case rangeKind:
		var items []json.RawMessage
		if json.Unmarshal([]byte(unquoted(value)), &items) != nil || len(items) != 2 {
			return nil, false
		}
		first, ok1 := parseInt(items[0])
		last, ok2 := parseInt(items[1])
		return [2]int{first, last}, ok1 && ok2
	case stringsKind:
		return parseStrings(value)
	case listKind:
		list := json.RawMessage(unquoted(value)) // the list may be in a string
		var items []json.RawMessage
		return list, json.Unmarshal(list, &items) == nil && items != nil
	default:
		var s string
		if json.Unmarshal(value, &s) != nil {
			return nil, false
		}
		return s, p.oneOf == nil || slices.Contains(p.oneOf, s)
	}
}

// parseInt reads 3, 3.0 and "3".
func parseInt(value json.RawMessage) (int, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(unquoted(value)), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<31 {
		return 0, false
	}
	return int(f), true
}

// parseStrings reads ["a", "b"], the same in a string, and "a" for ["a"].
func parseStrings(value json.RawMessage) ([]string, bool) {
	var list []string
	if json.Unmarshal([]byte(unquoted(value)), &list) == nil {
		return list, true
	}
	var one string
	return []string{one}, json.Unmarshal(value, &one) == nil && !strings.HasPrefix(strings.TrimSpace(one), "[")
}

// unquoted returns the content of a JSON string, and any other value unchanged.
func unquoted(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}

// wanted describes the accepted values.
func (p param) wanted() string {
	switch {
	case p.oneOf != nil:
		return "one of " + strings.Join(p.oneOf, ", ")
	case p.kind == integerKind:
		return "a whole number"
	case p.kind == booleanKind:
		return "true or false"
	case p.kind == listKind:
		return "a list"
	case p.kind == rangeKind:
		return "two line numbers, like [1, 20]"
	case p.kind == stringsKind:
		return `a list of strings, like ["a", "b"]`
	}
	return "a string"
}

// example returns the members of a JSON object with the required arguments.
func (ps params) example() string {
	var members []string
	for _, p := range ps {
		if p.required {
			members = append(members, fmt.Sprintf("%q: …", p.name))
		}
	}
	return strings.Join(members, ", ")
}
