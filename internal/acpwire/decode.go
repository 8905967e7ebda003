package acpwire

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads a value of the protocol, of one of the SDK's types. A value of a kind that this type
// does not know, at any place in it, and an id or URI that is missing or empty are errors: the SDK itself
// reads {"outcome":"selected"} as the choice of the option "", and {"outcome":"maybe"} as a
// cancellation. If members are named, the others are left out first: nobody needs to understand them.
func Decode[T any](raw json.RawMessage, members ...string) (T, error) {
	var value T
	if len(members) > 0 {
		kept, err := only(raw, members)
		if err != nil {
			return value, err
		}
		raw = kept
	}
	if len(raw) == 0 || string(raw) == "null" {
		return value, errors.New("there is nothing to read")
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, fmt.Errorf("it cannot be read: %w", err)
	}
	return value, check(reflect.ValueOf(&value).Elem(), "")
}

// only returns an object with these members of raw.
func only(raw json.RawMessage, members []string) (json.RawMessage, error) {
	var all map[string]jsontext.Value
	if err := unmarshal(raw, &all); err != nil || all == nil {
		return nil, errors.New("it is not an object")
	}
	kept := map[string]json.RawMessage{}
	for _, name := range members {
		if value, ok := all[name]; ok {
			kept[name] = json.RawMessage(value)
		}
	}
	return json.Marshal(kept)
}

// check reports a value of an unknown kind, or an id or URI that is missing.
func check(v reflect.Value, at string) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return check(v.Elem(), at)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := check(v.Index(i), fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if isUnion(v.Type()) {
			return checkUnion(v, at)
		}
		for i := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			inner := strings.TrimPrefix(at+"."+name, ".")
			f := v.Field(i)
			if f.Kind() == reflect.String && f.Len() == 0 && options == "" && (name == "id" || name == "uri" || strings.HasSuffix(name, "Id")) {
				return fmt.Errorf("%s is missing", inner)
			}
			if err := check(f, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// isUnion reports whether t is one of the SDK's unions: a pointer for each kind, and nothing else.
func isUnion(t reflect.Type) bool {
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() != reflect.Pointer || f.Tag.Get("json") != "-" {
			return false
		}
	}
	return t.NumField() > 0
}

// discriminators are the members that say which kind of value it is.
var discriminators = []string{"sessionUpdate", "outcome", "type"}

func checkUnion(v reflect.Value, at string) error {
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			continue
		}
		kind := v.Field(i).Elem()
		if kind.Kind() == reflect.Struct && named(kind) != "" && named(kind) != snake(v.Type().Field(i).Name) {
			break // it was taken for this kind only because of its other members
		}
		return check(kind, at)
	}
	return fmt.Errorf("%s is of an unknown kind", cmp.Or(at, "it"))
}

// named returns the kind that a value of a union says it has, "" if it does not say.
func named(v reflect.Value) string {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		for _, d := range discriminators {
			if name == d && v.Field(i).Kind() == reflect.String {
				return cmp.Or(v.Field(i).String(), "?") // an empty one is no kind
			}
		}
	}
	return ""
}

// snake returns a Go name as the protocol writes it: agent_message_chunk for AgentMessageChunk.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
