// Package apply changes files through an editor that cannot be trusted. It sends
// workspace/applyEdit and reads the text to find out what the editor really did. It
// sends again what the editor left out, reverts what it put into the wrong lines, and
// reports what it could not fix.
//
// It needs a connection and a workspace, and knows nothing of sessions or plans.
package apply

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/lsp/position"
	"redline/workspace"
	"redline/workspace/judge"
)

// Applier makes changes through the client (LSP 3.18, "Applies a
// WorkspaceEdit"). It takes the client's answer as a hint and the text as the
// truth.
type Applier struct {
	Options
	disk *workspace.Disk

	encoder encoder
	files   judge.Files
	watcher watcher
}

// New returns an Applier for one connection.
func New(o Options) *Applier {
	f := judge.Files{Workspace: o.Workspace}
	o.Timeouts = o.Timeouts.withDefaults()
	return &Applier{
		Options: o, disk: workspace.NewDisk(o.Workspace),
		encoder: encoder{positions: o.Positions, files: f, client: o.Client},
		files:   f,
		watcher: watcher{workspace: o.Workspace, positions: o.Positions},
	}
}

// Opened must be called with each document that the client opens: the first one with
// a byte order mark shows whether the client keeps the mark in its text.
func (a *Applier) Opened(b *workspace.Buffer) {
	if b.BOM {
		a.encoder.keepsBOM.Store(b.Lines.Marked())
	}
}

// Apply makes the changes in order and stops at the first that fails. The result has
// an entry for each change that was begun. An error means that the client is gone.
//
// Apply sends one request per file, each right after the answer to the last: some
// clients (Kate) take edits only for two seconds after the user's command. A client
// that is transactional over several files gets all changes in one request. Apply
// verifies the texts at the end. It calls landed, unless that is nil, as soon as a text
// shows its change, see [redline/agent/state.Editor].
func (a *Applier) Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error) {
	if refused := judge.RefuseEarly(changes, func(c edits.Change) *judge.Attempt { return &a.prepare(c).Attempt }); refused != nil {
		return refused, nil
	}
	var begun []*attempt
	seen := progress{tell: landed, together: a.Client.Transactional}
	defer func() {
		for _, t := range begun {
			a.watcher.unwatch(t)
		}
	}()
	size := 1 // changes in a request
	if a.Client.Transactional {
		size = max(size, len(changes))
	}
	for changes := range slices.Chunk(changes, size) {
		batch, err := a.applyBatch(ctx, changes)
		begun = append(begun, batch...)
		if err != nil {
			return results(begun), err
		}
		if anyFailed(batch) {
			seen.tell = nil
			break
		}
		if !seen.together {
			seen.look(a.files, begun)
		}
	}
	a.verifyAll(ctx, unfinished(begun), func() {
		if !seen.together {
			seen.look(a.files, begun)
		}
	})
	seen.look(a.files, begun)
	for _, t := range begun {
		if t.unmake != nil && t.Finished && t.Result.Status == edits.Refused {
			t.unmake()
		}
	}
	for _, t := range begun {
		if t.Finished && t.Result.Status == edits.Done {
			a.disk.RemoveFolders(t.Change.Folders)
		}
	}
	return results(begun), nil
}

// applyBatch makes the changes of one request, up to the client's answer, and returns
// an attempt for each, in order. If one of them cannot be made, it sends nothing.
func (a *Applier) applyBatch(ctx context.Context, changes []edits.Change) ([]*attempt, error) {
	batch := make([]*attempt, len(changes))
	for i, c := range changes {
		batch[i] = a.prepare(c)
		if why := a.Workspace.Guarded(c); why != "" && !batch[i].Finished {
			batch[i].Refuse(why)
		}
		a.makeFolders(batch[i])
	}
	if anyFailed(batch) {
		finishAll(unfinished(batch), edits.Refused, "Nothing was sent, because another file cannot be changed.")
		return batch, nil
	}
	var forClient []*attempt
	for _, t := range unfinished(batch) {
		if !t.OnDisk {
			forClient = append(forClient, t)
		}
	}
	if err := a.send(ctx, forClient); err != nil {
		return batch, err
	}
	for _, t := range unfinished(batch) {
		if !t.OnDisk {
			continue
		}
		if anyFailed(batch) {
			finishAll([]*attempt{t}, edits.Refused, "It was not begun, because another file was not changed.")
			continue
		}
		applied, err := a.disk.Apply(ctx, []edits.Change{t.Change})
		if len(applied) == 1 {
			t.Finish(applied[0])
		}
		if err != nil {
			return batch, err
		}
	}
	return batch, nil
}

// makeFolders creates the parent folders of a file that the client is to create or
// move, since some clients do not (Neovim 0.7, Sublime).
func (a *Applier) makeFolders(t *attempt) {
	switch {
	case t.Finished || t.OnDisk:
		return
	case t.Change.Kind == edits.Create && t.Open != nil && t.Open.Dirty:
		return // an emptied buffer: its folder exists
	case t.Change.Kind != edits.Create && t.Change.Kind != edits.Rename:
		return
	}
	unmake, err := a.disk.MakeParents(t.Path())
	if err != nil {
		t.Refuse(err.Error())
		return
	}
	t.unmake = unmake
}

// Conn is the connection to the client; [redline/internal/wire.Conn] is one.
type Conn interface {
	// Call sends a request, waits for its answer and decodes it into result.
	// It returns [redline/internal/wire.ErrClosed] when the client is gone.
	Call(ctx context.Context, method string, params, result any) error
	// Go runs f beside everything else until the connection ends.
	Go(name string, f func(ctx context.Context))
}

// Options configure an Applier.
type Options struct {
	Conn      Conn
	Workspace *workspace.Workspace
	Positions position.Mapper
	Client    Client
	Timeouts  Timeouts

	// Damaged reports whether a document is open but its text is not known.
	// Nothing is applied to such a document.
	Damaged func(path string) bool
	// Late is called with the path of a file when the client answers for it after
	// Apply or Review has returned, once the file's text is known.
	Late func(path string)
}

// Timeouts bound how long an Applier waits. A zero field means its default.
type Timeouts struct {
	ApplyEdit time.Duration // the answer to workspace/applyEdit, which may ask a user; 10 s
	Late      time.Duration // how much longer to listen for a late answer; 1 min
	Review    time.Duration // the answer to a review, which a user reads; 1 h
	Verify    time.Duration // how long a changed text may take to show; longer than a command may run, since eglot sends changes only after that; 7 s
	Hidden    time.Duration // how long a change to a file that is not open may take to show, within Verify; 2 s
	Refusal   time.Duration // how long the change that explains a refusal may take to show; 300 ms
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

// Client describes what the client can do with workspace edits.
type Client struct {
	DocumentChanges bool // takes documentChanges in a WorkspaceEdit
	LooseVersions   bool // may take version 0 of a document for any version
	Create          bool // file operations it can carry out
	Rename          bool
	Delete          bool
	Transactional   bool // all or nothing, over several files
}

// NewClient reads the client's capabilities. Neovim announces only the file operations
// but takes documentChanges; it is the client that does not check version 0.
func NewClient(e *protocol.WorkspaceEditClientCapabilities) Client {
	announced := e.DocumentChanges != nil && *e.DocumentChanges
	c := Client{
		DocumentChanges: announced || len(e.ResourceOperations) > 0,
		Transactional:   e.FailureHandling == protocol.FailureHandlingKindTransactional,
	}
	c.LooseVersions = c.DocumentChanges && !announced
	for _, kind := range e.ResourceOperations {
		switch kind {
		case protocol.ResourceOperationKindCreate:
			c.Create = true
		case protocol.ResourceOperationKindRename:
			c.Rename = true
		case protocol.ResourceOperationKindDelete:
			c.Delete = true
		}
	}
	return c
}
