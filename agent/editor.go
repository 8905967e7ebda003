package agent

import (
	"context"

	"redline/edits"
)

// Editor is the program that holds the user's text. The agent changes files
// only through it. Package lsp implements it over a connection to a real
// editor; the command line implements it with workspace.Disk and a terminal.
type Editor interface {
	// Apply makes the changes in order, stops at the first refusal and returns
	// once every change that was made has been verified against the text. The
	// result has one entry for each change that was begun. An error means that
	// the editor is gone, not that a change was refused.
	Apply(ctx context.Context, changes []edits.Change) ([]edits.Applied, error)

	// Show brings a place to the user's eyes where the editor can do that.
	Show(ctx context.Context, at Location) error

	// Ask puts a question with a few possible answers. An editor that cannot
	// ask, or a user who does not answer, gives the zero Answer.
	Ask(ctx context.Context, q Question) (Answer, error)

	// Notify tells the editor what happened. It never blocks.
	Notify(Event)
}

// Location is a place in a file: a workspace path and a line from 0.
type Location struct {
	Path string
	Line int
}

// Question is put to the user; Options are the possible answers.
type Question struct {
	Text    string
	Options []string
}

// Answer is what the user chose: one of the options, or "" for none.
type Answer struct{ Choice string }
