package brief

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/smallfile"
)

// runners are the folders in which the runners of a project's tests keep their environments.
var runners = []string{".tox", ".nox"}

// ofRunner reports whether an environment is one of those.
func ofRunner(env string) bool {
	return slices.ContainsFunc(runners, func(dir string) bool { return strings.HasPrefix(env, dir+"/") })
}

// maxEntries is how many environments in a folder are looked at.
const maxEntries = 200

// runnersName matches the names that runners give to environments. The repository can have folders
// of any other name in their place.
var runnersName = lazyregexp.New(`^[\w.@+-]+$`)

// ofRunners returns the environments that runners have made in a folder of a project, the newest
// Python first.
func ofRunners(dir string) (names []string) {
	for _, runner := range runners {
		entries := entriesOf(filepath.Join(dir, runner))
		slices.SortFunc(entries, newest)
		for _, name := range entries {
			if runnersName().MatchString(name) {
				names = append(names, runner+"/"+name)
			}
		}
	}
	return names
}

// entriesOf returns the names of the folders in a folder.
func entriesOf(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && len(names) < maxEntries {
			names = append(names, e.Name())
		}
	}
	return names
}

var number = lazyregexp.New(`[0-9]+`)

// newest sorts names with versions in them, py3.9 after py3.12.
func newest(a, b string) int {
	x, y := number().FindAllString(a, -1), number().FindAllString(b, -1)
	for i := range min(len(x), len(y)) {
		if len(x[i]) != len(y[i]) {
			return len(y[i]) - len(x[i])
		}
		if x[i] != y[i] {
			return strings.Compare(y[i], x[i])
		}
	}
	return strings.Compare(a, b)
}

// elsewhere returns the environments that programs keep for a project outside its folder, dir, as
// absolute names, the best first. If the user has activated one, its programs are on PATH and
// nothing else counts.
func elsewhere(dir string, sees func(string) bool) (envs []string) {
	if dir == "" {
		return nil
	}
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if variable == "CONDA_PREFIX" && os.Getenv("CONDA_DEFAULT_ENV") == "base" { // which conda activates by itself
			continue
		}
		if active := os.Getenv(variable); filepath.IsAbs(active) && onPath("python", sees) == filepath.Join(active, "bin", "python") {
			return nil
		}
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	text := func(name string) string { return readSmall(filepath.Join(dir, name)) }
	if name := strings.TrimSpace(text(".pdm-python")); filepath.IsAbs(name) {
		envs = append(envs, filepath.Dir(filepath.Dir(name)))
	}
	project := text("pyproject.toml")
	if strings.Contains(project, "[tool.poetry") || strings.Contains(project, "poetry.core") || isThere(filepath.Join(dir, "poetry.lock")) {
		envs = append(envs, poetry(dir)...)
	}
	if strings.Contains(project, "hatch") || isThere(filepath.Join(dir, "hatch.toml")) {
		envs = append(envs, hatch(dir)...)
	}
	envs = append(envs, marked(dir)...)
	for _, name := range []string{"environment.yml", "environment.yaml"} {
		if m := condaName().FindStringSubmatch(text(name)); m != nil {
			envs = append(envs, conda(m[1])...)
		}
	}
	return slices.DeleteFunc(envs, func(env string) bool { // PDM may use a Python that is in no environment
		return !isThere(filepath.Join(env, "pyvenv.cfg")) && !isThere(filepath.Join(env, "conda-meta"))
	})
}

func isThere(name string) bool { _, err := os.Stat(name); return err == nil }

// maxText is how many bytes of a file are read, at most.
const maxText = 1 << 20

// readSmall returns the text of a small file, "" if there is none.
func readSmall(name string) string {
	text, err := smallfile.Read(name, maxText)
	if err != nil {
		return ""
	}
	return text
}

// Base folders, each from the variable that moves it.

func homeFolder(names ...string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(append([]string{home}, names...)...)
}

func orVariable(variable, otherwise string, below ...string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(append([]string{dir}, below...)...)
	}
	return otherwise
}

// caches and data return the folders that a program has below those of the XDG specification.
func caches(name string) string {
	if runtime.GOOS == "darwin" {
		return homeFolder("Library", "Caches", name)
	}
	return orVariable("XDG_CACHE_HOME", homeFolder(".cache", name), name)
}

func data(name string) string {
	if runtime.GOOS == "darwin" {
		return homeFolder("Library", "Application Support", name)
	}
	return orVariable("XDG_DATA_HOME", homeFolder(".local", "share", name), name)
}

// hashOf returns the first characters of the hash by which Poetry and Hatch tell folders apart.
func hashOf(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return base64.URLEncoding.EncodeToString(sum[:])[:8]
}

// poetry returns the environments that Poetry has made for a project: the chosen one first, then by
// version.
func poetry(dir string) (envs []string) {
	all := orVariable("POETRY_VIRTUALENVS_PATH", orVariable("POETRY_CACHE_DIR", filepath.Join(caches("pypoetry"), "virtualenvs"), "virtualenvs"))
	mark := "-" + hashOf(dir) + "-py"
	names := slices.DeleteFunc(entriesOf(all), func(name string) bool { return !strings.Contains(name, mark) })
	slices.SortFunc(names, newest)
	if chosen := poetryChoice(readSmall(filepath.Join(all, "envs.toml")), hashOf(dir)); chosen != "" {
		slices.SortStableFunc(names, func(a, b string) int {
			return inOrder(strings.HasSuffix(b, "-py"+chosen), strings.HasSuffix(a, "-py"+chosen))
		})
	}
	for _, name := range names {
		envs = append(envs, filepath.Join(all, name))
	}
	return envs
}

func inOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// poetryChoice returns the version of Python that `poetry env use` chose, such as 3.11.
func poetryChoice(text, hash string) string {
	_, after, _ := strings.Cut(text, hash)
	after, _, _ = strings.Cut(after, "\n[")
	if m := minor().FindStringSubmatch(after); m != nil {
		return m[1]
	}
	return ""
}

var minor = lazyregexp.New(`(?m)^minor\s*=\s*"([0-9.]+)"`)

// hatch returns the environments that Hatch has made for a project: the default one first.
func hatch(dir string) (envs []string) {
	all := filepath.Join(orVariable("HATCH_DATA_DIR", data("hatch")), "env", "virtual")
	for _, project := range entriesOf(all) {
		names := entriesOf(filepath.Join(all, project, hashOf(dir)))
		slices.SortFunc(names, newest)
		slices.SortStableFunc(names, func(a, b string) int { return inOrder(b == project, a == project) })
		for _, name := range names {
			envs = append(envs, filepath.Join(all, project, hashOf(dir), name))
		}
	}
	return envs
}

// marked returns the environments of Pipenv and virtualenvwrapper for a project: their file .project
// names it.
func marked(dir string) (envs []string) {
	for _, all := range []string{orVariable("WORKON_HOME", orVariable("XDG_DATA_HOME", homeFolder(".local", "share", "virtualenvs"), "virtualenvs")), homeFolder(".virtualenvs")} {
		for _, name := range entriesOf(all) {
			if env := filepath.Join(all, name); strings.TrimSpace(readSmall(filepath.Join(env, ".project"))) == dir {
				envs = append(envs, env)
			}
		}
	}
	return envs
}

var condaName = lazyregexp.New(`(?m)^name:\s*["']?([\w.-]+)`)

// installers are the usual folders of conda and its like, in the home folder.
var installers = []string{"miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda", ".local/share/mamba", "opt/miniconda3", "opt/anaconda3"}

// conda returns the environments with a name.
func conda(name string) (envs []string) {
	for line := range strings.Lines(readSmall(homeFolder(".conda", "environments.txt"))) {
		if env := strings.TrimSpace(line); filepath.IsAbs(env) && filepath.Base(env) == name {
			envs = append(envs, env)
		}
	}
	for _, in := range append([]string{os.Getenv("MAMBA_ROOT_PREFIX")}, installers...) {
		if in = filepath.FromSlash(in); in != "" && !filepath.IsAbs(in) {
			in = homeFolder(in)
		}
		if env := filepath.Join(in, "envs", name); in != "" && isThere(env) && !slices.Contains(envs, env) {
			envs = append(envs, env)
		}
	}
	return envs
}
