package state

import (
	"context"

	"redline/edits"
)

// Editor is the program that holds the user's text. The agent changes files only through
// it. Package lsp implements it over a connection; the command line implements it with
// workspace.Disk and a terminal.
type Editor interface {
	// Apply makes the changes in order and stops at the first that is refused. It returns after
	// it has checked the text for every change that was made. The result has one entry for each
	// change that was begun. An error means that the editor is gone, not that a change was
	// refused.
	//
	// Meanwhile Apply calls landed, unless it is nil, with the number of changes, counted from
	// the first, that the texts have: 1, 2, 3 …, or all at once if they were made in one
	// request. The result may still differ, since a text can change again. Apply waits for
	// landed, and does not call it after a change has failed.
	Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error)

	// Review shows the proposals of a plan in the editor's own review, where the user
	// accepts or rejects each, and returns when the user has decided, which may take
	// minutes. The result has one entry for each proposal, in order, found from the
	// text: Done if all of it is there, Refused if none of it is, Unverified with
	// Landings and Move if part of it is, and Unknown if the editor did not answer. An
	// error means that the editor is gone.
	Review(ctx context.Context, plan int, proposals []Proposal) ([]edits.Applied, error)

	// Show opens a file at a line, if the editor supports that.
	Show(ctx context.Context, at Location) error

	// CanShow reports whether the editor can show files and pages.
	CanShow() bool

	// Follows reports whether the editor follows every event, so that an event for each file of
	// an execution is useful. For other editors a few are enough.
	Follows() bool

	// ShowsDiffs reports whether the editor shows differences in the way that an event asks for.
	ShowsDiffs() bool

	// Ask asks the user to choose one of a few answers. If the editor cannot ask, or the
	// user does not answer, it returns the zero EditorAnswer.
	Ask(ctx context.Context, q Question) (EditorAnswer, error)

	// Notify sends an event to the editor. It never blocks.
	Notify(Event)
}

// Proposal is one change of a review.
type Proposal struct {
	edits.Change
	Hunks []ProposedHunk // one for each edit of an update or rename; exactly one for a creation or deletion
}

// ProposedHunk describes a hunk to the user in a review.
type ProposedHunk struct {
	ID             string
	Added, Removed int // lines
}

// Location is a line of a file.
type Location struct {
	Path string // in the workspace
	Line int    // from 0
}

// Question is a question to the user.
type Question struct {
	Text    string
	Detail  string   // a unified diff for the question, shown if there is room; "" for none
	Options []string // the possible answers
	Open    bool     // the user may also answer in the chat with other words, so an editor that cannot offer the options shows nothing
}

// EditorAnswer is what the user chose: one of the options, or "" for none.
type EditorAnswer struct{ Choice string }
