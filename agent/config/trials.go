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

// trialKeys are the settings of the table.
var trialKeys = []key{
	choice("trials.mode", []string{"ask", "on", "off"}, func(s *Settings) *string { return &s.Trials.Mode }),
	ruleList("trials.deny", func(s *Settings) *[]commands.Rule { return &s.Trials.Deny }),
	list("trials.read", toolFolder, func(s *Settings) *[]string { return &s.Trials.Read }),
	list("trials.show", shownFiles, func(s *Settings) *[]string { return &s.Trials.Show }),
	seconds("trials.timeout_seconds", false, func(s *Settings) *time.Duration { return &s.Trials.Timeout }),
	whole("trials.max", 1, func(s *Settings) *int { return &s.Trials.Most }),
	whole("trials.disk_mb", 16, func(s *Settings) *int { return &s.Trials.DiskMB }),
	whole("trials.memory_mb", 64, func(s *Settings) *int { return &s.Trials.Memory }),
}

// TrialTimeSet reports whether the user, or the policy, has said how long a trial may take.
func (s Settings) TrialTimeSet() bool {
	const name = "trials.timeout_seconds"
	_, set := s.origins[name]
	return set || slices.Contains(s.policy.names, name)
}

func defaultTrials() TrialSettings {
	return TrialSettings{Mode: "ask", Timeout: 2 * time.Minute, Most: 8, DiskMB: 1024, Memory: 4096}
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
