package config

import (
	"errors"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"redline/agent/rules"
	"redline/workspace"
	"redline/workspace/world"
)

// TrialSettings are the table [trials]: how commands are tried before a plan is approved. Only
// the user's own file can set them.
type TrialSettings struct {
	Mode    string        // trials.mode: "ask", "on" or "off"
	Deny    []rules.Rule  // trials.deny: rules in addition to those of commands.deny
	Read    []string      // trials.read: further folders that trials can read; absolute paths
	Show    []string      // trials.show: patterns of workspace paths that trials can read although they may hold secrets
	Timeout time.Duration // trials.timeout_seconds
	Most    int           // trials.max: how many trials a turn may have
	DiskMB  int           // trials.disk_mb: how much one trial can write
	Memory  int           // trials.memory_mb: for a whole trial, or for each of its processes
}

// trialKeys are the settings of the table.
var trialKeys = []key{
	choice("trials.mode", []string{"ask", "on", "off"}, func(s *Settings) *string { return &s.Trials.Mode }),
	ruleList("trials.deny", func(s *Settings) *[]rules.Rule { return &s.Trials.Deny }),
	list("trials.read", readFolder, func(s *Settings) *[]string { return &s.Trials.Read }),
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

// trialTools are the folders in the home directory with toolchains and caches that builds need.
// They are listed one by one because the folders around them hold credentials.
var trialTools = strings.Fields(`go/pkg go/bin .cache/go-build .cache/golangci-lint .cache/goimports
	.cargo/registry .cargo/git .cargo/bin .rustup .cache/sccache
	.npm/_cacache .nvm .volta .fnm .local/share/fnm .bun/bin .bun/install .deno .cache/deno .cache/node .cache/yarn .yarn/berry/cache
	.local/share/pnpm .cache/pnpm .cache/ms-playwright .cache/Cypress
	.pyenv .cache/pip .cache/uv .local/share/uv .local/lib .local/bin .local/share/virtualenvs .virtualenvs .cache/pypoetry .conda/envs .conda/pkgs miniconda3 anaconda3
	.m2/repository .gradle/caches .gradle/wrapper .sdkman/candidates .ivy2/cache .cache/coursier .sbt/boot
	.rbenv .rvm .gem/ruby .bundle/cache .local/share/gem .asdf .local/share/mise
	.nuget/packages .dotnet/sdk .dotnet/shared .dotnet/host .dotnet/packs .dotnet/tools .composer/cache .cache/composer
	.mix .hex/packages .cache/rebar3 .cabal/packages .cabal/store .ghcup .stack/snapshots .stack/programs .stack/pantry
	.opam .pub-cache/hosted .pub-cache/bin .cache/bazel .cache/zig .cache/ccache .ccache .juliaup .julia/packages .elan .swiftly .cache/swift`)

// movable are the folders of the home directory that a variable can move elsewhere, with the
// trialTools in them. Their other contents can be credentials.
var movable = map[string]string{".cache/": "XDG_CACHE_HOME", ".local/share/": "XDG_DATA_HOME", ".cargo/": "CARGO_HOME"}

// toolVariables name folders of toolchains and caches outside those places.
var toolVariables = []string{
	"GOROOT", "GOCACHE", "GOMODCACHE", "RUSTUP_HOME", "NVM_DIR", "VOLTA_HOME", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME",
	"PNPM_HOME", "ASDF_DATA_DIR", "MISE_DATA_DIR", "RBENV_ROOT", "DOTNET_ROOT", "ANDROID_HOME",
}

// ofGoPath are the folders of a GOPATH with packages and programs. Beside them are the sources of
// projects.
var ofGoPath = []string{"pkg", "bin"}

// homes returns the user's home folders: the one of this process, and the one that the system has
// for the user.
func homes() (all []string) {
	if home, err := os.UserHomeDir(); err == nil {
		all = append(all, home)
	}
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		all = append(all, u.HomeDir)
	}
	return all
}

// shownFiles reads a pattern of paths in a workspace.
func shownFiles(text string) (string, error) {
	clean := path.Clean(text)
	if text == "" || path.IsAbs(text) || clean == ".." || strings.HasPrefix(clean, "../") || !doublestar.ValidatePattern(text) || !workspace.ValidGlob(text) {
		return "", errors.New("must be a list of paths in a workspace, or of patterns such as testdata/*.pem")
	}
	return clean, nil
}

// readFolder reads the name of a folder for trials.
func readFolder(text string) (string, error) {
	dir, err := cacheFolder(text)
	if err == nil && len(world.Shown([]string{dir}, homes())) == 0 {
		return "", errors.New("must not have your home folder, one that holds it, or one for keys: name folders in it")
	}
	return dir, err
}

// TrialTools returns the folders outside the workspace that trials can read: those of the usual
// toolchains and caches, of the environment, and of trials.read, as far as [world.Shown] has them.
// They need not exist. Trials can read the system's folders anyway.
func (s Settings) TrialTools() []string {
	dirs := slices.Clone(s.Trials.Read)
	all := homes()
	if home, err := os.UserHomeDir(); err == nil {
		for _, name := range trialTools {
			dirs = append(dirs, filepath.Join(home, filepath.FromSlash(name)))
			for in, variable := range movable {
				rest, ok := strings.CutPrefix(name, in)
				if base := os.Getenv(variable); ok && filepath.IsAbs(base) && len(world.Shown([]string{base}, all)) > 0 {
					dirs = append(dirs, filepath.Join(base, filepath.FromSlash(rest)))
				}
			}
		}
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if rel, err := filepath.Rel(home, dir); err == nil && filepath.IsLocal(rel) {
				dirs = append(dirs, filepath.Clean(dir))
			}
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("GOPATH")) {
		for _, name := range ofGoPath {
			if filepath.IsAbs(dir) {
				dirs = append(dirs, filepath.Join(dir, name))
			}
		}
	}
	for _, name := range toolVariables {
		for _, dir := range filepath.SplitList(os.Getenv(name)) {
			if filepath.IsAbs(dir) && !ofSystem(dir) {
				dirs = append(dirs, filepath.Clean(dir))
			}
		}
	}
	slices.Sort(dirs)
	return world.Shown(slices.Compact(dirs), all)
}

// ofSystem reports whether a folder is one of the system's, which trials can read.
func ofSystem(dir string) bool {
	return slices.ContainsFunc([]string{"/usr/", "/opt/", "/nix/", "/snap/", "/lib/"}, func(of string) bool { return strings.HasPrefix(dir+"/", of) })
}
