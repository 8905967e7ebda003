package config

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"redline/agent/commands"
	"redline/agent/view"
	"redline/edits/charset"
	"redline/workspace"
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

// TrialSettings are the table [trials]: how commands are tried before a plan is approved. Only
// the user's own file can set them.
type TrialSettings struct {
	Mode    string          // trials.mode: "ask", "on" or "off"
	Deny    []commands.Rule // trials.deny: rules in addition to those of commands.deny
	Read    []string        // trials.read: further folders that trials can read; absolute paths
	Show    []string        // trials.show: patterns of workspace paths that trials can read although they may hold secrets
	Timeout time.Duration   // trials.timeout_seconds
	Most    int             // trials.max: how many trials a turn may have
	DiskMB  int             // trials.disk_mb: how much one trial can write
	Memory  int             // trials.memory_mb: for a whole trial, or for each of its processes

	Isolation string   // trials.isolation: "overlay" or "copy"
	CopyAlso  []string // trials.copy_also: patterns of ignored files that a plain copy has
}

// trialKeys are the settings of the table [trials]: how commands are tried before a plan is approved.
var trialKeys = []key{
	{name: "trials.mode", kind: choice([]string{"ask", "on", "off"}, "ask", noFurther("off", "ask", "on"), func(s *Settings) *string { return &s.Trials.Mode }),
		about: "where commands may be tried before you approve a plan: `ask`, only in workspaces where you have allowed it; `on`, everywhere; `off`, nowhere. Where they cannot be isolated, no command is tried", see: "../running.md#allow-trials-turn-trials-off"},
	{name: "trials.deny", kind: ruleList("trials.deny", added, func(s *Settings) *[]commands.Rule { return &s.Trials.Deny }),
		about: "rules: commands that are not tried, besides those of `commands.deny`", see: "../running.md#allow-or-deny-a-command", example: `["make deploy"]`},
	{name: "trials.read", kind: list(toolFolder, among, func(s *Settings) *[]string { return &s.Trials.Read }),
		about: "folders besides the workspace that trials see, as copies: absolute, or beginning with `~/`. The toolchains and caches of common languages are seen without it", see: "../running.md#what-a-trial-sees", example: `["~/.cache/tool"]`},
	{name: "trials.show", kind: list(shownFiles, among, func(s *Settings) *[]string { return &s.Trials.Show }),
		about: "files of a workspace that trials see although they may hold secrets, such as a key that tests need: paths or patterns", see: "../running.md#what-a-trial-sees", example: `["testdata/*.pem"]`},
	{name: "trials.timeout_seconds", kind: seconds(false, 2*time.Minute, atMost, func(s *Settings) *time.Duration { return &s.Trials.Timeout }),
		about: "how long a trial may take; the model can ask for less. Unless you set it, a command that is known to take longer gets up to ten minutes", see: "../running.md#limits-of-a-trial"},
	{name: "trials.max", kind: whole(1, 8, atMost, func(s *Settings) *int { return &s.Trials.Most }),
		about: "how many commands one turn may try"},
	{name: "trials.disk_mb", kind: whole(16, 1024, atMost, func(s *Settings) *int { return &s.Trials.DiskMB }),
		about: "MiB that a trial can write, in memory or on a disk"},
	{name: "trials.memory_mb", kind: whole(64, 4096, atMost, func(s *Settings) *int { return &s.Trials.Memory }),
		about: "MiB of memory that a trial can have besides; where no cgroup is delegated to you, each of its processes", see: "../running.md#limits-of-a-trial"},
	{name: "trials.isolation", kind: choice([]string{"overlay", "copy"}, "overlay", noFurther("overlay", "copy"), func(s *Settings) *string { return &s.Trials.Isolation }),
		about: "where `redline adopt` and outside agents work: `copy`, in a plain copy of the files that git does not ignore, from which they can write elsewhere; trials never run there", see: "../running.md#a-plan-of-what-a-command-changes"},
	{name: "trials.copy_also", kind: list(shownFiles, among, func(s *Settings) *[]string { return &s.Trials.CopyAlso }),
		about: "files and folders that a plain copy has although git ignores them: names, or patterns with folders", example: `["node_modules", ".venv"]`},
}

// TrialTimeSet reports whether the user, or the policy, has said how long a trial may take.
func (s Settings) TrialTimeSet() bool {
	const name = "trials.timeout_seconds"
	_, set := s.origins[name]
	return set || slices.Contains(s.policy.names, name)
}

// shownFiles reads a pattern of paths in a workspace.
func shownFiles(text string) (string, error) {
	clean := path.Clean(text)
	if text == "" || path.IsAbs(text) || clean == ".." || strings.HasPrefix(clean, "../") || !doublestar.ValidatePattern(text) || !workspace.ValidGlob(text) {
		return "", errors.New("must be a list of paths in a workspace, or of patterns such as testdata/*.pem")
	}
	return clean, nil
}

// TrialTools returns the folders outside the workspace that trials can read: those of tools, and of
// trials.read, as far as [world.Shown] has them. They need not exist. Trials can read the system's folders anyway.
func (s Settings) TrialTools() []string {
	dirs := slices.Concat(world.Shown(s.Trials.Read, toolfolders.Homes()), toolfolders.Seen())
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// workspaceKeys are the settings of the table [workspace].
var workspaceKeys = []key{
	{name: "workspace.trusted_folders", kind: list(trustedFolder, among, func(s *Settings) *[]string { return &s.TrustedFolders }),
		about: "folders of other users that may be the workspace of a folder in them: absolute, or beginning with `~/`; `/srv/*` is what is below `/srv`, and `*` every folder", see: "settings.md#whose-folder-the-workspace-is", example: `["/srv/project"]`},
	{name: "workspace.charsets", kind: kind{values: "a table of globs and charsets: `" + strings.Join(charset.Names(), "`, `") + "`", form: asTable, set: setCharsets, show: showCharsets},
		about: "the charset of the files that a glob matches, where they are not UTF-8; the longest glob that matches a file counts. It overrides the `charset` of an `.editorconfig`", see: "edits.md#files-that-are-not-utf-8", example: `{ "*.txt" = "latin1", "legacy/**" = "shift_jis" }`},
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

// waysToApprove is a list of ways in which plans can be approved.
func waysToApprove() kind {
	k := list(way, among, func(s *Settings) *[]string { return &s.Ways })
	k.values = "a list of `" + strings.Join(allWays(), "`, `") + "`"
	k.reset = func(s *Settings) { s.Ways = allWays() }
	return k
}

// allWays returns the names of all ways to approve.
func allWays() []string {
	var all []string
	for _, w := range view.Ways() {
		all = append(all, string(w))
	}
	return all
}

// way reads the name of a way to approve.
func way(text string) (string, error) {
	if !slices.Contains(allWays(), text) {
		return "", fmt.Errorf("must be a list of: %s", strings.Join(allWays(), ", "))
	}
	return text, nil
}

// withoutRules takes the rules that approve out of the settings if approval.ways does not have them.
func (s *Settings) withoutRules() {
	if slices.Contains(s.Ways, string(view.ByRule)) {
		return
	}
	if s.SecondLook != SecondLookAlways {
		s.SecondLook, s.origins["approval.second_look"] = SecondLookAlways, s.origin("approval.ways")
	}
	if s.Commands.Allow != nil {
		s.Commands.Allow, s.origins["commands.allow"] = nil, s.origin("approval.ways")
	}
}

// Forbidden returns the ways in which nothing can be approved.
func (s Settings) Forbidden() view.Forbidden {
	forbidden := view.Forbidden{}
	for _, w := range view.Ways() {
		if slices.Contains(s.Ways, string(w)) {
			continue
		}
		forbidden[w] = "Your setting approval.ways"
		if slices.Contains(s.policy.names, "approval.ways") && !slices.Contains(s.policy.values.Ways, string(w)) {
			forbidden[w] = "The policy in " + s.policy.file
		}
	}
	return forbidden
}

// MustAsk reports whether the policy has the user asked about each edit as it is staged, in every
// conversation.
func (s Settings) MustAsk() bool {
	return slices.Contains(s.policy.names, "approval.decide") && s.policy.values.Decide == DecideAsk
}
