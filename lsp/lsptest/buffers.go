package lsptest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"redline/edits"
	"redline/edits/charset"
)

// buffer is one document that the editor holds, byte for byte.
type buffer struct {
	key      string // path below the folder, with slashes
	uri      string
	lines    *edits.Lines
	version  int
	attached bool // the server was told (didOpen)
	dirty    bool
	mark     bool // saving puts a byte order mark before the text
	charset  charset.Charset
	undo     []string // earlier texts, newest last
}

// documents owns what the user has open, and reports it to the server. It holds its lock while it
// does, so that changes go out in order.
type documents struct {
	root
	profile  Profile
	conn     *connection
	news     *news
	shown    *received
	encoding edits.Encoding
	fullSync bool

	mu      sync.Mutex
	buffers map[string]*buffer
	held    map[*buffer]*edits.Lines // texts that the server knows of buffers whose changes are held back; nil when none are
	puller  *puller                  // nil if diagnostics are not asked for
}

// letGo sends the changes that are held back.
func (d *documents) letGo() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.release()
}

// holdBack keeps changes back until letGo.
func (d *documents) holdBack() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.release()
	d.held = map[*buffer]*edits.Lines{}
}

// drop forgets what was meant for a server that has ended, while change installs another.
func (d *documents) drop(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
	d.held, d.puller = nil, nil
}

// attachAll opens in a new server every document that the previous one knew of.
func (d *documents) attachAll() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var known []*buffer
	for _, b := range d.buffers {
		if b.attached {
			known = append(known, b)
		}
	}
	slices.SortFunc(known, func(a, b *buffer) int { return strings.Compare(a.key, b.key) })
	for _, b := range known {
		if err := d.attach(b); err != nil {
			return err
		}
	}
	return nil
}

// show opens an existing file for the user.
func (d *documents) show(uri string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	key, err := d.keyOf(uri)
	if err != nil {
		return err
	}
	if _, err := os.Stat(d.onDisk(key)); err != nil {
		return err
	}
	b, err := d.load(key)
	if err != nil || b.attached {
		return err
	}
	return d.attach(b)
}

// outdated reports whether a file is open with another version than the given one.
func (d *documents) outdated(key string, version int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, ok := d.buffers[key]
	return ok && b.version != version
}

// apply carries out an edit of the server. If that succeeds it calls done, before anybody can see the
// texts.
func (d *documents) apply(edit WorkspaceEdit, done func()) (failed int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.news.signal()
	if failed, err = d.carryOut(edit); err == nil {
		done()
	}
	return failed, err
}

// root is the folder that the editor has open; it names files.
type root struct{ dir string }

// Text returns the file's text: the buffer's if there is one, else the disk's, "" if there is no file.
func (d *documents) Text(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b, ok := d.buffers[d.key(path)]; ok {
		return b.lines.Text()
	}
	text, err := os.ReadFile(d.onDisk(path))
	if err != nil {
		return ""
	}
	shown, _, _ := d.profile.textOf(text)
	return shown
}

// textOf returns the text that the editor shows for a file, reports whether it keeps a byte order
// mark apart from that text, and in which charset it will save it.
func (p Profile) textOf(file []byte) (text string, mark bool, c charset.Charset) {
	text = string(file)
	if c = charset.ByMark(file); c == charset.UTF8 && !utf8.Valid(file) {
		c = p.Charset
	}
	if decoded, ok := c.Decode(file); ok {
		text = decoded
	}
	if !p.KeepsMarks {
		text, mark = edits.CutBOM(text)
	}
	return text, mark, c
}

// Dirty reports whether the file has a buffer with unsaved changes.
func (d *documents) Dirty(path string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, ok := d.buffers[d.key(path)]
	return ok && b.dirty
}

// URI returns the URI by which the editor names a file.
func (r root) URI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(r.onDisk(path))}).String()
}

// find returns the text of a file and the offset of old, which must be in it exactly once.
func (d *documents) find(path, old string) (text string, at int, err error) {
	text = d.Text(path)
	if n := strings.Count(text, old); n != 1 {
		return "", 0, fmt.Errorf("%s holds %q %d times", path, old, n)
	}
	return text, strings.Index(text, old), nil
}

// The methods of documents below are called with d.mu held.

func (r root) key(path string) string {
	rel, err := filepath.Rel(r.dir, r.onDisk(path))
	if err != nil || strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

func (r root) onDisk(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.dir, filepath.FromSlash(path))
}

// keyOf returns the key of the file that uri names.
func (r root) keyOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", fmt.Errorf("%q is not the URI of a file", uri)
	}
	return r.key(filepath.FromSlash(u.Path)), nil
}

// load returns the buffer of a file, reading it from disk if it has none.
func (d *documents) load(path string) (*buffer, error) {
	key := d.key(path)
	if b, ok := d.buffers[key]; ok {
		return b, nil
	}
	text, err := os.ReadFile(d.onDisk(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	shown, mark, c := d.profile.textOf(text)
	if shown == "" && d.profile.EndsLines {
		shown = "\n"
	}
	b := &buffer{key: key, uri: d.URI(path), lines: edits.NewLines(shown), mark: mark, charset: c}
	d.buffers[key] = b
	return b, nil
}

// attach opens b in the server.
func (d *documents) attach(b *buffer) error {
	b.attached = true
	defer d.puller.look()
	if b.version > 0 || !d.profile.FromZero {
		b.version++
	}
	return d.conn.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": b.uri, "languageId": strings.TrimPrefix(filepath.Ext(b.key), "."), "version": b.version, "text": b.lines.Text(),
	}})
}

// change makes edits, which are sorted and do not overlap, and reports them to the server now or,
// while changes are held back, when they are let go.
func (d *documents) change(b *buffer, es []edits.Edit) error {
	before := b.lines
	after, err := before.ReplaceAll(es)
	if err == nil && after.Text() == "" && d.profile.EndsLines {
		es = []edits.Edit{{Span: edits.Span{End: len(before.Text())}, New: "\n"}}
		after = edits.NewLines("\n")
	}
	if err != nil {
		return err
	}
	b.lines, b.dirty = after, true
	if d.held != nil {
		if _, ok := d.held[b]; !ok {
			d.held[b] = before
		}
		return nil
	}
	return d.tell(b, before, es)
}

// tell sends a didChange for the edits es of before.
func (d *documents) tell(b *buffer, before *edits.Lines, es []edits.Edit) error {
	defer d.news.signal()
	if !b.attached || len(es) == 0 {
		return nil
	}
	if d.profile.MergedChanges {
		es = []edits.Edit{difference(before.Text(), b.lines.Text())}
	}
	type object = map[string]any
	var changes []object
	for i := len(es) - 1; i >= 0; i-- { // from the end: the ranges before stay valid
		changes = append(changes, object{"range": rangeOf(before.Range(es[i].Span, d.encoding)), "text": es[i].New})
	}
	if d.fullSync || d.profile.WholeTexts {
		changes = []object{{"text": b.lines.Text()}}
	}
	if d.profile.OneByOne {
		for _, c := range changes {
			if err := d.tellChanges(b, c); err != nil {
				return err
			}
		}
		return nil
	}
	return d.tellChanges(b, changes...)
}

func (d *documents) tellChanges(b *buffer, changes ...map[string]any) error {
	defer d.puller.look()
	if b.version++; d.profile.FromZero {
		b.version = max(b.version, 3)
	}
	return d.conn.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": b.uri, "version": b.version}, "contentChanges": changes,
	})
}

// release sends the changes that were held back.
func (d *documents) release() {
	held := d.held
	d.held = nil
	for b, before := range held {
		if before.Text() != b.lines.Text() {
			_ = d.tell(b, before, []edits.Edit{difference(before.Text(), b.lines.Text())}) // the connection is gone
		}
	}
}

// save writes a buffer to the disk, for a reason of TextDocumentSaveReason.
func (d *documents) save(b *buffer, reason int) error {
	d.release()
	if d.profile.SaysWhy && b.attached {
		if err := d.conn.notify("textDocument/willSave", map[string]any{"textDocument": map[string]any{"uri": b.uri}, "reason": reason}); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(d.onDisk(b.key)), 0o777); err != nil {
		return err
	}
	text := b.lines.Text()
	if d.profile.EndsLines {
		text = lineEnded(text)
	}
	if b.mark {
		text = edits.BOM + text
	}
	data, err := b.charset.Encode(text)
	if err != nil {
		data = []byte(text)
	}
	if err := os.WriteFile(d.onDisk(b.key), data, 0o666); err != nil {
		return err
	}
	b.dirty = false
	defer d.news.signal()
	if !b.attached {
		return nil
	}
	return d.conn.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": b.uri}})
}

// lineEnded returns what an editor saves whose texts always end with a line end; it writes nothing for
// an empty text.
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
func (d *documents) forget(b *buffer) error {
	d.release()
	delete(d.buffers, b.key)
	defer d.puller.look()
	d.shown.forget(b.key, d.profile.ForgetsDiagnostics)
	defer d.news.signal()
	if !b.attached {
		return nil
	}
	return d.conn.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": b.uri}})
}

// difference returns one edit that turns before into after without splitting a character or line end.
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
