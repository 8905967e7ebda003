package chatfile

import (
	"redline/agent/refusal"
	"redline/edits"
)

// writer changes the chat file. There is one for each file, so its changes come one after
// the other.
type writer struct {
	file    *File
	waiting []func(text string) string // answers that could not be written yet, oldest first
}

// lock waits for the writer and returns it; call unlock once.
func (f *File) lock() (w *writer, unlock func()) {
	held := f.writing.Lock()
	return f.writer.Open(held), held.Unlock
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
		_, _, err := f.ws.Own().Write(Name, []byte(next))
		return err
	}
	var es []edits.Edit
	for _, hunk := range edits.Diff(text, next) {
		es = append(es, hunk.Edit())
	}
	outcome, err := f.session.Editor().Apply(f.session.Context(), []edits.Change{{Path: f.Path(), Base: text, Edits: es}})
	if err != nil {
		return err
	}
	if len(outcome) > 0 && outcome[0].Status == edits.Refused && !w.editSaved(change) {
		return refusal.New(refusal.ApplyFailed, "%s", outcome[0].Reason)
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
	data, err := f.ws.Own().Read(Name)
	saved := string(data)
	if err != nil || saved != text && saved != text+"\n" {
		return false
	}
	_, _, err = f.ws.Own().Write(Name, []byte(change(saved)))
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
