package apply

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/lsp/position"
	"redline/lsp/wire"
	"redline/workspace"
)

// maxResends is how often a change is rebased and sent again after the client
// refused it for a newer text.
const maxResends = 3

// Applier makes changes through the client (LSP 3.18, "Applies a
// WorkspaceEdit"). What the client answers is a hint; what is in the text
// counts.
type Applier struct {
	conn      Conn
	workspace *workspace.Workspace
	disk      *workspace.Disk
	mapper    position.Mapper
	client    Client
	timeouts  Timeouts
	damaged   func(path string) bool
	late      func(path string)

	keepsMarks    atomic.Bool // the client has byte order marks in its texts; see [Applier.Opened]
	exactVersions atomic.Bool // the client has refused an edit for which [Applier.version] named another
	witnesses     witnesses
}

// New returns an Applier for one connection.
func New(o Options) *Applier {
	return &Applier{
		conn: o.Conn, workspace: o.Workspace, disk: workspace.NewDisk(o.Workspace), mapper: o.Positions,
		client: o.Client, timeouts: o.Timeouts.withDefaults(), damaged: o.Damaged, late: o.Late,
	}
}

// Apply implements editor.Editor. Each file is a request of its own, sent right
// after the answer to the one before: some clients (Kate) take edits only for
// two seconds after the user's command. A client that is transactional over
// several files gets them all in one. The texts are looked at at the end.
func (a *Applier) Apply(ctx context.Context, changes []edits.Change) ([]edits.Applied, error) {
	if refused := a.refusedAhead(changes); refused != nil {
		return refused, nil
	}
	var begun []*sending
	defer func() {
		for _, s := range begun {
			a.unwatch(s)
		}
	}()
	for _, batch := range a.batches(changes) {
		sent, err := a.make(ctx, batch)
		begun = append(begun, sent...)
		if err != nil {
			return results(begun), err
		}
		if stopped(sent) {
			break
		}
	}
	a.verifyAll(ctx, unsettled(begun))
	tidy(begun)
	for _, s := range begun {
		if s.settled && s.result.Status == edits.Done {
			a.disk.RemoveFolders(s.change.Folders)
		}
	}
	return results(begun), nil
}

// refusedAhead looks at all files before anything is sent for one of them: a
// change that cannot be made refuses those before it too. It returns nil if all
// can be made by now. A change at a path that an earlier one has to do with is
// looked at in its turn only.
func (a *Applier) refusedAhead(changes []edits.Change) []edits.Applied {
	touched := map[string]bool{}
	for i, c := range changes {
		if len(changes) > 1 && !touched[c.Path] && !touched[c.NewPath] {
			if s := a.prepare(c); s.settled && s.result.Status == edits.Refused {
				results := make([]edits.Applied, i+1)
				for k, before := range changes[:i] {
					results[k] = edits.Applied{Path: before.Path, Status: edits.Refused,
						Reason: "It was not begun, because " + c.Path + " cannot be changed: " + s.result.Reason}
				}
				results[i] = s.result
				return results
			}
		}
		touched[c.Path] = true
		if c.NewPath != "" {
			touched[c.NewPath] = true
		}
	}
	return nil
}

// verifyAll looks at the texts of what the client has accepted. A file that is
// not open after a moment will not be opened any more; the text of one that is
// may be longer on its way.
func (a *Applier) verifyAll(caller context.Context, sent []*sending) {
	ctx, cancel := context.WithTimeout(caller, a.timeouts.Verify)
	defer cancel()
	moment, cancel := context.WithTimeout(ctx, a.timeouts.Hidden)
	defer cancel()
	for _, s := range sent {
		if !a.await(moment, s) && a.see(s).Buffer != nil {
			a.await(ctx, s)
		}
		a.putMarkBack(caller, s)
		a.conclude(caller, s)
	}
}

// batches groups changes into what goes into one request each.
func (a *Applier) batches(changes []edits.Change) [][]edits.Change {
	if a.client.Transactional && len(changes) > 1 {
		return [][]edits.Change{changes}
	}
	out := make([][]edits.Change, len(changes))
	for i := range changes {
		out[i] = changes[i : i+1]
	}
	return out
}

// make carries out one batch as far as the client's answer. It returns all of
// its changes, in order: nothing is sent if one of them cannot be.
func (a *Applier) make(ctx context.Context, changes []edits.Change) ([]*sending, error) {
	batch := make([]*sending, len(changes))
	for i, c := range changes {
		batch[i] = a.prepare(c)
		if why := a.workspace.Guarded(c); why != "" && !batch[i].settled {
			batch[i].refuse(why)
		}
		a.makeParents(batch[i])
	}
	if stopped(batch) {
		settleAll(unsettled(batch), edits.Refused, "Nothing was sent, because another file cannot be changed.")
		return batch, nil
	}
	var forClient []*sending
	for _, s := range unsettled(batch) {
		if !s.onDisk {
			forClient = append(forClient, s)
		}
	}
	if err := a.send(ctx, forClient); err != nil {
		return batch, err
	}
	for _, s := range unsettled(batch) {
		if !s.onDisk {
			continue
		}
		if stopped(batch) {
			settleAll([]*sending{s}, edits.Refused, "It was not begun, because another file was not changed.")
		} else if err := a.applyOnDisk(ctx, s); err != nil {
			return batch, err
		}
	}
	return batch, nil
}

// applyOnDisk makes a change that the client leaves to the server.
func (a *Applier) applyOnDisk(ctx context.Context, s *sending) error {
	applied, err := a.disk.Apply(ctx, []edits.Change{s.change})
	if len(applied) == 1 {
		s.settle(applied[0])
	}
	return err
}

// send has the client make the batch, again after each newer text, until it
// has answered or its texts show what it did. The error says that the client
// is gone.
func (a *Applier) send(ctx context.Context, batch []*sending) error {
	for len(batch) > 0 {
		for _, s := range batch {
			a.watch(s)
		}
		answer, err := a.call(ctx, batch, a.workspaceEdit(batch), a.timeouts.ApplyEdit)
		if err != nil {
			return err
		}
		if answer.verdict == accepted {
			for _, s := range batch {
				s.answered = a.see(s).Buffer
			}
			return nil
		}
		newer := a.settleRefused(ctx, batch, answer)
		// What is in the wrong lines is put right when all has been sent.
		batch = slices.DeleteFunc(unsettled(batch), func(s *sending) bool { return s.misplaced() != nil })
		if answer.verdict == silent {
			settleAll(batch, edits.Unknown, answer.reason)
			return nil
		}
		if !newer && slices.ContainsFunc(batch, a.otherVersion) {
			a.exactVersions.Store(true)
			newer = true
		}
		if !newer || slices.ContainsFunc(batch, func(s *sending) bool { return s.resent == maxResends }) {
			settleAll(batch, edits.Refused, answer.reason)
			return nil
		}
		for _, s := range batch {
			if a.again(s); s.settled || s.onDisk {
				settleAll(unsettled(batch), edits.Refused, "The file was changed in the meantime: look at the plan again.")
				return nil
			}
		}
	}
	return nil
}

func settleAll(batch []*sending, status edits.Status, reason string) {
	for _, s := range batch {
		s.settle(edits.Applied{Status: status, Reason: reason})
	}
}

// settleRefused looks at the texts of a batch that the client did not accept.
// What is there all the same is done, and what is half there has failed; of a
// client that has not answered it may still become whole. It tells whether a
// text is newer than what the batch was made for, so that sending it again makes
// sense.
func (a *Applier) settleRefused(caller context.Context, batch []*sending, answer answer) (newer bool) {
	wait := a.timeouts.Refusal
	if answer.verdict == silent {
		wait = 0
	}
	ctx, cancel := context.WithTimeout(caller, wait)
	defer cancel()
	half := false
	for _, s := range batch {
		source, _ := a.workspace.AwaitText(ctx, s.change.Path, func(f workspace.File) bool {
			return f.Exists != s.existed || f.Text != s.before
		})
		file := a.see(s)
		switch {
		case s.look(file) == edits.Landed:
			s.settleLanded(file)
		case s.misplaced() != nil:
			if answer.verdict == silent {
				s.settleMisplaced("and has not answered, so that nothing more was sent")
			}
		case answer.verdict == silent:
		case a.half(s) != "":
			a.settleFailed(caller, s, answer.reason)
			half = true
		case source.Exists == s.existed && source.Text != s.before:
			newer = true
		}
	}
	return newer && !half
}

// verdict is what a client's answer comes to.
type verdict int

const (
	accepted verdict = iota
	refused
	silent // no answer in time
)

type answer struct {
	verdict verdict
	reason  string // one sentence, unless accepted
}

// call sends the batch, spelled as edit, and waits so long for the answer, or
// until the texts show that all of it was made: some clients never answer. An
// answer that comes later is still heard, see [Applier.hear].
func (a *Applier) call(caller context.Context, batch []*sending, edit protocol.WorkspaceEdit, patience time.Duration) (answer, error) {
	ctx, cancel := context.WithTimeout(caller, patience)
	defer cancel()
	label := "Redline"
	params := &protocol.ApplyWorkspaceEditParams{Label: &label, Edit: edit}

	var landed atomic.Bool
	made := make(chan struct{})
	defer func() { cancel(); <-made }()
	go func() {
		defer close(made)
		if a.awaitAll(ctx, batch) {
			landed.Store(true)
			time.AfterFunc(answerGrace, cancel)
		}
	}()

	asked, drop := context.WithTimeout(caller, patience+a.timeouts.Late)
	replies := make(chan reply, 1)
	a.conn.Go("workspace/applyEdit", func(context.Context) {
		var r reply
		r.err = a.conn.Call(asked, "workspace/applyEdit", params, &r.raw)
		replies <- r
	})
	select {
	case r := <-replies:
		drop()
		return r.read(caller)
	case <-ctx.Done():
	}
	if caller.Err() != nil || landed.Load() {
		drop()
		return reply{err: ctx.Err()}.read(caller)
	}
	<-made // it looks at the batch
	late := make([]*sending, len(batch))
	for i, s := range batch {
		kept := *s
		late[i] = &kept
	}
	a.conn.Go("late answer", func(context.Context) {
		defer drop()
		a.hear(asked, late, <-replies)
	})
	return reply{err: ctx.Err()}.read(caller)
}

// reply is what came of a workspace/applyEdit.
type reply struct {
	raw json.RawMessage
	err error
}

// read returns what a reply says. The error says that the client is gone, or
// nobody waits for it any more.
func (r reply) read(caller context.Context) (answer, error) {
	var coded *jsonrpc2.Error
	switch {
	case caller.Err() != nil:
		return answer{}, caller.Err()
	case errors.Is(r.err, wire.ErrClosed):
		return answer{}, r.err
	case errors.As(r.err, &coded):
		return answer{refused, sentence("The editor refused the edit: " + coded.Message)}, nil
	case errors.Is(r.err, wire.ErrBacklog):
		return answer{refused, sentence(r.err.Error())}, nil
	case r.err != nil:
		return answer{silent, "The editor has not answered yet: what is in its text will show whether it made the change."}, nil
	}
	return readAnswer(r.raw), nil
}

// hear takes an answer that came after the wait for it was over. Once the texts
// have had the time to show what was made, nothing more is coming.
func (a *Applier) hear(ctx context.Context, batch []*sending, r reply) {
	answer, err := r.read(ctx)
	if err != nil || answer.verdict == silent {
		return
	}
	wait := a.timeouts.Verify
	if answer.verdict == refused {
		wait = a.timeouts.Refusal
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	a.awaitAll(ctx, batch)
	for _, s := range batch {
		a.late(s.change.Path)
	}
}

// answerGrace is how long an answer may take after the text shows the change.
const answerGrace = 250 * time.Millisecond

// awaitAll waits until every file of the batch shows its change.
func (a *Applier) awaitAll(ctx context.Context, batch []*sending) bool {
	for _, s := range batch {
		if !a.await(ctx, s) {
			return false
		}
	}
	return true
}

// readAnswer reads an ApplyWorkspaceEditResult, also one that is not quite
// one: applied may be null (eglot), the whole result null or {}. Only a plain
// false, or a reason, is a refusal; the text is looked at either way.
func readAnswer(raw json.RawMessage) answer {
	var r struct {
		Applied       any `json:"applied"`
		FailureReason any `json:"failureReason"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return answer{verdict: accepted}
	}
	reason, _ := r.FailureReason.(string)
	if applied, ok := r.Applied.(bool); applied || !ok && reason == "" {
		return answer{verdict: accepted}
	}
	if reason = firstLine(reason); reason == "" {
		return answer{refused, "The editor did not make the change and gave no reason."}
	}
	return answer{refused, sentence("The editor did not make the change: " + reason)}
}
