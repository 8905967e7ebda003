package apply

import (
	"cmp"
	"context"
	"time"

	"redline/lsp/position"
	"redline/workspace"
)

// Conn is the connection to the client; [redline/lsp/wire.Conn] is one.
type Conn interface {
	// Call sends a request and waits for its result, which is decoded into result.
	// It returns [redline/lsp/wire.ErrClosed] when the client is gone.
	Call(ctx context.Context, method string, params, result any) error
	// Go runs f beside everything else until the connection ends.
	Go(name string, f func(ctx context.Context))
}

// Options are what an Applier is made of.
type Options struct {
	Conn      Conn
	Workspace *workspace.Workspace
	Positions position.Mapper
	Client    Client
	Timeouts  Timeouts

	// Damaged reports whether a document is open whose text is not known.
	// Nothing is applied to it.
	Damaged func(path string) bool
	// Late is called with the path of a file for which the client has answered
	// after Apply or Review had returned, once its text is known.
	Late func(path string)
}

// Timeouts bound what an Applier waits for. A zero field has its default.
type Timeouts struct {
	ApplyEdit time.Duration // the answer to workspace/applyEdit: a user may be asked; 10 s
	Late      time.Duration // how much longer an answer to one of these is listened for; 1 min
	Review    time.Duration // the answer to a review, at which a user looks; 1 h
	Verify    time.Duration // how long a text that was changed may take to be seen; longer than a command may run, since eglot sends what has changed only after that; 7 s
	Hidden    time.Duration // how long a change of a file that is not open may take to be seen, within Verify; 2 s
	Refusal   time.Duration // how long the change that explains a refusal may take to be seen; 300 ms
}

func (t Timeouts) withDefaults() Timeouts {
	t.ApplyEdit = cmp.Or(t.ApplyEdit, 10*time.Second)
	t.Late = cmp.Or(t.Late, time.Minute)
	t.Review = cmp.Or(t.Review, time.Hour)
	t.Verify = cmp.Or(t.Verify, 7*time.Second)
	t.Hidden = cmp.Or(t.Hidden, 2*time.Second)
	t.Refusal = cmp.Or(t.Refusal, 300*time.Millisecond)
	return t
}
