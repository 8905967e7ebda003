package config

import (
	"path/filepath"
	"slices"

	"github.com/adrg/xdg"

	"redline/agent/brief"
)

// The user's own folders beside their settings file.
const (
	agentsFolder    = "agents"
	templatesFolder = "templates"
)

// AgentsDir returns the folder of the user's own agent files. It need not exist.
func (s Settings) AgentsDir() string { return s.beside(agentsFolder) }

// TemplatesDir returns the folder of the user's own templates. It need not exist.
func (s Settings) TemplatesDir() string { return s.beside(templatesFolder) }

// PromptsDir returns the folder of the user's own prompts. It need not exist.
func (s Settings) PromptsDir() string { return s.beside(brief.PromptFolder) }

func (s Settings) beside(name string) string { return filepath.Join(filepath.Dir(s.File), name) }

// OwnPaths returns the absolute paths that belong to Redline and its user alone: the settings
// file, the folders of prompts, agents and templates beside it, and the state directory. Anyone
// who can write there decides what runs without approval, so no tool reads or changes them and
// no approved command writes them, wherever they are. The list includes the default places even
// if environment variables name others, since the next session may start without these. None of
// the paths needs to exist, and any may lead through symbolic links.
func (s Settings) OwnPaths() []string {
	var paths []string
	for _, at := range []Settings{s, usualPlaces()} {
		if at.File != "" {
			paths = append(paths, at.File, at.PromptsDir(), at.AgentsDir(), at.TemplatesDir())
		}
		if at.StateDir != "" {
			paths = append(paths, at.StateDir)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// OwnFolders returns the folders that belong to Redline and its user with all their content:
// those of [Settings.OwnPaths], and the folder of the settings file if it is called
// "redline". None needs to exist. A missing one that a command could create is created empty
// before the command runs.
func (s Settings) OwnFolders() []string {
	var folders []string
	for _, at := range []Settings{s, usualPlaces()} {
		if dir := filepath.Dir(at.File); filepath.Base(dir) == stateName {
			folders = append(folders, dir)
		} else if at.File != "" {
			folders = append(folders, at.PromptsDir(), at.AgentsDir(), at.TemplatesDir())
		}
		if at.StateDir != "" {
			folders = append(folders, at.StateDir)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// usualPlaces returns the settings file and the state directory that are used if no variable
// names them.
func usualPlaces() (s Settings) {
	if filepath.IsAbs(xdg.ConfigHome) {
		s.File = filepath.Join(xdg.ConfigHome, filepath.FromSlash(settingsName))
	}
	if filepath.IsAbs(xdg.StateHome) {
		s.StateDir = filepath.Join(xdg.StateHome, stateName)
	}
	return s
}
