package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"redline/agent/commands"
	"redline/workspace/toolfolders"
	"redline/workspace/world"
)

// CommandSettings are the table [commands]: how approved commands run. Only the user's own
// file can set them.
type CommandSettings struct {
	Timeout time.Duration   // commands.timeout_seconds: for each command
	Wall    time.Duration   // commands.wall_seconds: for all commands of one approval together; 0 for no limit
	Confine string          // commands.confine: whether to limit what they write: "auto", "require" or "off"
	Caches  []string        // commands.caches: folders outside the workspace that commands may write; absolute paths, and [toolfolders.Usual]; nil for that alone; see CacheFolders
	Allow   []commands.Rule // commands.allow
	Deny    []commands.Rule // commands.deny
	Env     []string        // commands.env: names of further environment variables that they get

	Parallel int // commands.parallel: how many commands of a plan run at the same time, if the plan allows it; 1 for one after the other

	Namespaces string // commands.namespaces: whether commands run in their own namespaces: "auto" or "off"
}

// commandKeys are the settings of the table.
var commandKeys = []key{
	seconds("commands.timeout_seconds", false, func(s *Settings) *time.Duration { return &s.Commands.Timeout }),
	seconds("commands.wall_seconds", true, func(s *Settings) *time.Duration { return &s.Commands.Wall }),
	choice("commands.confine", []string{"auto", "require", "off"}, func(s *Settings) *string { return &s.Commands.Confine }),
	choice("commands.namespaces", []string{"auto", "off"}, func(s *Settings) *string { return &s.Commands.Namespaces }),
	whole("commands.parallel", 1, func(s *Settings) *int { return &s.Commands.Parallel }),
	list("commands.caches", cacheFolder, func(s *Settings) *[]string { return &s.Commands.Caches }),
	ruleList("commands.allow", func(s *Settings) *[]commands.Rule { return &s.Commands.Allow }),
	ruleList("commands.deny", func(s *Settings) *[]commands.Rule { return &s.Commands.Deny }),
	list("commands.env", variableIn, func(s *Settings) *[]string { return &s.Commands.Env }),
}

// defaultCommands returns the default settings.
func defaultCommands() CommandSettings {
	return CommandSettings{Timeout: 10 * time.Minute, Wall: time.Hour, Confine: "auto", Namespaces: "auto", Parallel: 4}
}

// CacheFolders returns the folders of commands.caches.
func (c CommandSettings) CacheFolders() []string {
	if c.Caches == nil {
		return toolfolders.Caches()
	}
	dirs := []string{}
	for _, dir := range c.Caches {
		if dir == toolfolders.Usual {
			dirs = append(dirs, toolfolders.Caches()...)
		} else {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// cacheFolder reads the name of a folder that commands may write, or the word for the usual ones.
func cacheFolder(text string) (string, error) {
	if text == toolfolders.Usual {
		return text, nil
	}
	return toolFolder(text)
}

// toolFolder reads the name of a folder for commands or trials: none that [world.Shown] leaves out.
func toolFolder(text string) (string, error) {
	dir, err := absoluteFolder(text)
	if err == nil && len(world.Shown([]string{dir}, toolfolders.Homes())) == 0 {
		return "", errors.New("must not have your home folder, one that holds it, or one for keys: name folders in it")
	}
	return dir, err
}

// absoluteFolder reads the name of a folder, absolute or in the home directory.
func absoluteFolder(text string) (string, error) {
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("names the home directory, and there is none")
		}
		text = filepath.Join(home, filepath.FromSlash(rest))
	}
	if !filepath.IsAbs(text) {
		return "", fmt.Errorf("must be a list of absolute folders, or of folders that begin with ~/")
	}
	return filepath.Clean(text), nil
}

// variableIn reads the name of a variable. The error does not quote the text, which may be a
// secret value written there by mistake.
func variableIn(text string) (string, error) {
	if !variableName().MatchString(text) {
		return "", errors.New("must be a list of names of environment variables")
	}
	return text, nil
}
