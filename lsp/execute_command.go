package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"redline/agent/refusal"
	"redline/internal/phrase"
	"redline/lsp/backend"
	"redline/lsp/window"
	"redline/lsp/wire"
)

// The commands of workspace/executeCommand.
const (
	commandChat     = "redline.chat"
	commandApprove  = "redline.approve"
	commandReject   = "redline.reject"
	commandRework   = "redline.rework"
	commandStage    = "redline.stage"
	commandRollback = "redline.rollback"
	commandUndo     = "redline.undo"
	commandReview   = "redline.review"
	commandCancel   = "redline.cancel"
	commandShow     = "redline.show"
	commandState    = "redline.state"
	commandHunks    = "redline.hunks"
	commandComplete = "redline.complete"
)

// command is one command: its name, and the function that reads its argument
// on the read loop and returns the rest of the work.
type command struct {
	name     string
	argument string // the name of the type of its argument
	prepare  func(*session, json.RawMessage) (wire.Run, error)
}

// commands returns all commands, in the order in which initialize lists them.
func commands() []command {
	return []command{
		typed(commandChat, (*session).chat),
		typed(commandApprove, deciding((*decisions).approve)),
		typed(commandReject, deciding((*decisions).reject)),
		typed(commandRework, (*session).rework),
		typed(commandStage, deciding((*decisions).stage)),
		typed(commandRollback, deciding((*decisions).rollback)),
		typed(commandUndo, deciding((*decisions).undo)),
		typed(commandReview, deciding((*decisions).review)),
		typed(commandCancel, (*session).cancel),
		typed(commandShow, (*session).show),
		typed(commandState, (*session).state),
		typed(commandHunks, (*session).hunks),
		typed(commandComplete, (*session).completeMessage),
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// typed returns a command whose one argument is an A. It refuses members that A does not
// have, since a mistyped scope must not widen a decision.
func typed[A any](name string, prepare func(*session, A) (wire.Run, error)) command {
	return command{name, reflect.TypeFor[A]().Name(), func(s *session, raw json.RawMessage) (wire.Run, error) {
		var argument A
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&argument); err != nil {
			return nil, backend.InvalidParams(name + ": " + argumentError(err))
		}
		return prepare(s, argument)
	}}
}

// deciding returns the handler of a command that decides.
func deciding[A any](prepare func(*decisions, A) (wire.Run, error)) func(*session, A) (wire.Run, error) {
	return func(s *session, argument A) (wire.Run, error) { return prepare(s.decisions, argument) }
}

type executeCommandParams struct {
	Command   string           `json:"command"`
	Arguments []jsontext.Value `json:"arguments"`
}

// executeCommand runs a command (LSP 3.18, "Execute a command"). Its argument
// is read in wire order and the work is done off the read loop; what takes long
// (a turn) goes on after the answer, since clients wait for that.
func (s *session) executeCommand(_ context.Context, p *executeCommandParams) (wire.Run, error) {
	for _, c := range commands() {
		if c.name != p.Command {
			continue
		}
		argument := json.RawMessage("{}")
		switch {
		case len(p.Arguments) > 1:
			return nil, backend.InvalidParams(c.name + " takes one argument, an object.")
		case len(p.Arguments) == 1 && string(p.Arguments[0]) != "null":
			argument = bytes.Clone(p.Arguments[0])
		}
		run, err := c.prepare(s, argument)
		if err != nil {
			return nil, answerError(s.window, c.name, err)
		}
		return func(ctx context.Context) (any, error) {
			result, err := run(ctx)
			if err != nil {
				return nil, answerError(s.window, c.name, err)
			}
			// encoding/json, not LSP's codec: the objects of the contract are
			// tagged for it.
			raw, err := json.Marshal(result)
			return json.RawMessage(raw), err
		}, nil
	}
	return nil, backend.InvalidParams(fmt.Sprintf("There is no command %.100q.", p.Command))
}

// answerError gives the error of a command its code and data: what is wrong with the
// argument itself is InvalidParams. A message shows it too, since some clients (Helix)
// only log the error of a command. There is no message when a client asks for the state
// and the plans cannot be read: it may ask all the time.
func answerError(w *window.Window, command string, err error) error {
	_, refused := errors.AsType[*refusal.Error](err)
	if known, ok := refusal.Of(err); ok && (refused || command != commandState) {
		w.Error(known.Reason)
	}
	return backend.Error(err)
}

// argumentError says in one sentence what is wrong with an argument.
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

// kindOf names a Go kind as JSON does.
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
