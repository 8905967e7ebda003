package conversation

import (
	"errors"
	"io/fs"
	"strings"
	"sync"

	"redline/agent/chat"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/edits"
	"redline/internal/guarded"
	"redline/workspace"
)

// ChatFileName is the chat file's name among Redline's own files.
const ChatFileName = "chat.md"

// maxWaiting is how many answers are kept for a chat file that cannot be written.
const maxWaiting = 100

// ChatFile is the chat file of a session, where the user writes requests and Redline writes the
// answers under them. Its methods may be called from any goroutine.
type ChatFile struct {
	session *session.Session
	ws      *workspace.Workspace

	writing guarded.Lock
	writer  guarded.Value[writer]

	mu     sync.Mutex // typing waits for it; guards opened
	opened *string    // the file's text when it was opened, nil while it is not
}

// NewChatFile returns the chat file of a session. It follows the file's buffer from then on.
func NewChatFile(s *session.Session) *ChatFile {
	f := &ChatFile{session: s, ws: s.Workspace}
	f.writer = guarded.New(writer{file: f})
	s.Workspace.Observe(f.onBuffer)
	return f
}

// Path returns the workspace path of the chat file, which depends on the open folders.
func (f *ChatFile) Path() string { return f.ws.Own().Path(ChatFileName) }

// onBuffer records the text that the chat file had when it was opened. It may have come with the
// repository, so nothing in it may decide on a plan.
func (f *ChatFile) onBuffer(e workspace.BufferEvent) {
	if e.Path != f.Path() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e.Kind {
	case workspace.Opened:
		text := e.After.Text()
		f.opened = &text
	case workspace.Closed:
		f.opened = nil
	}
}

// Typed reports whether the last request of the text was typed since the file was
// opened.
func (f *ChatFile) Typed(text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opened != nil && chat.Typed(*f.opened, text)
}

// Text returns the text of the chat file: that of the buffer if it is open, else of the
// file on disk; "" if there is none or it cannot be read.
func (f *ChatFile) Text() string {
	text, _ := f.read() // on an error it is ""
	return text
}

// read returns the text of the chat file, "" if there is none. The error says why an
// existing file cannot be read.
func (f *ChatFile) read() (string, error) {
	if b, ok := f.ws.Buffer(f.Path()); ok {
		return b.Lines.Text(), nil
	}
	data, err := f.ws.Own().Read(ChatFileName)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
}

// Exists reports whether the chat file is on disk.
func (f *ChatFile) Exists() bool {
	_, err := f.ws.Own().Read(ChatFileName)
	return err == nil
}

// Answer writes a reply under its request, after the replies that could not be written before.
// request is "" if the file has it already, else it is written first. If the file cannot be
// written, Answer keeps the reply until the next Answer or [File.Saved] and returns why.
func (f *ChatFile) Answer(request, reply string) error {
	write := func(text string) string {
		if text == "" {
			text = chat.FileTemplate
		}
		if request != "" {
			text = edited(text, chat.Prepare(text, request))
		}
		return edited(text, chat.Append(text, "Redline", reply))
	}
	w, unlock := f.lock()
	defer unlock()
	w.waiting = append(w.waiting, write)
	err := w.writeWaiting()
	w.waiting = w.waiting[max(0, len(w.waiting)-maxWaiting):]
	return err
}

// Prepare writes text under the last "## You" of the chat file, creates the file if there
// is none, and returns its workspace path.
func (f *ChatFile) Prepare(text string) (path string, err error) {
	w, unlock := f.lock()
	defer unlock()
	return f.Path(), w.edit(func(now string) string {
		if now == "" {
			now = chat.FileTemplate
		}
		if text == "" {
			return now
		}
		return edited(now, chat.Prepare(now, text))
	})
}

// Saved writes the answers that could not be written before. Call it when the user has saved the
// chat file. An answer that fails again waits for the next call.
func (f *ChatFile) Saved() error {
	w, unlock := f.lock()
	defer unlock()
	return w.writeWaiting()
}

// Sends reports whether a message is "/send", sent from the chat file at path: the command
// that sends the file's last request.
func (f *ChatFile) Sends(path, text string) bool {
	return path == f.Path() && strings.TrimSpace(text) == "/send"
}

// writer changes the chat file. There is one for each file, so its changes come one after
// the other.
type writer struct {
	file    *ChatFile
	waiting []func(text string) string // answers that could not be written yet, oldest first
}

// lock waits for the writer and returns it; call unlock once.
func (f *ChatFile) lock() (w *writer, unlock func()) {
	held := f.writing.Lock()
	return f.writer.Open(held), held.Unlock
}

// writeWaiting writes the answers that wait. Those that cannot be written keep waiting.
func (w *writer) writeWaiting() error {
	if len(w.waiting) == 0 {
		return nil
	}
	err := w.edit(func(text string) string {
		for _, write := range w.waiting {
			text = write(text)
		}
		return text
	})
	if err == nil {
		w.waiting = nil
	}
	return err
}

// edit changes the chat file, through the editor if the file is open there, else on disk.
// It never changes the file of an open buffer with unsaved changes, or a file that it
// cannot read.
func (w *writer) edit(change func(string) string) error {
	f := w.file
	text, err := f.read()
	if err != nil {
		return err
	}
	next := change(text)
	if next == text {
		return nil
	}
	if _, open := f.ws.Buffer(f.Path()); !open {
		_, _, err := f.ws.Own().Write(ChatFileName, []byte(next))
		return err
	}
	var es []edits.Edit
	for _, hunk := range edits.Diff(text, next) {
		es = append(es, hunk.Edit())
	}
	outcome, err := f.session.Editor().Apply(f.session.Context(), []edits.Change{{Path: f.Path(), Base: text, Edits: es}}, nil)
	if err != nil {
		return err
	}
	if len(outcome) > 0 && outcome[0].Status == edits.Refused && !w.editSaved(change) {
		return plan.Refuse(plan.ApplyFailed, "%s", outcome[0].Reason)
	}
	return nil
}

// editSaved changes the chat file on disk after the editor has refused the edit, and
// reports whether it did. Kate refuses an edit that comes more than two seconds after a
// code action, and offers to reload a file that was changed on disk. editSaved leaves a
// buffer with unsaved text alone; a line feed that the editor has added while saving, and
// may not have reported yet, does not count as unsaved.
func (w *writer) editSaved(change func(string) string) bool {
	f := w.file
	text := f.Text()
	data, err := f.ws.Own().Read(ChatFileName)
	saved := string(data)
	if err != nil || saved != text && saved != text+"\n" {
		return false
	}
	_, _, err = f.ws.Own().Write(ChatFileName, []byte(change(saved)))
	return err == nil
}

// edited returns text after the edit e, or text itself if e does not fit.
func edited(text string, e edits.Edit) string {
	next, err := edits.Apply(text, []edits.Edit{e})
	if err != nil {
		return text
	}
	return next
}
