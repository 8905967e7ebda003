package lsptest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"redline/edits"
)

// buffer is one document that the editor holds. The bytes are exact.
type buffer struct {
	key      string // path below the folder, with slashes
	uri      string
	lines    *edits.Lines
	version  int
	attached bool // the server was told (didOpen)
	dirty    bool
	mark     bool     // saving puts a byte order mark before the text
	undo     []string // earlier texts, newest last
}

// Text returns the file's text: the buffer's if there is one, else the disk's, "" if there is no file.
func (e *Editor) Text(path string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b, ok := e.buffers[e.key(path)]; ok {
		return b.lines.Text()
	}
	text, err := os.ReadFile(e.onDisk(path))
	if err != nil {
		return ""
	}
	shown, _ := e.textOf(text)
	return shown
}

// textOf returns the text that the editor has of a file, and whether it keeps a byte order mark
// apart from it.
func (e *Editor) textOf(file []byte) (text string, mark bool) {
	if e.profile.KeepsMarks {
		return string(file), false
	}
	return edits.CutBOM(string(file))
}

// Dirty reports whether the file has a buffer with unsaved changes.
func (e *Editor) Dirty(path string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, ok := e.buffers[e.key(path)]
	return ok && b.dirty
}

// URI returns the URI by which the editor names a file.
func (e *Editor) URI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(e.onDisk(path))}).String()
}

// PositionOf returns where old, which must be in the text exactly once, begins.
func (e *Editor) PositionOf(path, old string) (Position, error) {
	text := e.Text(path)
	if n := strings.Count(text, old); n != 1 {
		return Position{}, fmt.Errorf("%s holds %q %d times", path, old, n)
	}
	return Position(edits.NewLines(text).Position(strings.Index(text, old), e.encoding)), nil
}

// The rest is called with e.mu held.

func (e *Editor) key(path string) string {
	rel, err := filepath.Rel(e.dir, e.onDisk(path))
	if err != nil || strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

func (e *Editor) onDisk(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(e.dir, filepath.FromSlash(path))
}

// keyOf returns the key of the file that uri names.
func (e *Editor) keyOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", fmt.Errorf("%q is not the URI of a file", uri)
	}
	return e.key(filepath.FromSlash(u.Path)), nil
}

// open returns the buffer of a file that is open.
func (e *Editor) open(path string) (*buffer, error) {
	b, ok := e.buffers[e.key(path)]
	if !ok {
		return nil, fmt.Errorf("%s is not open", path)
	}
	return b, nil
}

// load returns the buffer of a file, reading it from disk if it has none.
func (e *Editor) load(path string) (*buffer, error) {
	key := e.key(path)
	if b, ok := e.buffers[key]; ok {
		return b, nil
	}
	text, err := os.ReadFile(e.onDisk(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	shown, mark := e.textOf(text)
	if shown == "" && e.profile.EndsLines {
		shown = "\n"
	}
	b := &buffer{key: key, uri: e.URI(path), lines: edits.NewLines(shown), mark: mark}
	e.buffers[key] = b
	return b, nil
}

// attach tells the server of b.
func (e *Editor) attach(b *buffer) error {
	b.attached = true
	defer e.puller.look()
	if b.version > 0 || !e.profile.FromZero {
		b.version++
	}
	return e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": b.uri, "languageId": strings.TrimPrefix(filepath.Ext(b.key), "."), "version": b.version, "text": b.lines.Text(),
	}})
}

// change makes edits, which are sorted and do not overlap, and tells the server now or, for a
// document whose changes are held back, when they are let go.
func (e *Editor) change(b *buffer, es []edits.Edit) error {
	before := b.lines
	after, err := before.ReplaceAll(es)
	if err == nil && after.Text() == "" && e.profile.EndsLines {
		es = []edits.Edit{{Span: edits.Span{End: len(before.Text())}, New: "\n"}}
		after = edits.NewLines("\n")
	}
	if err != nil {
		return err
	}
	b.lines, b.dirty = after, true
	if e.held != nil {
		if _, ok := e.held[b]; !ok {
			e.held[b] = before
		}
		return nil
	}
	return e.tell(b, before, es)
}

// tell sends a didChange for the edits es of before.
func (e *Editor) tell(b *buffer, before *edits.Lines, es []edits.Edit) error {
	defer e.signal()
	if !b.attached || len(es) == 0 {
		return nil
	}
	if e.profile.MergedChanges {
		es = []edits.Edit{difference(before.Text(), b.lines.Text())}
	}
	type object = map[string]any
	var changes []object
	for i := len(es) - 1; i >= 0; i-- { // from the end: the ranges before stay valid
		changes = append(changes, object{"range": rangeOf(before.Range(es[i].Span, e.encoding)), "text": es[i].New})
	}
	if e.fullSync || e.profile.WholeTexts {
		changes = []object{{"text": b.lines.Text()}}
	}
	if e.profile.OneByOne {
		for _, c := range changes {
			if err := e.tellChanges(b, c); err != nil {
				return err
			}
		}
		return nil
	}
	return e.tellChanges(b, changes...)
}

func (e *Editor) tellChanges(b *buffer, changes ...map[string]any) error {
	defer e.puller.look()
	if b.version++; e.profile.FromZero {
		b.version = max(b.version, 3)
	}
	return e.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": b.uri, "version": b.version}, "contentChanges": changes,
	})
}

// release sends the changes that were held back.
func (e *Editor) release() {
	held := e.held
	e.held = nil
	for b, before := range held {
		if before.Text() != b.lines.Text() {
			_ = e.tell(b, before, []edits.Edit{difference(before.Text(), b.lines.Text())}) // the connection is gone
		}
	}
}

func (e *Editor) save(b *buffer) error {
	e.release()
	if err := os.MkdirAll(filepath.Dir(e.onDisk(b.key)), 0o777); err != nil {
		return err
	}
	text := b.lines.Text()
	if e.profile.EndsLines {
		text = lineEnded(text)
	}
	if b.mark {
		text = edits.BOM + text
	}
	if err := os.WriteFile(e.onDisk(b.key), []byte(text), 0o666); err != nil {
		return err
	}
	b.dirty = false
	defer e.signal()
	if !b.attached {
		return nil
	}
	return e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": b.uri}})
}

// lineEnded returns what an editor saves whose texts always end with a line end: that
// of an empty text is not written.
func lineEnded(text string) string {
	switch {
	case edits.Blank(text):
		return ""
	case strings.HasSuffix(text, "\n"):
		return text
	}
	return text + "\n"
}

// forget drops b and tells the server.
func (e *Editor) forget(b *buffer) error {
	e.release()
	delete(e.buffers, b.key)
	delete(e.pulled, b.key)
	defer e.puller.look()
	if e.profile.ForgetsDiagnostics {
		delete(e.diagnostics, b.key)
	}
	defer e.signal()
	if !b.attached {
		return nil
	}
	return e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": b.uri}})
}

// difference returns one edit that turns before into after, and divides no character or line end.
func difference(before, after string) edits.Edit {
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	for start > 0 && (divides(before, start) || divides(after, start)) {
		start--
	}
	tail := 0
	for tail < min(len(before), len(after))-start && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for tail > 0 && (divides(before, len(before)-tail) || divides(after, len(after)-tail)) {
		tail--
	}
	return edits.Edit{Span: edits.Span{Start: start, End: len(before) - tail}, New: after[start : len(after)-tail]}
}

// divides reports whether the offset at lies inside a character or between "\r" and "\n".
func divides(text string, at int) bool {
	if at <= 0 || at >= len(text) {
		return false
	}
	return !utf8.RuneStart(text[at]) || text[at-1] == '\r' && text[at] == '\n'
}
