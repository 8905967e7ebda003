package config

import (
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"redline/agent/commands"
	"redline/workspace"
	"redline/workspace/toolfolders"
	"redline/workspace/world"
)

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
