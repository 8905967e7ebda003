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
	"strings"

	"github.com/spf13/cobra"

	"redline/agent/store"
)

// A release sets these with -ldflags.
var (
	version = "0.1.0-dev"
	commit  = "" // the commit it was built from
)

// versionText returns the version with the commit, if it is known, the compiler and the
// platform.
func versionText() string {
	info, _ := debug.ReadBuildInfo()
	from := builtFrom(info)
	if from != "" {
		from += ", "
	}
	return fmt.Sprintf("%s (%s%s, %s/%s)", version, from, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// builtFrom returns the commit that the program was built from: that of a release, or the one
// of the checkout that Go noted, "" if there is none.
func builtFrom(info *debug.BuildInfo) string {
	if commit != "" {
		return "release of commit " + short(commit)
	}
	if info == nil {
		return ""
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	switch {
	case revision == "":
		return ""
	case settings["vcs.modified"] == "true":
		return "commit " + short(revision) + " with changes"
	}
	return "commit " + short(revision)
}

// short returns the first digits of a commit.
func short(commit string) string { return commit[:min(len(commit), 12)] }

func newVersion(s streams) *cobra.Command {
	var check, asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and check offline what it fits",
		Long: strings.TrimSpace(`
Prints the version, the commit it was built from, and which Go and which system it
was built for. A program that is not a release says which commit its checkout had.

With --check it also says where the program is, how it was installed and is upgraded,
and whether it can use the plan database. It asks no server and changes nothing.`),
		Example: `  redline version
  redline version --check`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !check && !asJSON {
				_, err := fmt.Fprintf(s.out, "redline version %s\n", versionText())
				return err
			}
			found, err := checkVersion(cmd.Context())
			if err != nil {
				return err
			}
			return found.tell(s.out, asJSON)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "say how it was installed and whether it fits the plan database")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what --check finds as JSON")
	return cmd
}

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
	if c.Program, err = thisProgram(); err != nil {
		return versionCheck{}, err
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

// thisProgram returns the path of this program, with links followed.
func thisProgram() (string, error) {
	name, err := os.Executable()
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	return name, err
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

// ways lists how a program may have been installed, by what is in its path, and how that
// installation is upgraded. The first that fits counts.
var ways = []struct {
	in      string // a part of the path, with slashes
	by      string
	upgrade string
}{
	{"/node_modules/", "npm", "npm install -g redline-lsp@latest"},
	{"/uv/tools/", "uv", "uv tool upgrade redline-lsp"},
	{"/pipx/venvs/", "pipx", "pipx upgrade redline-lsp"},
	{"/mason/", "mason.nvim", ":MasonInstall redline-lsp"},
	{"/extensions/redline.redline-", "the extension for VS Code", "update the extension"},
	{"/Cellar/", "Homebrew", "brew upgrade redline"},
	{"/scoop/apps/", "Scoop", "scoop update redline"},
	{"/nix/store/", "Nix", "nix profile upgrade redline"},
	{"/go/bin/", "Go", "go install in a newer checkout"},
	{"/Scripts/", "pip", "pip install --upgrade redline-lsp"},
}

// Where Linux package managers note what the package redline has installed.
const dpkgList = "/var/lib/dpkg/info/redline.list"

// installedBy returns what the program at a path was installed with, as its path says, and how
// to upgrade it; both are "" if the path does not say it. exists reports whether a file exists.
func installedBy(program string, exists func(path string) bool) (by, upgrade string) {
	path := strings.ReplaceAll(program, `\`, "/")
	for _, w := range ways {
		if strings.Contains(path, w.in) {
			return w.by, w.upgrade
		}
	}
	folder := path[:strings.LastIndex(path, "/")+1]
	switch {
	case path == "/usr/bin/redline" && exists(dpkgList):
		return "a .deb package", "sudo apt install ./redline_VERSION_ARCHITECTURE.deb"
	case path == "/usr/bin/redline" && exists("/var/lib/pacman/local"):
		return "pacman", "upgrade the package redline-lsp-bin"
	case path == "/usr/bin/redline":
		return "an .rpm package", "sudo rpm -U redline-VERSION.ARCHITECTURE.rpm"
	case strings.HasSuffix(folder, "/bin/") && exists(folder+"../pyvenv.cfg"):
		return "pip", "pip install --upgrade redline-lsp"
	}
	return "", ""
}
