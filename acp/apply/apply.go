// Package apply changes files through a client of the Agent Client Protocol that cannot be
// trusted. Where the client writes files, it is given the whole text of an edited or new
// file, so that the editor knows of the change; everything else, and what such a text cannot
// say, is changed on the disk. Then the texts are read again, in the editor and on the disk,
// to find out what the client really did. Package judge has the words for it.
//
// What the client has not saved is asked for and kept as an open document of the workspace,
// see [Applier.Refresh].
//
// It needs a connection and a workspace, and knows nothing of plans.
package apply

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"redline/agent/state"
	"redline/edits"
	"redline/workspace"
	"redline/workspace/judge"
)

// Conn is the connection to the client; [redline/internal/acpwire.Conn] is one.
type Conn interface {
	// Call sends a request and waits for its answer. The client's own error is an
	// [*acp.RequestError]; another means that the client is gone, unless ctx is done.
	Call(ctx context.Context, method string, params any) (json.RawMessage, error)
}

// Client says which files the client reads and writes for an agent.
type Client struct {
	Read  bool // it answers fs/read_text_file
	Write bool // it answers fs/write_text_file
}

// Options configure an Applier.
type Options struct {
	Conn      Conn
	Session   func() string // the id of a session that the client has open; "" for none: the disk is used
	Workspace *workspace.Workspace
	Client    Client
	Timeouts  Timeouts

	// Late is called with the path of a file when the client answers for it after Apply
	// has returned, once the file's text is known. It may be nil.
	Late func(path string)
}

// Timeouts bound how long an Applier waits. A zero field means its default.
type Timeouts struct {
	Write   time.Duration // the answer to fs/write_text_file, which may ask a user; 10 s
	Late    time.Duration // how much longer to listen for a late answer; 1 min
	Read    time.Duration // the answer to fs/read_text_file; 2 s
	Verify  time.Duration // how long a text that was written may take to show; 2 s
	Refusal time.Duration // how long the text that explains a refusal may take to show; 300 ms
}

func (t Timeouts) withDefaults() Timeouts {
	t.Write = cmp.Or(t.Write, 10*time.Second)
	t.Late = cmp.Or(t.Late, time.Minute)
	t.Read = cmp.Or(t.Read, 2*time.Second)
	t.Verify = cmp.Or(t.Verify, 2*time.Second)
	t.Refusal = cmp.Or(t.Refusal, 300*time.Millisecond)
	return t
}

// Applier makes changes through the client, and keeps the texts that the client has not
// saved.
type Applier struct {
	Options
	disk  *workspace.Disk
	files judge.Files

	reading sync.Mutex  // held while one text is asked for
	kept    int32       // how many texts were kept: versions of documents
	mute    atomic.Bool // the client has not answered when it was last asked for a text

	mu      sync.Mutex
	lastEnd int // how many line ends the client puts at the end of a text beyond those it gets: -1, 0 or 1
}

// New returns an Applier for one session of a client.
func New(o Options) *Applier {
	o.Timeouts = o.Timeouts.withDefaults()
	return &Applier{Options: o, disk: workspace.NewDisk(o.Workspace), files: judge.Files{Workspace: o.Workspace}}
}

// attempt is one change in progress.
type attempt struct {
	judge.Attempt
	saved  string // the text on the disk before the change
	unmake func() // removes the folders made for it; nil if there are none
}

// Apply implements [state.Editor]: it makes the changes in order and stops at the first that
// is refused, made in part, or not answered for. It verifies each before it begins the next.
// An error means that the client is gone.
func (a *Applier) Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error) {
	if refused := judge.RefuseEarly(changes, func(c edits.Change) *judge.Attempt { return &a.prepare(ctx, c).Attempt }); refused != nil {
		return refused, nil
	}
	var results []edits.Applied
	for _, c := range changes {
		result, err := a.apply(ctx, c)
		results = append(results, result)
		switch result.Status {
		case edits.Done:
			if landed != nil {
				landed(len(results))
			}
		case edits.Unverified:
			landed = nil
		default:
			return results, err
		}
		if err != nil {
			return results, err
		}
	}
	return results, nil
}

// apply makes one change.
func (a *Applier) apply(ctx context.Context, c edits.Change) (edits.Applied, error) {
	t := a.prepare(ctx, c)
	if why := a.Workspace.Guarded(c); why != "" && !t.Finished {
		t.Refuse(why)
	}
	if t.Finished {
		return t.Result, nil
	}
	if t.OnDisk {
		return a.onDisk(ctx, t)
	}
	if c.Kind == edits.Create {
		unmake, err := a.disk.MakeParents(c.Path) // some clients do not
		if err != nil {
			t.Refuse(err.Error())
			return t.Result, nil
		}
		t.unmake = unmake
	}
	err := a.write(ctx, t)
	if !t.Finished {
		t.Finish(edits.Applied{Status: edits.Unknown, Reason: judge.Exited})
	}
	if t.unmake != nil && t.Result.Status == edits.Refused {
		t.unmake()
	}
	return t.Result, err
}

// onDisk has the server make a change.
func (a *Applier) onDisk(ctx context.Context, t *attempt) (edits.Applied, error) {
	applied, err := a.disk.Apply(ctx, []edits.Change{t.Change})
	if len(applied) == 0 {
		return edits.Applied{Path: t.Change.Path, Status: edits.Refused, Reason: "It was not begun."}, err
	}
	return applied[0], err
}

// prepare returns an attempt at a change, for the text that the editor has now. A change that
// cannot be made is finished as Refused; one that is already in the text is finished as Done.
func (a *Applier) prepare(ctx context.Context, c edits.Change) *attempt {
	t := &attempt{Attempt: judge.Attempt{Change: c}}
	_ = a.refresh(ctx, c.Path) // the disk counts if it fails
	if c.Kind == edits.Rename {
		_ = a.refresh(ctx, c.NewPath)
	}
	file, err := a.Workspace.Read(c.Path)
	if err != nil {
		t.Refuse(err.Error())
		return t
	}
	t.Read(file)
	saved, err := a.Workspace.ReadSaved(c.Path)
	if err != nil {
		t.Refuse(err.Error())
		return t
	}
	t.saved = saved.Text
	switch c.Kind {
	case edits.Create:
		a.prepareCreate(t)
	case edits.Update:
		t.Rebase()
		t.FinishPrepared()
	}
	if !t.Finished {
		t.OnDisk = !a.says(t, saved)
	}
	if t.OnDisk && t.Open != nil {
		t.Refuse(c.Path + " has unsaved changes in the editor; save it and try again")
	}
	return t
}

// prepareCreate checks that nothing is in the way of a new file.
func (a *Applier) prepareCreate(t *attempt) {
	switch exists, _, err := a.Workspace.Stat(t.Change.Path); {
	case err != nil:
		t.Refuse(err.Error())
	case exists || !edits.Blank(t.Before):
		t.Refuse(t.Change.Path + " now exists, and Redline never creates a file over another")
	default:
		t.Edits = []edits.Edit{{Span: edits.Span{End: len(t.Before)}, New: t.Change.Text}}
	}
}

// says reports whether a text given to the client can say the change. It cannot say a
// permission, a byte order mark, a charset or the kind of line ends, and clients replace
// symbolic links. They neither delete nor move files.
func (a *Applier) says(t *attempt, saved workspace.File) bool {
	c := t.Change
	switch {
	case !a.Client.Write || a.Session() == "", c.Kind != edits.Create && c.Kind != edits.Update, c.Restore:
		return false
	case c.BOM, saved.BOM, t.BOM, edits.NewMode(c.Mode)&0o111 != 0:
		return false
	case a.Workspace.WritesCharset(saved, c), a.Workspace.IsLink(c.Path):
		return false
	}
	after, err := t.After()
	return err == nil && !strings.Contains(t.Before+after, "\r")
}

// Review implements [state.Editor] and changes nothing: a client of this protocol has no review of
// several changes.
func (a *Applier) Review(_ context.Context, _ int, proposals []state.Proposal) ([]edits.Applied, error) {
	results := make([]edits.Applied, len(proposals))
	for i, p := range proposals {
		results[i] = edits.Applied{Path: p.Path, Status: edits.Refused, Reason: "this editor has no review of its own: approve the plan, or parts of it"}
	}
	return results, nil
}
