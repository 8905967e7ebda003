package apply

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	acp "github.com/coder/acp-go-sdk"

	"redline/edits"
)

// errNothing means that the client has not told the text of a file, or told nonsense.
var errNothing = errors.New("the editor has not told the text")

// Refresh asks the client for the texts of files, and of those that it had not saved when it
// was last asked. A text that differs from the disk is an open document of the workspace with
// unsaved changes until it does not. For a file that the client does not tell, the disk
// counts. Refresh waits once at most for a client that does not answer. Call it before a turn
// and before a decision.
func (a *Applier) Refresh(ctx context.Context, paths []string) {
	if !a.Client.Read {
		return
	}
	a.mute.Store(false)
	seen := map[string]bool{}
	for _, b := range a.Workspace.Buffers() {
		paths = append(paths, b.Path)
	}
	for _, path := range paths {
		if path == "" || seen[path] {
			continue
		}
		seen[path] = true
		if _ = a.refresh(ctx, path); a.mute.Load() || ctx.Err() != nil {
			return
		}
	}
}

// refresh asks the client for the text of a file. The error says that the client has not told
// it: the disk counts, or what it said before it stopped answering.
func (a *Applier) refresh(ctx context.Context, path string) error {
	if !a.Client.Read || a.mute.Load() || a.Session() == "" {
		return errNothing
	}
	a.reading.Lock()
	defer a.reading.Unlock()
	disk, err := a.Workspace.ReadSaved(path)
	if err != nil {
		a.close(path)
		return err
	}
	text, err := a.read(ctx, path)
	switch {
	case err == nil && int64(len(text)) > a.Workspace.LimitOf(path),
		err == nil && text == "" && !edits.Blank(disk.Text): // what clients say that cannot read
		err = errNothing
	case err == nil && !disk.Exists && edits.Blank(text):
		err = errNothing
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		a.mute.Store(true)
		return err
	case err != nil:
		if ctx.Err() == nil {
			a.close(path)
		}
		return err
	}
	if same(text, disk.Text) {
		a.close(path)
		return nil
	}
	a.keep(path, text)
	return nil
}

// read returns the text of a file in the editor.
func (a *Applier) read(ctx context.Context, path string) (string, error) {
	name, err := a.Workspace.Abs(path)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, a.Timeouts.Read)
	defer cancel()
	raw, err := a.Conn.Call(ctx, acp.ClientMethodFsReadTextFile, acp.ReadTextFileRequest{SessionId: acp.SessionId(a.Session()), Path: name})
	if err != nil {
		return "", err
	}
	var answer struct {
		Content *string `json:"content"`
	}
	if json.Unmarshal(raw, &answer) != nil || answer.Content == nil || !utf8.ValidString(*answer.Content) || strings.ContainsRune(*answer.Content, 0) {
		return "", errNothing
	}
	text, _ := edits.CutBOM(*answer.Content)
	return text, nil
}

// same reports whether two texts differ at most in the kind of their line ends and in the last
// line end, which clients lose that keep lines.
func same(text, disk string) bool {
	plain := func(s string) string {
		return strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	}
	return plain(text) == plain(disk)
}

// keep makes text that of the open document at path.
func (a *Applier) keep(path, text string) {
	a.kept++
	b, open := a.Workspace.Buffer(path)
	if !open {
		a.Workspace.Open(a.Workspace.URI(path), "", a.kept, text)
		return
	}
	if was := b.Lines.Text(); was != text {
		_ = a.Workspace.Update(b.URI, a.kept, edits.NewLines(text), edits.EditsOf(edits.Diff(was, text))) // it is open
	}
}

// close closes the document at path: the disk counts.
func (a *Applier) close(path string) {
	if b, open := a.Workspace.Buffer(path); open {
		a.Workspace.Close(b.URI)
	}
}

// wait waits for a moment, less if ctx is done before.
func wait(ctx context.Context) bool {
	timer := time.NewTimer(25 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
