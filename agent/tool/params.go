package tool

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"redline/internal/phrase"
)

// kind is the JSON type of an argument.
type kind string

const (
	stringKind  kind = "string"
	integerKind kind = "integer"
	booleanKind kind = "boolean"
	rangeKind   kind = "array"  // two integers
	rangesKind  kind = "ranges" // several line ranges
	stringsKind kind = "strings"
	listKind    kind = "list" // an array whose elements match items
)

// param is one argument of a tool.
type param struct {
	name     string
	kind     kind
	required bool
	about    string   // for the model; "" if the name is enough
	also     []string // other names that models use for it
	oneOf    []string // omitted from the schema
	hidden   bool     // omitted from the schema that models get
	items    any      // the JSON Schema of a list's elements
}

type params []param

// charsParam limits the answer to a number of characters. Tools of other programs that read have
// this argument.
var charsParam = param{name: "max_chars", kind: integerKind, hidden: true, also: []string{"max_characters", "max_length"}}

// withinChars cuts the answer to the number of characters in the call's arguments.
func (c call) withinChars(r Result) Result {
	most := c.int(charsParam.name)
	if r.IsError || most < 1 {
		return r
	}
	at := 0
	for range most {
		if at == len(r.Text) {
			return r
		}
		_, size := utf8.DecodeRuneInString(r.Text[at:])
		at += size
	}
	if at < len(r.Text) {
		r.Text = r.Text[:at] + fmt.Sprintf("\n… cut after %s, as max_chars says", phrase.Count(most, "character"))
	}
	return r
}

// stepParam is an argument of every buffered tool.
var stepParam = param{name: "step", kind: stringKind}

// buffered adds to params the arguments of a buffered tool.
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
		property := map[string]any{"type": p.kind}
		if p.about != "" {
			property["description"] = p.about
		}
		if p.oneOf != nil {
			property["enum"] = p.oneOf
		}
		if p.kind == rangeKind {
			property["items"] = map[string]any{"type": integerKind}
			property["minItems"], property["maxItems"] = 2, 2
		}
		if p.kind == rangesKind {
			property["type"], property["items"] = "array", map[string]any{"type": "array", "items": map[string]any{"type": integerKind}}
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
		panic(err) // it has only strings and maps, so it always marshals
	}
	return doc
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
	case rangesKind:
		return parseRanges(value)
	case stringsKind:
		return parseStrings(value)
	case listKind:
		list := json.RawMessage(unquoted(value)) // the list may be written in a string
		var items []json.RawMessage
		return list, json.Unmarshal(list, &items) == nil && items != nil
	default:
		var s string
		if json.Unmarshal(value, &s) != nil {
			var one []string
			if p.name != "path" || json.Unmarshal(value, &one) != nil || len(one) != 1 {
				return nil, false
			}
			s = one[0]
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

// parseStrings reads ["a", "b"], the same JSON in a string, and "a" for ["a"].
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
	case p.kind == rangesKind:
		return "a list of pairs of line numbers, like [[1, 20], [50, 60]]"
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
