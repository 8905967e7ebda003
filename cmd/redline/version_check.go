package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"redline/agent/store"
)

// versionCheck is what redline version --check says. Everything in it is found on this
// machine.
type versionCheck struct {
	Version  string       `json:"version"`
	Built    string       `json:"built,omitempty"` // from which commit, in words
	Go       string       `json:"go"`
	Platform string       `json:"platform"`
	Program  string       `json:"program"`           // an absolute path, with links followed
	By       string       `json:"by,omitempty"`      // what it was installed with, if its path says so
	Upgrade  string       `json:"upgrade,omitempty"` // how to upgrade it
	Plans    checkedPlans `json:"plans"`

	unusable error // why this program cannot use the plan database
}

// checkedPlans is what was found of the plan database.
type checkedPlans struct {
	Path    string `json:"path"`
	Version int    `json:"version"` // 0: there is none yet, or it could not be read
	Writes  int    `json:"writes"`  // the version that this program writes
	Problem string `json:"problem,omitempty"`
}

// checkVersion looks at the program and the plan database, and changes neither.
func checkVersion(ctx context.Context) (versionCheck, error) {
	set, err := newSetupAnyway(nil)
	if err != nil {
		return versionCheck{}, err
	}
	defer set.store.Close()
	info, _ := debug.ReadBuildInfo()
	c := versionCheck{
		Version: version, Built: builtFrom(info), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Plans: checkedPlans{Path: filepath.Join(set.settings.StateDir, store.FileName)},
	}
	if c.Program, err = os.Executable(); err != nil {
		return versionCheck{}, err
	}
	if to, err := filepath.EvalSymlinks(c.Program); err == nil {
		c.Program = to
	}
	c.By, c.Upgrade = installedBy(c.Program, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
	c.Plans.Version, c.Plans.Writes, c.unusable = set.store.Version(ctx)
	if errors.Is(c.unusable, store.ErrNewer) && c.Upgrade != "" {
		c.unusable = fmt.Errorf("%w; to update it: %s", c.unusable, c.Upgrade)
	}
	if c.unusable != nil {
		c.Plans.Problem = c.unusable.Error()
	}
	return c, nil
}

// tell prints what was found, for a person or as JSON. It fails if this program cannot use
// the plan database.
func (c versionCheck) tell(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		if err := e.Encode(c); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(w, "redline version %s\n", versionText())
		fmt.Fprintf(w, "   program    %s\n", c.Program)
		if c.By != "" {
			fmt.Fprintf(w, "   installed  by %s; to upgrade: %s\n", c.By, c.Upgrade)
		}
		fmt.Fprintf(w, "   plans      %s\n", c.Plans)
	}
	return c.unusable
}

func (p checkedPlans) String() string {
	switch {
	case p.Problem != "":
		return p.Path + " cannot be used"
	case p.Version == 0:
		return "none yet"
	case p.Version < p.Writes:
		return fmt.Sprintf("%s has version %d; the next command that needs it brings it to version %d and keeps a copy", p.Path, p.Version, p.Writes)
	}
	return fmt.Sprintf("%s has version %d, which this program writes", p.Path, p.Version)
}
