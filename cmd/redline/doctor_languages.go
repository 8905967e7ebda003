package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"redline/agent/trial"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/language"
	"redline/workspace/leftover"
	"redline/workspace/runner"
)

// languageFindings lists the language servers that can check plans, and names those that are not installed.
func languageFindings(ctx context.Context, set *setup) []finding {
	const what = "languages"
	mode := trial.Mode(set.settings.Languages.Mode)
	switch {
	case mode == trial.Off:
		return []finding{{what: what, found: "no language server checks plans: switched off (languages.mode)"}}
	case mode == trial.Ask && set.settings.Trials.Mode == string(trial.Off):
		return []finding{{what: what, found: "no language server checks plans, since trials are switched off (trials.mode; languages.mode = \"on\" asks for them all the same)"}}
	}
	if err := runner.WorldsNoted(leftover.New(set.settings.StateDir)); err != nil {
		return []finding{{what: what, found: "no language server checks plans, since it needs what trials need: " + err.Error()}}
	}
	adapters := set.languages().Adapters
	versions := make([]string, len(adapters))
	var asks sync.WaitGroup
	for i, a := range adapters {
		asks.Go(func() { versions[i] = versionOf(ctx, a) })
	}
	asks.Wait()
	var findings []finding
	var missing []string
	for i, a := range adapters {
		if versions[i] == "" {
			missing = append(missing, a.Name)
			continue
		}
		findings = append(findings, finding{what: what, found: edits.Visible(versions[i]) + fmt.Sprintf(": checks plans where commands may be tried, with up to %d MiB beside your editor's own server; ends after 10 min without work", set.settings.Languages.Memory) +
			nowRunning(runningServers(os.DirFS("/proc"), a.Command[0]))})
	}
	if mode == trial.On {
		for i := range findings {
			findings[i].found = strings.Replace(findings[i].found, "where commands may be tried", "everywhere", 1)
		}
	}
	if len(missing) > 0 {
		findings = append(findings, finding{what: what, found: "not installed: " + phrase.And(missing)})
	}
	return findings
}

// nowRunning says which servers of a program run now: "; runs now: process 12 for 5m0s with 410 MiB".
func nowRunning(servers []runningServer) string {
	var all []string
	for _, s := range servers {
		all = append(all, fmt.Sprintf("process %d for %s with %d MiB", s.process, phrase.Took(s.age.Milliseconds()), s.memory>>20))
	}
	if len(all) == 0 {
		return ""
	}
	return "; runs now: " + phrase.And(all)
}

// versionOf returns where a server's program is and what it says about its version: "/usr/bin/gopls (v0.21.1)". It
// returns "" if the program is not installed.
func versionOf(ctx context.Context, a *language.Adapter) string {
	name, err := exec.LookPath(a.Command[0])
	if err != nil || !filepath.IsAbs(name) {
		return ""
	}
	args := a.Version
	if args == nil {
		args = []string{"--version"}
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.WaitDelay = time.Second
	c.Dir = filepath.VolumeName(name) + string(filepath.Separator) // rustup and others run what a file of the folder names
	said, err := c.Output()
	line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	if err != nil || line == "" {
		return name
	}
	return name + " (" + phrase.Clip(phrase.OneLine(line), 80) + ")"
}
