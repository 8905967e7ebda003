package lsptest

import "path/filepath"

// AddFolder adds a workspace folder, relative to the editor's own.
func (e *Editor) AddFolder(path string) error {
	return e.changeFolders([]map[string]string{e.folder(path)}, nil)
}

// RemoveFolder removes a folder from the workspace. Documents in it stay open.
func (e *Editor) RemoveFolder(path string) error {
	return e.changeFolders(nil, []map[string]string{e.folder(path)})
}

func (e *Editor) changeFolders(added, removed []map[string]string) error {
	event := map[string]any{"added": []map[string]string{}, "removed": []map[string]string{}}
	if added != nil {
		event["added"] = added
	}
	if removed != nil {
		event["removed"] = removed
	}
	return e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": event})
}

// folder returns a WorkspaceFolder.
func (e *Editor) folder(path string) map[string]string {
	name := filepath.Base(path)
	if path == "" {
		name = filepath.Base(e.dir)
	}
	return map[string]string{"uri": e.URI(path), "name": name}
}
