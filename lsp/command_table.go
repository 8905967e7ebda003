package lsp

import (
	"bytes"
	"encoding/json"
	"reflect"

	"redline/lsp/backend"
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
	prepare  func(*runner, json.RawMessage) (wire.Run, error)
}

// commands returns all commands, in the order in which initialize lists them.
func commands() []command {
	return []command{
		typed(commandChat, (*runner).chat),
		typed(commandApprove, (*runner).approve),
		typed(commandReject, (*runner).reject),
		typed(commandRework, (*runner).rework),
		typed(commandStage, (*runner).stage),
		typed(commandRollback, (*runner).rollback),
		typed(commandUndo, (*runner).undo),
		typed(commandReview, (*runner).review),
		typed(commandCancel, (*runner).cancel),
		typed(commandShow, (*runner).show),
		typed(commandState, (*runner).state),
		typed(commandHunks, (*runner).hunks),
		typed(commandComplete, (*runner).completeMessage),
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
func typed[A any](name string, prepare func(*runner, A) (wire.Run, error)) command {
	return command{name, reflect.TypeFor[A]().Name(), func(r *runner, raw json.RawMessage) (wire.Run, error) {
		var argument A
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&argument); err != nil {
			return nil, backend.InvalidParams(name + ": " + argumentError(err))
		}
		return prepare(r, argument)
	}}
}
