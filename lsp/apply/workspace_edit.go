package apply

import (
	"strings"
	"sync/atomic"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"redline/edits"
	"redline/lsp/position"
)

// encoder writes changes as a WorkspaceEdit that the client understands. It remembers
// what it has learned about the client since initialize.
type encoder struct {
	positions position.Mapper
	files     files
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
	if t.change.Kind == edits.Create && t.open == nil {
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
	switch t.change.Kind {
	case edits.Delete:
		if e.files.onDisk(t.change.Path) {
			out = append(out, &protocol.DeleteFile{Kind: "delete", URI: at})
		}
	case edits.Rename:
		to := uri.URI(e.files.workspace.URI(t.change.NewPath))
		out = append(out, &protocol.RenameFile{Kind: "rename", OldURI: at, NewURI: to})
	}
	return out
}

// textEdits returns the edits of a change, for the text that it is sent for. It joins
// hunks on adjacent lines: LSP lets clients choose the order in which they make edits
// that touch. In a review the edits stay separate, so that the user can choose.
func (e *encoder) textEdits(t *attempt) []protocol.TextEdit {
	lines := e.lines(t)
	es := t.edits
	if len(es) == 1 && es[0] == (edits.Edit{}) {
		es = nil
	}
	if t.hunks == nil {
		es = edits.Coalesce(es)
	}
	if t.change.Kind == edits.Create && t.change.BOM && !(t.open != nil && t.open.BOM) {
		// The editor has no file to take the mark from: make it the first character.
		es = []edits.Edit{{New: edits.BOM + t.change.Text}}
	}
	return e.positions.TextEdits(lines, keepLastEnd(lines.Text(), es))
}

// lines returns the text that a change is sent for, as the client counts positions in
// it. In a file that is not open, a byte order mark counts if the client has counted
// one in another file.
func (e *encoder) lines(t *attempt) *edits.Lines {
	switch {
	case t.open != nil:
		return t.open.Lines
	case t.bom && e.keepsBOM.Load():
		return edits.NewLines(edits.BOM + t.before).CutMark()
	}
	return edits.NewLines(t.before)
}

// version returns the version of the text that a change is made for, nil if the file is
// not open. A client that takes version 0 for any version would put the edits into
// whatever text it has by then; it accepts version 1 as long as there is no newer one.
func (e *encoder) version(t *attempt) *int32 {
	if t.open == nil {
		return nil
	}
	version := t.open.Version
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
		if t.open != nil && *e.version(t) != t.open.Version {
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
