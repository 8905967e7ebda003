package brief

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/smallfile"
	"redline/workspace/toolfolders"
)

// runners are the folders in which the runners of a project's tests keep their environments.
var runners = []string{".tox", ".nox"}

// ofRunner reports whether an environment is one of those.
func ofRunner(env string) bool {
	return slices.ContainsFunc(runners, func(dir string) bool { return strings.HasPrefix(env, dir+"/") })
}

// maxEntries is how many environments in a folder are looked at.
const maxEntries = 200

// runnersName matches the names that runners give to environments, such as py3.12. The repository can have folders
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

// hashOf returns the first characters of the hash by which Poetry and Hatch tell folders apart.
func hashOf(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return base64.URLEncoding.EncodeToString(sum[:])[:8]
}

// first sorts what is chosen before what is not.
func first(chosen func(name string) bool) func(a, b string) int {
	return func(a, b string) int { return order(chosen(b)) - order(chosen(a)) }
}

// poetry returns the environments that Poetry has made for a project: the chosen one first, then by
// version.
func poetry(dir string) (envs []string) {
	mark := "-" + hashOf(dir) + "-py"
	for _, place := range toolfolders.Places("Poetry") {
		for _, all := range []string{place, filepath.Join(place, "virtualenvs")} {
			names := slices.DeleteFunc(entriesOf(all), func(name string) bool { return !strings.Contains(name, mark) })
			slices.SortFunc(names, newest)
			if chosen := poetryChoice(readSmall(filepath.Join(all, "envs.toml")), hashOf(dir)); chosen != "" {
				slices.SortStableFunc(names, first(func(name string) bool { return strings.HasSuffix(name, "-py"+chosen) }))
			}
			envs = append(envs, joined(all, names)...)
		}
	}
	return envs
}

// joined returns the names in a folder.
func joined(folder string, names []string) (all []string) {
	for _, name := range names {
		all = append(all, filepath.Join(folder, name))
	}
	return all
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

// minor matches the version in the file envs.toml of Poetry: minor = "3.11".
var minor = lazyregexp.New(`(?m)^minor\s*=\s*"([0-9.]+)"`)

// hatch returns the environments that Hatch has made for a project: the default one first.
func hatch(dir string) (envs []string) {
	for _, place := range toolfolders.Places("Hatch") {
		for _, project := range entriesOf(filepath.Join(place, "virtual")) {
			all := filepath.Join(place, "virtual", project, hashOf(dir))
			names := entriesOf(all)
			slices.SortFunc(names, newest)
			slices.SortStableFunc(names, first(func(name string) bool { return name == project }))
			envs = append(envs, joined(all, names)...)
		}
	}
	return envs
}

// marked returns the environments of Pipenv and virtualenvwrapper for a project: their file .project
// names it.
func marked(dir string) (envs []string) {
	for _, all := range slices.Concat(toolfolders.Places("Pipenv"), toolfolders.Places("Python")) {
		for _, env := range joined(all, entriesOf(all)) {
			if strings.TrimSpace(readSmall(filepath.Join(env, ".project"))) == dir {
				envs = append(envs, env)
			}
		}
	}
	return envs
}

// condaName matches the name of the environment in an environment.yml: "name: shop".
var condaName = lazyregexp.New(`(?m)^name:\s*["']?([\w.-]+)`)

// installers are folders of conda and its like in the home folder, besides those of the table of tools.
var installers = []string{"miniforge3", "mambaforge", "micromamba", ".conda", ".local/share/mamba", "opt/miniconda3", "opt/anaconda3"}

// conda returns the environments with a name.
func conda(name string) (envs []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(readSmall(filepath.Join(home, ".conda", "environments.txt"))) {
		if env := strings.TrimSpace(line); filepath.IsAbs(env) && filepath.Base(env) == name {
			envs = append(envs, env)
		}
	}
	for _, in := range slices.Concat(toolfolders.Places("conda"), joined(home, installers)) {
		if env := filepath.Join(in, "envs", name); isThere(env) && !slices.Contains(envs, env) {
			envs = append(envs, env)
		}
	}
	return envs
}
