// Package command runs the commands of workspace/executeCommand. Code actions, lenses and
// questions take the commands' names and arguments from here.
package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"redline/internal/phrase"
	"redline/lsp/backend"
	"redline/lsp/wire"
)

// The commands of workspace/executeCommand.
const (
	Chat     = "redline.chat"
	Approve  = "redline.approve"
	Reject   = "redline.reject"
	Rework   = "redline.rework"
	Stage    = "redline.stage"
	Rollback = "redline.rollback"
	Rate     = "redline.rate"
	Undo     = "redline.undo"
	Review   = "redline.review"
	Cancel   = "redline.cancel"
	Show     = "redline.show"
	State    = "redline.state"
	Hunks    = "redline.hunks"
	Complete = "redline.complete"
	Try      = "redline.try"

	AllowTrials = "redline.allowTrials"
)

// entry is one command: its name, and the function that reads its argument on the read loop
// and returns the rest of the work.
type entry struct {
	name     string
	argument string // the name of the type of its argument
	prepare  func(*Runner, json.RawMessage) (wire.Run, error)
}

// commands returns all commands, in the order in which initialize lists them.
func commands() []entry {
	return []entry{
		typed(Chat, (*Runner).chat),
		typed(Approve, (*Runner).Approve),
		typed(Reject, (*Runner).Reject),
		typed(Rework, (*Runner).rework),
		typed(Stage, (*Runner).stage),
		typed(Rollback, (*Runner).rollback),
		typed(Rate, (*Runner).rate),
		typed(Undo, (*Runner).undo),
		typed(Review, (*Runner).review),
		typed(Cancel, (*Runner).cancel),
		typed(Show, (*Runner).Show),
		typed(State, (*Runner).state),
		typed(Hunks, (*Runner).Hunks),
		typed(Complete, (*Runner).completeMessage),
		typed(Try, (*Runner).try),
		typed(AllowTrials, (*Runner).allowTrials),
	}
}

// Names returns the names of all commands.
func Names() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// typed returns a command whose argument is an A. It refuses members that A does not have: a
// mistyped scope must not widen a decision.
func typed[A any](name string, prepare func(*Runner, A) (wire.Run, error)) entry {
	return entry{name, reflect.TypeFor[A]().Name(), func(r *Runner, raw json.RawMessage) (wire.Run, error) {
		var argument A
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&argument); err != nil {
			return nil, backend.InvalidParams(name + ": " + argumentError(err))
		}
		return prepare(r, argument)
	}}
}

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

// kindOf returns JSON's name for a Go kind.
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
