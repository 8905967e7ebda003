package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/apply"
	"redline/lsp/backend"
	"redline/lsp/completion"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/window"
	"redline/lsp/wire"
	"redline/workspace"
)

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
