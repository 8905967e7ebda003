package lsp

import (
	"context"
	"fmt"

	"redline/workspace"
)

type didChangeWorkspaceFoldersParams struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

// didChangeWorkspaceFolders adds and removes folders of the workspace (LSP 3.18,
// "DidChangeWorkspaceFolders Notification").
func (s *session) didChangeWorkspaceFolders(_ context.Context, p *didChangeWorkspaceFoldersParams) error {
	s.workspace.ChangeFolders(foldersIn(p.Event.Added), foldersIn(p.Event.Removed))
	if len(s.workspace.Folders()) == workspace.MaxFolders {
		s.window.Warn(fmt.Sprintf("only the first %d of your workspace folders count: close some that you do not need.", workspace.MaxFolders))
	}
	s.recoverSoon()
	s.changed()
	return nil
}

func foldersIn(list []workspaceFolder) []workspace.Folder {
	var folders []workspace.Folder
	for _, f := range list {
		folders = append(folders, f.folder())
	}
	return folders
}
