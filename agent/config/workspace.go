package config

import (
	"strings"
)

// workspaceKeys are the settings of the table [workspace].
var workspaceKeys = []key{
	list("workspace.trusted_folders", trustedFolder, func(s *Settings) *[]string { return &s.TrustedFolders }),
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
