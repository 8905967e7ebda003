package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"redline/lsp/position"
	"redline/workspace"
)

// didChangeConfiguration takes settings from the editor (LSP 3.18, "DidChangeConfiguration
// Notification"). Only a few of them count, since they may come from the repository; those take
// effect at once. If the notification has none, it asks the client for them.
func (s *session) didChangeConfiguration(_ context.Context, raw *json.RawMessage) error {
	var p struct {
		Settings json.RawMessage `json:"settings"`
	}
	if json.Unmarshal(*raw, &p) != nil {
		return nil
	}
	switch mine, ok := section(p.Settings); {
	case ok:
		s.settings.take(mine)
	case s.client.configuration && (len(p.Settings) == 0 || string(p.Settings) == "null"):
		s.conn.Go("configuration", s.settings.request)
	}
	return nil
}

// didChangeWatchedFiles lets the agent read the changed files now (LSP 3.18,
// "DidChangeWatchedFiles Notification"). The server registers no watchers and polls; several
// clients send these notifications anyway.
func (s *session) didChangeWatchedFiles(_ context.Context, raw *json.RawMessage) error {
	var p struct {
		Changes []position.TextDocument `json:"changes"`
	}
	if s.backend.Agent() == nil || json.Unmarshal(*raw, &p) != nil {
		return nil
	}
	var paths []string
	for _, c := range p.Changes {
		if path, ok := s.workspace.PathOf(c.URI); ok {
			paths = append(paths, path)
		}
	}
	s.backend.Agent().OnDisk(paths)
	return nil
}

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
