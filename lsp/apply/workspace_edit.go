package apply

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"redline/edits"
)

// workspaceEdit spells changes as the client understands them: documentChanges
// when it announces them or any file operation, else changes. A version is
// always present, null when the file is not open: clients fail without it
// (Neovim 0.12, VS Code, Sublime).
func (a *Applier) workspaceEdit(batch []*sending) protocol.WorkspaceEdit {
	if !a.client.DocumentChanges {
		return protocol.WorkspaceEdit{Changes: a.textChanges(batch)}
	}
	var changes []protocol.DocumentChange
	for _, s := range batch {
		changes = append(changes, a.documentChanges(s)...)
	}
	return protocol.WorkspaceEdit{DocumentChanges: changes}
}

// textChanges are the text edits of a batch, by document.
func (a *Applier) textChanges(batch []*sending) map[uri.URI][]protocol.TextEdit {
	changes := map[uri.URI][]protocol.TextEdit{}
	for _, s := range batch {
		changes[uri.URI(s.uri)] = a.textEdits(s)
	}
	return changes
}

// documentChanges spells one change, in the order in which clients execute it
// (LSP 3.18, "WorkspaceEdit"): a file is created before its text goes in, and
// edited or emptied before it moves or goes. The kind members must be set: they
// are sent as "" otherwise.
func (a *Applier) documentChanges(s *sending) []protocol.DocumentChange {
	yes := true
	at := uri.URI(s.uri)
	var out []protocol.DocumentChange
	if s.change.Kind == edits.Create && s.open == nil {
		// Without ignoreIfExists most clients empty a file that is there.
		out = append(out, &protocol.CreateFile{Kind: "create", URI: at,
			Options: &protocol.CreateFileOptions{IgnoreIfExists: &yes}})
	}
	if es := a.textEdits(s); len(es) > 0 {
		edit := &protocol.TextDocumentEdit{}
		edit.TextDocument.URI = at
		edit.TextDocument.Version = a.version(s)
		for i := range es {
			edit.Edits = append(edit.Edits, &es[i])
		}
		out = append(out, edit)
	}
	switch s.change.Kind {
	case edits.Delete:
		if a.isOnDisk(s.change.Path) {
			out = append(out, &protocol.DeleteFile{Kind: "delete", URI: at})
		}
	case edits.Rename:
		out = append(out, &protocol.RenameFile{Kind: "rename", OldURI: at, NewURI: uri.URI(a.workspace.URI(s.change.NewPath))})
	}
	return out
}

// textEdits are the edits of a change, in the text that it is sent for. Hunks on
// adjacent lines go as one edit: in which order edits that touch are made is
// left to clients. In a review each stays by itself, to be let through or not.
func (a *Applier) textEdits(s *sending) []protocol.TextEdit {
	lines := a.linesOf(s)
	es := s.edits
	if len(es) == 1 && es[0] == (edits.Edit{}) {
		es = nil
	}
	if s.hunks == nil {
		es = edits.Coalesce(es)
	}
	if s.change.Kind == edits.Create && s.change.BOM && !(s.open != nil && s.open.BOM) {
		// The editor has no file to take it from: it is to be the first character.
		es = []edits.Edit{{New: edits.BOM + s.change.Text}}
	}
	return a.mapper.TextEdits(lines, es)
}
