// Package command runs the commands of workspace/executeCommand. Code actions, lenses and
// questions take the commands' names and arguments from here.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/wire"
	"redline/lsp/apply"
	"redline/lsp/backend"
	"redline/lsp/completion"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/window"
	"redline/workspace"
)

// The commands of workspace/executeCommand.
const (
	Chat     = "redline.chat"
	Approve  = "redline.approve"
	Reject   = "redline.reject"
	Rework   = "redline.rework"
	Stage    = "redline.stage"
	Edit     = "redline.edit"
	Comment  = "redline.comment"
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

	AllowTrials   = "redline.allowTrials"
	Conversations = "redline.conversations"
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
		typed(Edit, (*Runner).edit),
		typed(Comment, (*Runner).comment),
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
		typed(Conversations, (*Runner).conversations),
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

// Runner runs the commands of workspace/executeCommand for one client.
type Runner struct{ Options }

// Options configure a Runner.
type Options struct {
	ClientName string // for records only
	Review     bool   // the client has a review of edits of its own

	Conn      *wire.Conn
	Window    *window.Window
	Workspace *workspace.Workspace
	Backend   *backend.Backend
	Positions position.Mapper
	Locations position.Finder
	Pages     pages.Pages
	Shown     *pages.Shown
	Completer *completion.Completer

	// Preview returns the edit that makes the changes, for a client that shows it itself,
	// and the files that it leaves out. It sends nothing.
	Preview func([]edits.Change) (protocol.WorkspaceEdit, []apply.Omitted)
}

// New returns the commands of one client.
func New(o Options) *Runner { return &Runner{o} }

// Execute reads the argument of a command at once, and returns the rest of the work. A command
// that takes long continues after its answer, since clients wait for the answer.
func (r *Runner) Execute(name string, arguments []jsontext.Value) (wire.Run, error) {
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		argument := json.RawMessage("{}")
		switch {
		case len(arguments) > 1:
			return nil, backend.InvalidParams(c.name + " takes one argument, an object.")
		case len(arguments) == 1 && string(arguments[0]) != "null":
			argument = bytes.Clone(arguments[0])
		}
		run, err := c.prepare(r, argument)
		if err != nil {
			return nil, r.answerError(c.name, err)
		}
		return func(ctx context.Context) (any, error) {
			result, err := run(ctx)
			if err != nil {
				return nil, r.answerError(c.name, err)
			}
			// encoding/json, not LSP's codec: the results have tags for it.
			raw, err := json.Marshal(result)
			return json.RawMessage(raw), err
		}, nil
	}
	return nil, backend.InvalidParams(fmt.Sprintf("There is no command %.100q.", name))
}

// answerError returns the error that answers a command. It also shows a refusal as a message,
// since some clients (Helix) only log the error. It shows no message if a client asks for the
// state and the plans cannot be read, since a client may ask for the state all the time.
func (r *Runner) answerError(command string, err error) error {
	_, refused := errors.AsType[*plan.Refusal](err)
	if known, ok := plan.RefusalOf(err); ok && (refused || command != State) {
		r.Window.Error(known.Reason)
	}
	return backend.Error(err)
}

// Chosen runs a command that the user has chosen in a question, and shows its error.
func (r *Runner) Chosen(run wire.Run, err error) {
	if err == nil {
		_, err = run(r.Conn.Context())
	}
	if err == nil || r.Conn.Context().Err() != nil {
		return
	}
	if _, refused := errors.AsType[*plan.Refusal](err); !refused {
		r.Window.Error(phrase.OneSentence(err.Error()))
		return
	}
	_ = r.answerError(Approve, err) // for the message that it shows
}
