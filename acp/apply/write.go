package apply

import (
	"context"
	"errors"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"redline/edits"
	"redline/workspace"
	"redline/workspace/judge"
)

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

// write has the client write the text of a change, and finishes the attempt. An error means
// that the client is gone.
func (a *Applier) write(ctx context.Context, t *attempt) error {
	after, err := t.After()
	if err != nil {
		t.Refuse(err.Error())
		return nil
	}
	a.mu.Lock()
	extra := a.lastEnd
	a.mu.Unlock()
	answer, err := a.send(ctx, t, adjusted(after, extra))
	if err != nil {
		return err
	}
	seen := a.await(ctx, t, answer)
	if answer.verdict == accepted && ctx.Err() == nil {
		if extra := lastEnds(t, after, seen); extra != 0 {
			a.mu.Lock()
			learned := a.lastEnd + extra
			a.mu.Unlock()
			if answer, err = a.send(ctx, t, adjusted(after, learned)); err != nil {
				return err
			}
			if seen = a.await(ctx, t, answer); seen.is(after) {
				a.mu.Lock()
				a.lastEnd = learned
				a.mu.Unlock()
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	a.finish(t, answer, seen)
	return nil
}

// adjusted returns the text to send to a client that puts extra line ends at the end.
func adjusted(text string, extra int) string {
	switch {
	case !strings.HasSuffix(text, "\n"):
	case extra > 0:
		return strings.TrimSuffix(text, "\n")
	case extra < 0:
		return text + "\n"
	}
	return text
}

// lastEnds returns by how many line ends at the end the text of a file differs from after, if
// by nothing else: codecompanion.nvim doubles the last one, avante.nvim loses it.
func lastEnds(t *attempt, after string, s seen) int {
	switch {
	case !strings.HasSuffix(after, "\n") || s.editor != s.disk || s.disk == t.saved:
	case s.disk == after+"\n":
		return 1
	case s.disk == strings.TrimSuffix(after, "\n"):
		return -1
	}
	return 0
}

// send asks the client to write a text and waits for its answer. An error means that the
// client is gone, or that nobody waits any more.
func (a *Applier) send(caller context.Context, t *attempt, text string) (answer, error) {
	name, err := a.Workspace.Abs(t.Change.Path)
	if err != nil {
		return answer{refused, judge.RefusedBy(err.Error())}, nil
	}
	asked, drop := context.WithTimeout(caller, a.Timeouts.Write+a.Timeouts.Late)
	ctx, cancel := context.WithTimeout(caller, a.Timeouts.Write)
	defer cancel()
	replies := make(chan error, 1)
	go func() {
		_, err := a.Conn.Call(asked, acp.ClientMethodFsWriteTextFile, acp.WriteTextFileRequest{SessionId: acp.SessionId(a.Session()), Path: name, Content: text})
		replies <- err
	}()
	select {
	case err := <-replies:
		drop()
		a.mute.Store(false)
		return read(caller, err)
	case <-ctx.Done():
	}
	if caller.Err() != nil {
		drop()
		return answer{}, caller.Err()
	}
	path := t.Change.Path
	go func() {
		defer drop()
		if answer, err := read(asked, <-replies); err == nil && answer.verdict != silent && a.Late != nil {
			_ = a.refresh(asked, path) // the disk counts if it fails
			a.Late(path)
		}
	}()
	return answer{silent, judge.NotAnswered}, nil
}

// read returns the answer that the end of a call is. An error means that the client is gone,
// or that the caller has stopped waiting.
func read(caller context.Context, err error) (answer, error) {
	var coded *acp.RequestError
	switch {
	case err == nil:
		return answer{}, nil
	case caller.Err() != nil:
		return answer{}, caller.Err()
	case errors.As(err, &coded):
		return answer{refused, judge.RefusedBy(coded.Message)}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return answer{silent, judge.NotAnswered}, nil
	}
	return answer{}, err
}

// seen is a text as it was read after the client was asked to write it.
type seen struct {
	editor string // as the client tells it; that of the disk if it has no other
	disk   string
	told   bool // the client has told its text
}

// is reports whether both have the text.
func (s seen) is(text string) bool { return s.editor == text && s.disk == text }

// look reads the text in the editor and on the disk.
func (a *Applier) look(ctx context.Context, t *attempt) seen {
	s := seen{told: a.refresh(ctx, t.Change.Path) == nil}
	if file, err := a.Workspace.ReadSaved(t.Change.Path); err == nil {
		s.disk = file.Text
	}
	s.editor = a.files.Text(t.Change.Path)
	return s
}

// await reads the texts until they show the whole change, at most as long as that may take.
func (a *Applier) await(ctx context.Context, t *attempt, answer answer) seen {
	patience := a.Timeouts.Verify
	switch answer.verdict {
	case refused:
		patience = a.Timeouts.Refusal
	case silent:
		patience = 0
	}
	after, _ := t.After()
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		s := a.look(ctx, t)
		if a.shows(t, s) || lastEnds(t, after, s) != 0 || !wait(limited) {
			return s
		}
	}
}

// made reports whether a text is the one that the change leads to, perhaps formatted. A formatter may also
// have removed imports, if the edits are all there.
func (t *attempt) made(text string) bool {
	after, _ := t.After()
	if text == after || judge.Formatted(after, text) {
		return text == after || !judge.Formatted(t.Before, text)
	}
	return judge.Tidied(after, text) && (t.Change.Kind == edits.Create || t.Landing(workspace.File{Path: t.Change.Path, Exists: true, Text: text}) == edits.Landed)
}

// shows reports whether texts are those of the change, in the editor perhaps unsaved. A file
// that is new is there.
func (a *Applier) shows(t *attempt, s seen) bool {
	if t.Change.Kind == edits.Create && !a.files.OnDisk(t.Change.Path) && (t.Change.Text == "" || s.editor == s.disk) {
		return false
	}
	return t.made(s.editor) && (t.made(s.disk) || s.disk == t.saved)
}

// finish records the result of a change from the texts that were read last. The client's
// answer counts only where they show nothing of it.
func (a *Applier) finish(t *attempt, answer answer, s seen) {
	after, _ := t.After()
	creates := t.Change.Kind == edits.Create
	untouched := s.editor == t.Before && s.disk == t.saved && !(creates && a.files.OnDisk(t.Change.Path))
	switch {
	case a.shows(t, s):
		t.FinishMade(s.editor)
	case answer.verdict == silent:
		t.Finish(edits.Applied{Status: edits.Unknown, Reason: answer.reason})
	case untouched && answer.verdict == refused:
		t.Finish(edits.Applied{Status: edits.Refused, Reason: answer.reason})
	case untouched && creates && a.Client.Read: // it reads no such file
		t.Finish(edits.Applied{Status: edits.Refused, Reason: t.Unseen()})
	case untouched && s.told:
		t.Finish(edits.Applied{Status: edits.Refused, Reason: t.Unmade()})
	case untouched:
		t.Finish(edits.Applied{Status: edits.Unverified, Text: s.editor, Reason: t.Unseen()})
	case t.made(s.editor):
		t.FinishUnsaved(s.editor)
	case t.made(s.disk):
		t.FinishUnshown(s.disk)
	case judge.Grown(after, s.editor) && (s.editor == s.disk || s.disk == t.saved) && t.Landing(a.files.Changed(&t.Attempt)) == edits.Landed:
		t.FinishMade(s.editor) // somebody has typed since
	case s.editor == s.disk && (judge.CutOff(after, s.disk) || t.MadeInPart(s.disk)):
		a.revert(t, answer, s)
	default:
		t.FinishDiffering(s.editor)
	}
}

// revert restores the text of a file that the client wrote only in part. No editor has the
// file open with another text, and what is there is nobody's typing.
func (a *Applier) revert(t *attempt, answer answer, s seen) {
	reason := answer.reason
	if reason == "" {
		reason = "The editor says that it changed " + t.Change.Path + ", but it wrote only a part of the text."
	}
	err := a.restore(t, s)
	if now, readErr := a.Workspace.ReadSaved(t.Change.Path); err != nil || readErr != nil || now.Text != t.Before || now.Exists != t.Existed {
		t.FinishDiffering(s.editor)
		return
	}
	t.Finish(edits.Applied{Status: edits.Refused, Reason: reason})
}

func (a *Applier) restore(t *attempt, s seen) error {
	if t.Change.Kind == edits.Create {
		return a.disk.RemoveFile(t.Change.Path, s.disk)
	}
	return a.disk.WriteFile(t.Change.Path, s.disk, t.Before)
}
