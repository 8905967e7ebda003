package config

import (
	"strings"
)

// workspaceKeys are the settings of the table [workspace].
var workspaceKeys = []key{
	{name: "workspace.trusted_folders", kind: list(trustedFolder, among, func(s *Settings) *[]string { return &s.TrustedFolders }),
		about: "folders of other users that may be the workspace of a folder in them: absolute, or beginning with `~/`; `/srv/*` is what is below `/srv`, and `*` every folder", see: "settings.md#whose-folder-the-workspace-is", example: `["/srv/project"]`},
}

// trustedFolder reads the name of a folder, or of all folders below one.
func trustedFolder(text string) (string, error) {
	if text == "*" {
		return text, nil
	}
	dir, below := strings.CutSuffix(text, "/*")
	dir, err := absoluteFolder(dir)
	if err == nil && below {
		dir = strings.TrimSuffix(dir, "/") + "/*"
	}
	return dir, err
}
