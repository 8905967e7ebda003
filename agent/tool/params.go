package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/agent/plan"
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

// given are a call's arguments by name, as the model wrote them.
type given map[string]json.RawMessage

// arguments are a call's arguments after parsing.
type arguments struct {
	args
	raw    json.RawMessage // the arguments under the tool's own names, to be recorded
	unused []string        // names of arguments that have no effect
}

// parse reads the arguments of a call. It accepts the names that other tools have for them, and
// values of other types that can mean only one thing; null counts as absent. It refuses
// arguments that are not valid text or are given twice, and unknown arguments that would narrow
// the call: the model would believe that the answer covers only that part. It reports other
// unknown arguments as unused. A replayed call has only recorded arguments, and ignores unknown
// ones. The error is one sentence for the model.
func (t Tool) parse(raw json.RawMessage, replayed bool) (arguments, error) {
	none := arguments{}
	if strings.TrimSpace(string(raw)) == "" {
		raw = json.RawMessage("{}")
	}
	var as given
	if err := json.Unmarshal(raw, &as); err != nil || as == nil {
		return none, fmt.Errorf("the arguments are not a JSON object; give them as {%s}", t.params.example())
	}
	if err := plan.CheckArgs(raw); err != nil {
		return none, err
	}
	if t.params == nil {
		return arguments{args: args{}, raw: raw}, nil
	}
	renamed, err := as.rename(t.params, !replayed)
	if err != nil {
		return none, err
	}
	if t.prepare != nil && !replayed {
		if err := t.prepare(as); err != nil {
			return none, err
		}
	}
	out := arguments{args: args{}, raw: raw}
	for _, p := range t.params {
		value, ok := as[p.name]
		if !ok {
			if p.required {
				return none, fmt.Errorf("the argument %q is missing; give {%s}", p.name, t.params.example())
			}
			continue
		}
		parsed, ok := p.parse(value)
		if !ok {
			return none, fmt.Errorf("the argument %q must be %s", p.name, p.wanted())
		}
		out.args[p.name] = parsed
	}
	if !replayed {
		if out.unused, err = as.unknown(t); err != nil {
			return none, err
		}
	}
	if renamed {
		out.raw, err = as.encode()
	}
	return out, err
}

// rename changes the names of arguments to the tool's own, and drops arguments that are null. If
// notes is true, it also changes the name of the reason for a call to [plan.NoteArg]. renamed
// reports whether it changed a name.
func (as given) rename(ps params, notes bool) (renamed bool, err error) {
	for _, name := range as.names() {
		if value := bytes.TrimSpace(as[name]); string(value) == "null" {
			delete(as, name)
			continue
		}
		known := ps.named(name)
		if known == "" && notes && slices.Contains(noteNames, folded(name)) {
			known = plan.NoteArg
		}
		if known == "" || known == name {
			continue
		}
		if other, twice := as[known]; twice {
			if known != plan.NoteArg && !bytes.Equal(bytes.TrimSpace(other), bytes.TrimSpace(as[name])) {
				return false, fmt.Errorf("%q and %q are the same argument and have different values; give it once, as %q", known, name, known)
			}
			delete(as, name)
			renamed = true
			continue
		}
		as[known], renamed = as[name], true
		delete(as, name)
	}
	return renamed, nil
}

// names returns the names of the arguments, in order.
func (as given) names() []string { return slices.Sorted(maps.Keys(as)) }

// named returns the name of the param with a name or an alias, "" for none.
func (ps params) named(name string) string {
	for _, p := range ps {
		if p.name == name {
			return name
		}
	}
	short := folded(name)
	for _, p := range ps {
		if short == folded(p.name) || slices.ContainsFunc(p.also, func(also string) bool { return folded(also) == short }) {
			return p.name
		}
	}
	return ""
}

// folded removes from a name what differs between filePath, file_path and file-path.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// noteNames are the names that models use for the reason for a call, folded.
var noteNames = []string{"note", "explanation", "rationale", "reason", "reasoning", "justification", "thought", "thoughts", "why", "purpose", "description"}

// unknown returns the names of the arguments that the tool does not have. It returns an error
// for those that would narrow the call.
func (as given) unknown(t Tool) ([]string, error) {
	var unused, refused []string
	for _, name := range as.names() {
		switch {
		case t.params.named(name) != "" || name == plan.NoteArg:
		case limits(name, as[name]):
			refused = append(refused, name)
		default:
			unused = append(unused, name)
		}
	}
	if len(refused) == 0 {
		return unused, nil
	}
	var known []string
	for _, p := range t.params {
		if !p.hidden {
			known = append(known, p.name)
		}
	}
	return nil, fmt.Errorf("%s has no argument %s, and to leave it out would change what the call covers; the arguments are %s",
		t.Name, strings.Join(quoted(refused), " or "), strings.Join(known, ", "))
}

// quoted returns names in quotation marks, shortened.
func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = fmt.Sprintf("%q", phrase.StartBytes(name, 64))
	}
	return out
}

// limiting are words in the names of arguments that narrow a call: where it looks or changes
// something, or how much.
var limiting = strings.Fields(`
	path paths file files filename filenames dir dirs directory directories folder folders root cwd
	glob globs include includes exclude excludes ignore ignores filter filters type types ext exts extension extensions
	range ranges line lines start end offset limit from to head tail before after max min depth recursive
	scope pattern patterns query regex only where section symbol page first last
	branch commit commits revision rev since until author occurrence occurrences index position column
	hunk hunks operations whole invert staged cached skip nth`)

// limits reports whether an argument that a tool does not have would narrow the call.
func limits(name string, value json.RawMessage) bool {
	switch string(bytes.TrimSpace(value)) {
	case `""`, "[]", "{}", "false":
		return false
	}
	return slices.ContainsFunc(wordsOf(name), func(word string) bool { return slices.Contains(limiting, word) })
}

// wordsOf returns the words of a name such as file_path, filePath, file-path or PATH, in lower
// case.
func wordsOf(name string) []string {
	var b strings.Builder
	capitals := strings.ToUpper(name) == name
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !capitals {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

// encode returns the arguments as a JSON object.
func (as given) encode() (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // users read command lines in it
	err := enc.Encode(map[string]json.RawMessage(as))
	return bytes.TrimSpace(out.Bytes()), err
}

// set sets an argument to a value, which JSON must be able to encode.
func (as given) set(name string, value any) {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // callers pass only numbers, booleans and strings
	}
	as[name] = bytes.TrimSpace(raw.Bytes())
}

// take removes the first argument that has one of the names, and returns it.
func (as given) take(names ...string) (json.RawMessage, bool) {
	for _, have := range as.names() {
		if slices.ContainsFunc(names, func(n string) bool { return folded(n) == folded(have) }) {
			value := as[have]
			delete(as, have)
			return value, true
		}
	}
	return nil, false
}

// number removes the first argument that has one of the names and is a whole number.
func (as given) number(names ...string) (n int, ok bool, err error) {
	value, ok := as.take(names...)
	if !ok {
		return 0, false, nil
	}
	if n, ok = parseInt(value); !ok {
		return 0, false, errors.New("the argument " + quoted(names[:1])[0] + " must be a whole number")
	}
	return n, true, nil
}
