package lsp

import "context"

type didChangeWorkspaceFoldersParams struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

// didChangeWorkspaceFolders adds and removes folders of the workspace (LSP 3.18,
// "DidChangeWorkspaceFolders Notification").
func (s *session) didChangeWorkspaceFolders(_ context.Context, p *didChangeWorkspaceFoldersParams) error {
	for _, f := range p.Event.Removed {
		s.workspace.RemoveFolder(f.folder())
	}
	for _, f := range p.Event.Added {
		s.workspace.AddFolder(f.folder())
	}
	s.recoverSoon()
	s.changed()
	return nil
}
