package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"redline/internal/phrase"
)

// argumentError returns a sentence that says what is wrong with an argument.
func argumentError(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return fmt.Sprintf("the argument must be an object, not a %s.", wrong.Value)
		}
		return fmt.Sprintf("%q must be %s, not a %s.", wrong.Field, kindOf(wrong.Type.Kind().String()), wrong.Value)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Sprintf("there is no member %s.", name)
	}
	return phrase.OneSentence("the argument cannot be read: " + err.Error())
}

// kindOf returns JSON's name of a Go kind.
func kindOf(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case kind == "bool":
		return "true or false"
	case kind == "slice":
		return "a list"
	case kind == "struct", kind == "map":
		return "an object"
	}
	return "a " + kind
}
