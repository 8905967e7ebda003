package lsptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redline/edits"
)

// Answer is the result of workspace/applyEdit. Applied is a bool, or nil for null.
type Answer struct {
	Applied       any    `json:"applied"`
	FailureReason string `json:"failureReason,omitempty"`
	FailedChange  *int   `json:"failedChange,omitempty"`
}

// WorkspaceEdit is an edit of the server, not decoded further.
type WorkspaceEdit struct {
	Changes           map[string][]textEdit       `json:"changes"`
	DocumentChanges   []json.RawMessage           `json:"documentChanges"`
	ChangeAnnotations map[string]changeAnnotation `json:"changeAnnotations"`
}

// URIs returns the documents that the edit names, in its order.
func (e WorkspaceEdit) URIs() []string {
	var uris []string
	for uri := range e.Changes {
		uris = append(uris, uri)
	}
	for _, raw := range e.DocumentChanges {
		var c documentChange
		if json.Unmarshal(raw, &c) != nil {
			continue
		}
		for _, uri := range []string{c.TextDocument.URI, c.URI, c.OldURI, c.NewURI} {
			if uri != "" && !slices.Contains(uris, uri) {
				uris = append(uris, uri)
			}
		}
	}
	return uris
}

type textEdit struct {
	Range        Range  `json:"range"`
	NewText      string `json:"newText"`
	AnnotationID string `json:"annotationId,omitempty"`
}

// documentChange is one entry of documentChanges: text edits, or a file operation by its kind.
type documentChange struct {
	Kind         string `json:"kind"`
	AnnotationID string `json:"annotationId"`
	TextDocument struct {
		URI     string          `json:"uri"`
		Version json.RawMessage `json:"version"`
	} `json:"textDocument"`
	Edits   []textEdit `json:"edits"`
	URI     string     `json:"uri"`
	OldURI  string     `json:"oldUri"`
	NewURI  string     `json:"newUri"`
	Options struct {
		Overwrite         bool `json:"overwrite"`
		IgnoreIfExists    bool `json:"ignoreIfExists"`
		IgnoreIfNotExists bool `json:"ignoreIfNotExists"`
		Recursive         bool `json:"recursive"`
	} `json:"options"`
}

// errSkipped marks a change that is silently left out.
var errSkipped = errors.New("skipped")

// Apply carries out an edit of the server as the editor's profile does, and returns the editor's
// answer. It handles every edit that no OnApply script handles; when a script calls it, the server
// hears of the changes at once.
func (e *Editor) Apply(edit WorkspaceEdit) Answer {
	e.commands.Lock()
	last := e.commands.last
	e.commands.Unlock()
	if e.profile.ApplyWindow > 0 && time.Since(last) > e.profile.ApplyWindow {
		return Answer{Applied: false}
	}
	failed, err := e.documents.apply(edit, func() { e.received.add(func() { e.applied++ }) })
	if err != nil && err != errSkipped && !e.profile.AlwaysApplied {
		return Answer{Applied: false, FailureReason: err.Error(), FailedChange: &failed}
	}
	return Answer{Applied: true}
}

// carryOut makes the changes of an edit one by one and stops at the first that fails, whose index it
// returns. The error is errSkipped when all went well except for changes that were skipped.
func (d *documents) carryOut(edit WorkspaceEdit) (failed int, err error) {
	if edit.DocumentChanges == nil {
		for i, uri := range slices.Sorted(maps.Keys(edit.Changes)) {
			if err := d.editDocument(uri, edit.Changes[uri]); err != nil {
				return i, err
			}
		}
		return 0, nil
	}
	var skipped error
	for i, raw := range edit.DocumentChanges {
		var c documentChange
		if err := json.Unmarshal(raw, &c); err != nil {
			return i, err
		}
		switch err := d.carryOutOne(i, c); err {
		case nil:
		case errSkipped:
			skipped = err
		default:
			return i, err
		}
	}
	return 0, skipped
}

func (d *documents) carryOutOne(i int, c documentChange) error {
	if c.Kind != "" && !d.profile.FileOperations {
		return nil
	}
	switch c.Kind {
	case "create":
		return d.createFile(c)
	case "rename":
		return d.renameFile(c)
	case "delete":
		return d.deleteFile(c)
	case "":
		if err := d.checkVersion(i, c); err != nil {
			return err
		}
		return d.editDocument(c.TextDocument.URI, c.Edits)
	}
	return fmt.Errorf("unknown kind of change %q", c.Kind)
}

// checkVersion compares the version that an edit was made for with the buffer's version.
func (d *documents) checkVersion(i int, c documentChange) error {
	if c.TextDocument.Version == nil && d.profile.NeedsVersionKey {
		return errors.New("the edit has no version key")
	}
	key, err := d.keyOf(c.TextDocument.URI)
	if err != nil {
		return err
	}
	b, ok := d.buffers[key]
	var version *int
	if c.TextDocument.Version != nil {
		if err := json.Unmarshal(c.TextDocument.Version, &version); err != nil {
			return err
		}
	}
	if version == nil || !ok || !b.attached {
		return nil
	}
	switch d.profile.Versions {
	case CheckExact:
		if *version != b.version {
			return errors.New("document has changed")
		}
	case CheckFirstOlder:
		if i == 0 && *version > 0 && *version < b.version {
			return errSkipped
		}
	}
	return nil
}

// editDocument makes text edits, all of which are meant for the current text.
func (d *documents) editDocument(uri string, list []textEdit) error {
	key, err := d.keyOf(uri)
	if err != nil {
		return err
	}
	b, err := d.load(key)
	if err != nil {
		return err
	}
	es := make([]edits.Edit, len(list))
	for i, t := range list {
		span, err := b.lines.Span(t.Range.edits(), d.encoding)
		if err != nil {
			return err
		}
		es[i] = edits.Edit{Span: span, New: d.profile.lineEnds(b, t.NewText)}
	}
	slices.SortStableFunc(es, func(a, b edits.Edit) int { return a.Start - b.Start })
	if _, err := edits.Apply(b.lines.Text(), es); err != nil {
		return fmt.Errorf("overlapping edits: %w", err)
	}
	if d.profile.Attach && !b.attached {
		if err := d.attach(b); err != nil {
			return err
		}
	}
	b.undo = append(b.undo, b.lines.Text())
	return d.change(b, es)
}

// lineEnds returns the new text of an edit with the line ends that b uses.
func (p Profile) lineEnds(b *buffer, text string) string {
	if !p.ConvertsLineEnds {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if first, _, ok := strings.Cut(b.lines.Text(), "\n"); ok && strings.HasSuffix(first, "\r") {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

func (d *documents) createFile(c documentChange) error {
	key, err := d.keyOf(c.URI)
	if err != nil {
		return err
	}
	path := d.onDisk(key)
	_, open := d.buffers[key]
	_, statErr := os.Stat(path)
	exists := open || statErr == nil
	switch {
	case exists && c.Options.Overwrite:
	case c.Options.IgnoreIfExists && (exists || d.profile.IgnoreCreates):
		_, err := d.load(key)
		return err
	case exists && !d.profile.CreateTruncates:
		return fmt.Errorf("%s exists", key)
	}
	if !d.profile.CreateNeedsDir {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
	}
	return os.WriteFile(path, nil, 0o666)
}

func (d *documents) renameFile(c documentChange) error {
	from, err := d.keyOf(c.OldURI)
	if err != nil {
		return err
	}
	to, err := d.keyOf(c.NewURI)
	if err != nil {
		return err
	}
	if _, err := os.Stat(d.onDisk(to)); err == nil && !c.Options.Overwrite && !d.profile.RenameOverwrites {
		if d.profile.RenameSkips || c.Options.IgnoreIfExists {
			return errSkipped
		}
		return fmt.Errorf("%s exists", to)
	}
	if err := os.MkdirAll(filepath.Dir(d.onDisk(to)), 0o777); err != nil {
		return err
	}
	if err := os.Rename(d.onDisk(from), d.onDisk(to)); err != nil {
		return err
	}
	b, ok := d.buffers[from]
	if !ok {
		return nil
	}
	attached := b.attached
	if err := d.forget(b); err != nil {
		return err
	}
	b.key, b.uri = to, d.URI(to)
	d.buffers[to] = b
	if attached {
		return d.attach(b)
	}
	return nil
}

func (d *documents) deleteFile(c documentChange) error {
	key, err := d.keyOf(c.URI)
	if err != nil {
		return err
	}
	remove := os.Remove
	if c.Options.Recursive {
		remove = os.RemoveAll
	}
	if err := remove(d.onDisk(key)); err != nil && !(c.Options.IgnoreIfNotExists && errors.Is(err, os.ErrNotExist)) {
		return err
	}
	if b, ok := d.buffers[key]; ok && !d.profile.KeepsDeleted {
		return d.forget(b)
	}
	return nil
}
