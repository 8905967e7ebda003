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

// commandKeys are the settings of the table [commands]: how approved commands are run.
var commandKeys = []key{
	{name: "commands.timeout_seconds", kind: seconds(false, 10*time.Minute, atMost, func(s *Settings) *time.Duration { return &s.Commands.Timeout }),
		about: "how long a command may take; a plan can ask for less"},
	{name: "commands.wall_seconds", kind: seconds(true, time.Hour, atMost, func(s *Settings) *time.Duration { return &s.Commands.Wall }),
		about: "how long the commands of one approval may run, all together; a wait for a save does not count"},
	{name: "commands.confine", kind: choice([]string{"auto", "require", "off"}, "auto", noFurther("require", "auto", "off"), func(s *Settings) *string { return &s.Commands.Confine }),
		about: "`auto`: what a command writes is limited where the system can do that. `require`: no command is run where it cannot. `off`: it is not limited", see: "../running.md#what-a-command-can-reach"},
	{name: "commands.namespaces", kind: choice([]string{"auto", "off"}, "auto", noFurther("auto", "off"), func(s *Settings) *string { return &s.Commands.Namespaces }),
		about: "`auto`: on Linux a command runs in namespaces of its own where the system allows it, so that nothing outlives it. `off`: what it leaves behind is looked for and ended", see: "../running.md#how-a-command-ends"},
	{name: "commands.parallel", kind: whole(1, 4, atMost, func(s *Settings) *int { return &s.Commands.Parallel }),
		about: "how many commands of a plan run at the same time, where it says that they may; 1 for one after the other", see: "../plans.md#at-the-same-time"},
	{name: "commands.caches", kind: cacheFolders(),
		about: "folders besides the workspace that a command may write: absolute, or beginning with `~/`. One that does not exist is created. None is your home folder, holds it or leads to it. The default is the [caches](tool-folders.md) that exist or whose tools are installed; `usual` in a list stands for these", see: "../running.md#what-a-command-can-reach", example: `["usual", "~/.tool/cache"]`},
	{name: "commands.allow", kind: ruleList("commands.allow", rulesAmong, func(s *Settings) *[]commands.Rule { return &s.Commands.Allow }),
		about: "rules: commands that run when you approve their plan, without a question of their own. A text is about the workspace's root, a table about the folder that it names", see: "../running.md#allow-or-deny-a-command", example: `["go test", "npm run *", { command = "make", folder = "tools" }]`},
	{name: "commands.deny", kind: ruleList("commands.deny", added, func(s *Settings) *[]commands.Rule { return &s.Commands.Deny }),
		about: "rules: commands that are not run, even if you approve them, in whatever folder", see: "../running.md#allow-or-deny-a-command", example: `["rm", "git push"]`},
	{name: "commands.env", kind: list(variableIn, among, func(s *Settings) *[]string { return &s.Commands.Env }),
		about: "names of environment variables that commands get besides the usual ones", see: "../running.md#what-a-command-gets", example: `["DATABASE_URL"]`},
}

// cacheFolders is a list of folders with a default that is a list, too.
func cacheFolders() kind {
	k := list(cacheFolder, cachesAmong, func(s *Settings) *[]string { return &s.Commands.Caches })
	shown := k.show
	return k.shownAs(k.values, func(s Settings) string {
		if s.Commands.Caches == nil {
			return "(the usual caches)"
		}
		return shown(s)
	})
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
