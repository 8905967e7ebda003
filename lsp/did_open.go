package lsp

import (
	"context"
	"strings"

	"redline/workspace"
)

// didOpenParams are DidOpenTextDocumentParams with the URI as the client
// spells it.
type didOpenParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

// didOpen opens a buffer with a document's text (LSP 3.18, "DidOpenTextDocument Notification").
// If the document is already open, as with some clients, it replaces the text.
func (s *session) didOpen(_ context.Context, p *didOpenParams) error {
	d := p.TextDocument
	if len(s.workspace.Folders()) == 0 && strings.HasPrefix(d.URI, "file:") {
		s.adoptFolderOf(d.URI)
	}
	s.documents.Open(d.URI, d.LanguageID, d.Version, d.Text)
	if b, ok := s.workspace.BufferURI(d.URI); ok {
		s.editor.Opened(b)
	}
	s.diagnostics.Resend(d.URI) // some clients drop those of a document that they close
	s.changed()
	if name, b, ok := s.pages.Preview(d.URI); ok {
		s.checkPreview(name, b)
	}
	return nil
}

// adoptFolderOf makes the folder of a file the workspace, for a client that opened no folder.
func (s *session) adoptFolderOf(uri string) {
	if slash := strings.LastIndexByte(uri, '/'); slash > len("file://") {
		s.workspace.AddFolder(workspace.Folder{URI: uri[:slash]})
		s.recoverSoon()
	}
}
