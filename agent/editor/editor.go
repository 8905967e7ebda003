// Package editor declares the program that holds the user's text, as a session needs it.
package editor

import (
	"context"

	"redline/agent/event"
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

	// Review shows the proposals of a plan to the user in the editor's own
	// review, where each can be let through or not, and returns once the user
	// has decided, which may take minutes. What was let through is found out
	// from the text: the result has one entry for each proposal, in order. It
	// is Done if all of it is there, Refused if nothing of it is, Unverified
	// with Landings and Move if it was let through in part, and Unknown if the
	// editor has not said. An error means that the editor is gone.
	Review(ctx context.Context, plan int, proposals []Proposal) ([]edits.Applied, error)

	// Show brings a place to the user's eyes where the editor can do that.
	Show(ctx context.Context, at Location) error

	// Ask puts a question with a few possible answers. An editor that cannot
	// ask, or a user who does not answer, gives the zero Answer.
	Ask(ctx context.Context, q Question) (Answer, error)

	// Notify tells the editor what happened. It never blocks.
	Notify(event.Event)
}

// Proposal is one change of a review.
type Proposal struct {
	edits.Change
	Hunks []ProposedHunk // of an update or rename one for each edit, of a creation or deletion one
}

// ProposedHunk is what a user is told of a hunk in a review.
type ProposedHunk struct {
	ID             string
	Added, Removed int // lines
}

// Location is a place in a file: a workspace path and a line from 0.
type Location struct {
	Path string
	Line int
}

// Question is put to the user; Options are the possible answers.
type Question struct {
	Text    string
	Detail  string // what it is about, as a unified diff, for where there is room; "" for nothing
	Options []string
	Open    bool // any other words answer it too, in the chat: an editor that cannot offer the options says nothing
}

// Answer is what the user chose: one of the options, or "" for none.
type Answer struct{ Choice string }
