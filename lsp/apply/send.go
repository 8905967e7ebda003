package apply

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/wire"
	"redline/lsp/position"
	"redline/workspace"
	"redline/workspace/judge"
)

// maxResends is how often a change is rebased and sent again after the client
// refused it for a newer text.
const maxResends = 3

// send sends the batch, and sends it again when the client refuses it because its text
// is newer. It returns when the client has answered, or its texts show what it did. An
// error means that the client is gone.
func (a *Applier) send(ctx context.Context, batch []*attempt) error {
	for len(batch) > 0 {
		for _, t := range batch {
			if t.Change.Kind == edits.Update && t.witness == nil {
				a.watcher.watch(t, a.encoder.textEdits(t))
			}
		}
		answer, err := a.request(ctx, batch, a.encoder.workspaceEdit(batch), a.Timeouts.ApplyEdit)
		if err != nil {
			return err
		}
		if answer.verdict == accepted {
			for _, t := range batch {
				t.Answered = a.files.Changed(&t.Attempt).Buffer
			}
			return nil
		}
		newer := a.finishRefused(ctx, batch, answer)
		// verify later reverts what is in the wrong lines.
		batch = slices.DeleteFunc(unfinished(batch), func(t *attempt) bool { return t.Misplaced() != nil })
		if answer.verdict == silent {
			finishAll(batch, edits.Unknown, answer.reason)
			return nil
		}
		if !newer {
			newer = a.encoder.needsExactVersions(batch)
		}
		if !newer || slices.ContainsFunc(batch, func(t *attempt) bool { return t.resent == maxResends }) {
			finishAll(batch, edits.Refused, answer.reason)
			return nil
		}
		for _, t := range batch {
			if a.retry(t); t.Finished || t.OnDisk {
				finishAll(unfinished(batch), edits.Refused, "The file was changed in the meantime: look at the plan again.")
				return nil
			}
		}
	}
	return nil
}

// retry prepares a change for the current text, to be sent once more.
func (a *Applier) retry(t *attempt) {
	a.watcher.unwatch(t)
	next := a.prepare(t.Change)
	next.unmake, next.resent, next.depth = t.unmake, t.resent+1, t.depth
	*t = *next
}

// finishRefused reads the texts of a batch that the client did not accept. A change
// that landed anyway is finished as done. A change that landed in part is finished as
// failed, unless the client has not answered: then the rest may follow. finishRefused
// reports whether a text is newer than the one that the batch was made for, so that
// sending again makes sense.
func (a *Applier) finishRefused(caller context.Context, batch []*attempt, answer answer) (newer bool) {
	wait := a.Timeouts.Refusal
	if answer.verdict == silent {
		wait = 0
	}
	ctx, cancel := context.WithTimeout(caller, wait)
	defer cancel()
	partial := false
	for _, t := range batch {
		source, _ := a.Workspace.AwaitText(ctx, t.Change.Path, func(f workspace.File) bool {
			return f.Exists != t.Existed || f.Text != t.Before
		})
		file := a.files.Changed(&t.Attempt)
		switch {
		case t.Landing(file) == edits.Landed:
			t.FinishLanded(file)
		case t.Misplaced() != nil:
			if answer.verdict == silent {
				t.FinishMisplaced("and has not answered, so that nothing more was sent")
			}
		case answer.verdict == silent:
		case a.files.Partial(&t.Attempt) != "":
			a.finishFailed(caller, t, answer.reason)
			partial = true
		case source.Exists == t.Existed && source.Text != t.Before:
			newer = true
		}
	}
	return newer && !partial
}

// answeredLate handles an answer that came after request stopped waiting. It gives the
// texts time to show the changes, then reports the files.
func (a *Applier) answeredLate(ctx context.Context, batch []*attempt, answer answer) {
	a.awaitAnswered(ctx, batch, answer, a.Timeouts.Verify)
	for _, t := range batch {
		a.Late(t.Change.Path)
	}
}

// awaitAnswered waits until the texts show the whole batch, at most for wait, or only
// for a moment if the client refused it.
func (a *Applier) awaitAnswered(ctx context.Context, batch []*attempt, answer answer, wait time.Duration) {
	if answer.verdict == refused {
		wait = a.Timeouts.Refusal
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	a.awaitAll(ctx, batch)
}

// verdict is what a client's answer means.
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

// reply is the outcome of a workspace/applyEdit.
type reply struct {
	raw json.RawMessage
	err error
}

// answerGrace is how long an answer may take after the text shows the change.
const answerGrace = 250 * time.Millisecond

// request sends the batch, written as edit, and waits for the answer, at most for
// patience, or until the texts show the whole batch: some clients never answer.
// answeredLate handles a late answer.
func (a *Applier) request(caller context.Context, batch []*attempt, edit protocol.WorkspaceEdit, patience time.Duration) (answer, error) {
	ctx, cancel := context.WithTimeout(caller, patience)
	defer cancel()
	label := "Redline"
	params := &protocol.ApplyWorkspaceEditParams{Label: &label, Edit: edit}

	var landed atomic.Bool
	watched := make(chan struct{})
	defer func() { cancel(); <-watched }()
	go func() {
		defer close(watched)
		if a.awaitAll(ctx, batch) {
			landed.Store(true)
			time.AfterFunc(answerGrace, cancel)
		}
	}()

	asked, drop := context.WithTimeout(caller, patience+a.Timeouts.Late)
	replies := make(chan reply, 1)
	a.Conn.Go("workspace/applyEdit", func(context.Context) {
		var p reply
		p.err = a.Conn.Call(asked, "workspace/applyEdit", params, &p.raw)
		replies <- p
	})
	select {
	case p := <-replies:
		drop()
		return p.read(caller)
	case <-ctx.Done():
	}
	if caller.Err() != nil || landed.Load() {
		drop()
		return reply{err: ctx.Err()}.read(caller)
	}
	<-watched // that goroutine uses the batch, which the caller is about to finish
	late := make([]*attempt, len(batch))
	for i, t := range batch {
		copied := *t
		late[i] = &copied
	}
	a.Conn.Go("late answer", func(context.Context) {
		defer drop()
		if answer, err := (<-replies).read(asked); err == nil && answer.verdict != silent {
			a.answeredLate(asked, late, answer)
		}
	})
	return reply{err: ctx.Err()}.read(caller)
}

// read returns the answer in a reply. An error means that the client is gone, or that
// the caller has stopped waiting.
func (r reply) read(caller context.Context) (answer, error) {
	var coded *jsonrpc2.Error
	switch {
	case caller.Err() != nil:
		return answer{}, caller.Err()
	case errors.Is(r.err, wire.ErrClosed):
		return answer{}, r.err
	case errors.As(r.err, &coded):
		return answer{refused, judge.RefusedBy(coded.Message)}, nil
	case errors.Is(r.err, wire.ErrBacklog):
		return answer{refused, phrase.OneSentence(r.err.Error())}, nil
	case r.err != nil:
		return answer{silent, judge.NotAnswered}, nil
	}
	return readAnswer(r.raw), nil
}

// readAnswer reads an ApplyWorkspaceEditResult, also a malformed one: applied may be
// null (eglot), the whole result null or {}. Only false, or a reason, is a refusal;
// the text is checked either way.
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
	return answer{refused, judge.Reason(reason)}
}

// encoder writes changes as a WorkspaceEdit that the client understands. It remembers
// what it has learned about the client since initialize.
type encoder struct {
	positions position.Mapper
	files     judge.Files
	client    Client

	keepsBOM      atomic.Bool // the client keeps byte order marks in its texts
	exactVersions atomic.Bool // the client has refused an edit that was sent with another version
}

// workspaceEdit returns the edit that makes the changes of a batch: with
// documentChanges if the client announces them or any file operation, else with
// changes. A version is always present, null when the file is not open: clients fail
// without it (Neovim 0.12, VS Code, Sublime).
func (e *encoder) workspaceEdit(batch []*attempt) protocol.WorkspaceEdit {
	if !e.client.DocumentChanges {
		changes := map[uri.URI][]protocol.TextEdit{}
		for _, t := range batch {
			changes[uri.URI(t.uri)] = e.textEdits(t)
		}
		return protocol.WorkspaceEdit{Changes: changes}
	}
	var changes []protocol.DocumentChange
	for _, t := range batch {
		changes = append(changes, e.documentChanges(t)...)
	}
	return protocol.WorkspaceEdit{DocumentChanges: changes}
}

// documentChanges returns the steps of one change, in the order in which clients
// execute them (LSP 3.18, "WorkspaceEdit"): a file is created before its text goes in,
// and edited or emptied before it is moved or deleted. The kind members must be set:
// otherwise they are sent as "".
func (e *encoder) documentChanges(t *attempt) []protocol.DocumentChange {
	yes := true
	at := uri.URI(t.uri)
	var out []protocol.DocumentChange
	if t.Change.Kind == edits.Create && t.Open == nil {
		// Without ignoreIfExists most clients empty an existing file.
		out = append(out, &protocol.CreateFile{Kind: "create", URI: at,
			Options: &protocol.CreateFileOptions{IgnoreIfExists: &yes}})
	}
	if es := e.textEdits(t); len(es) > 0 {
		edit := &protocol.TextDocumentEdit{}
		edit.TextDocument.URI = at
		edit.TextDocument.Version = e.version(t)
		for i := range es {
			edit.Edits = append(edit.Edits, &es[i])
		}
		out = append(out, edit)
	}
	switch t.Change.Kind {
	case edits.Delete:
		if e.files.OnDisk(t.Change.Path) {
			out = append(out, &protocol.DeleteFile{Kind: "delete", URI: at})
		}
	case edits.Rename:
		to := uri.URI(e.files.Workspace.URI(t.Change.NewPath))
		out = append(out, &protocol.RenameFile{Kind: "rename", OldURI: at, NewURI: to})
	}
	return out
}

// textEdits returns the edits of a change, for the text that it is sent for. It joins
// hunks on adjacent lines: LSP lets clients choose the order in which they make edits
// that touch. In a review the edits stay separate, so that the user can choose.
func (e *encoder) textEdits(t *attempt) []protocol.TextEdit {
	lines := e.lines(t)
	es := t.Edits
	if len(es) == 1 && es[0] == (edits.Edit{}) {
		es = nil
	}
	if t.hunks == nil {
		es = edits.Coalesce(es)
	}
	if t.Change.Kind == edits.Create && t.Change.BOM && !(t.Open != nil && t.Open.BOM) {
		// The editor has no file to take the mark from: make it the first character.
		es = []edits.Edit{{New: edits.BOM + t.Change.Text}}
	}
	return e.positions.TextEdits(lines, keepLastEnd(lines.Text(), es))
}

// lines returns the text that a change is sent for, as the client counts positions in
// it. In a file that is not open, a byte order mark counts if the client has counted
// one in another file.
func (e *encoder) lines(t *attempt) *edits.Lines {
	switch {
	case t.Open != nil:
		return t.Open.Lines
	case t.BOM && e.keepsBOM.Load():
		return edits.NewLines(edits.BOM + t.Before).CutMark()
	}
	return edits.NewLines(t.Before)
}

// version returns the version of the text that a change is made for, nil if the file is
// not open. A client that takes version 0 for any version would put the edits into
// whatever text it has by then; it accepts version 1 as long as there is no newer one.
func (e *encoder) version(t *attempt) *int32 {
	if t.Open == nil {
		return nil
	}
	version := t.Open.Version
	if version == 0 && e.client.LooseVersions && !e.exactVersions.Load() {
		version = 1
	}
	return &version
}

// needsExactVersions reports whether a change of a refused batch was sent with another
// version than that of its text. If so, every later change is sent with the version of
// its text.
func (e *encoder) needsExactVersions(batch []*attempt) bool {
	for _, t := range batch {
		if t.Open != nil && *e.version(t) != t.Open.Version {
			e.exactVersions.Store(true)
			return true
		}
	}
	return false
}

// keepLastEnd rewrites the edits of a text that reach its end so that the line end of
// the last line stays where it is. The result is the same text. Kakoune always has a
// line end there: what replaces it, or comes after it, goes into the line above (tried
// with kak-lsp 22.0).
func keepLastEnd(text string, es []edits.Edit) []edits.Edit {
	end := "\n"
	if strings.HasSuffix(text, "\r\n") {
		end = "\r\n"
	}
	if len(es) == 0 || !strings.HasSuffix(text, end) {
		return es
	}
	last := es[len(es)-1]
	kept := len(text) - len(end)
	content, ends := strings.CutSuffix(last.New, end)
	switch {
	case last.End != len(text) || !ends:
		return es
	case last.Start == len(text):
		last = edits.Edit{Span: edits.Span{Start: kept, End: kept}, New: end + content}
	case last.Start <= kept:
		last = edits.Edit{Span: edits.Span{Start: last.Start, End: kept}, New: content}
	default: // it begins within the line end
		return es
	}
	if len(es) > 1 && es[len(es)-2].End > last.Start {
		return es // they would overlap
	}
	return append(es[:len(es)-1:len(es)-1], last)
}
