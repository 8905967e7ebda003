package brief

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"redline/internal/lazyregexp"
	"redline/internal/smallfile"
	"redline/workspace"
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
	for _, in := range toolfolders.Places("conda") {
		if env := filepath.Join(strings.TrimSuffix(in, "/envs"), "envs", name); isThere(env) && !slices.Contains(envs, env) {
			envs = append(envs, env)
		}
	}
	return envs
}

// Machine says which programs can run checks.
type Machine struct {
	Program func(name string) bool // whether PATH has a program
	File    func(path string) bool // whether the workspace has a program, even an ignored one, or a file with an absolute name is one

	// Others returns the environments that the runners of a project's tests have made in one
	// of its folders: slash-separated, relative to it. Elsewhere returns those of a folder that
	// are kept outside the workspace, as absolute names, the best first. Either may be nil.
	Others, Elsewhere func(folder string) []string

	// Apart reports whether the program that PATH has for a name is in an environment of its own, as
	// pipx and `uv tool` make them: the Python on PATH has no such module then. It may be nil.
	Apart func(name string) bool
}

// ThisMachine returns the programs of this machine for checks of a workspace. sees reports whether a
// command, also in a trial, can start a program, by its absolute name; nil means that it can start
// all programs.
func ThisMachine(ws *workspace.Workspace, sees func(name string) bool) Machine {
	if sees == nil {
		sees = func(name string) bool { _, err := exec.LookPath(name); return err == nil }
	}
	real := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		name, err := ws.RealName(path)
		if err != nil {
			return ""
		}
		return name
	}
	return Machine{
		Program: func(name string) bool { return onPath(name, sees) != "" },
		File: func(file string) bool {
			if filepath.IsAbs(file) {
				return sees(file)
			}
			// The program itself is often a link that leaves the workspace.
			for dir, rest := path.Dir(file), path.Base(file); ; dir, rest = path.Dir(dir), path.Join(path.Base(dir), rest) {
				if in := real(dir); in != "" {
					return sees(filepath.Join(in, filepath.FromSlash(rest)))
				}
				if dir == "." {
					return false
				}
			}
		},
		Others:    func(folder string) []string { return ofRunners(real(path.Clean(folder))) },
		Elsewhere: func(folder string) []string { return elsewhere(real(path.Clean(folder)), sees) },
		Apart: func(name string) bool {
			env := environmentOf(onPath(name, sees))
			return env != "" && env != environmentOf(onPath("python", sees)) && env != environmentOf(onPath("python3", sees))
		},
	}
}

// onPath returns the program that a shell starts for a name, "" for none. Folders of PATH that are
// not absolute differ from command to command.
func onPath(program string, sees func(name string) bool) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if name := filepath.Join(dir, program); filepath.IsAbs(dir) && sees(name) {
			return name
		}
	}
	return ""
}

// environmentOf returns the virtual environment that a program is in, "" if it is in none.
func environmentOf(program string) string {
	if real, err := filepath.EvalSymlinks(filepath.Dir(program)); err == nil && isThere(filepath.Join(filepath.Dir(real), "pyvenv.cfg")) {
		return filepath.Dir(real) // an environment's own python is a link that leaves it
	}
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	if env := filepath.Dir(filepath.Dir(real)); isThere(filepath.Join(env, "pyvenv.cfg")) {
		return env
	}
	return ""
}

// Installed returns the checks that a machine can run. If the project has a virtual environment
// of Python's, its programs are named by their paths in it, quoted for a shell. A check that does not
// begin with the name of a program stays unchanged.
func Installed(found []Check, m Machine) (installed []Check) {
	for _, c := range found {
		if line, ok := c.on(m); ok {
			c.Command = line
			installed = append(installed, c)
		}
	}
	return installed
}

// environments are the usual folders of virtual environments.
var environments = []string{".venv", "venv", ".pixi/envs/default", ".conda", "env"}

// on returns the command line of the check on a machine; ok is false if its program is missing.
func (c Check) on(m Machine) (line string, ok bool) {
	program, arguments, _ := strings.Cut(c.Command, " ")
	if strings.Contains(program, "/") {
		return c.Command, true
	}
	if pythonPrograms[program] {
		if name := c.inEnvironment(m, program, arguments); name != "" {
			return name + " " + arguments, true
		}
	}
	module, rest := "", ""
	if program == "python" {
		module, rest, _ = strings.Cut(strings.TrimPrefix(arguments, "-m "), " ")
	}
	switch {
	case module != "" && strings.HasPrefix(arguments, "-m ") && m.Apart != nil && m.Apart(module):
		return strings.TrimSpace(module + " " + rest), true
	case m.Program(program):
		return c.Command, true
	case program == "python" && m.Program("python3"):
		return "python3 " + arguments, true
	}
	return "", false
}

// pythonPrograms are programs that a virtual environment may have.
var pythonPrograms = map[string]bool{"python": true, "pytest": true, "ruff": true, "mypy": true, "tox": true, "nox": true, "hatch": true}

// inEnvironment returns the name of a program in an environment of the project, as a word of a
// shell's, "" if none has it. An environment that has the module which Python is to run comes before
// the others, and one that was made to run tests counts only if it has it.
func (c Check) inEnvironment(m Machine, program, arguments string) string {
	var places []string
	for dir, up := c.Folder, ""; ; dir, up = path.Dir(dir), up+"../" {
		if dir == "." {
			dir = ""
		}
		for _, env := range environments {
			places = append(places, up+env)
		}
		if dir == "" {
			break
		}
	}
	programOf := func(env, program string) string {
		name := env + "/bin/" + program
		file := name
		if !path.IsAbs(name) {
			file = path.Join(c.Folder, name)
		}
		word, err := syntax.Quote(name, syntax.LangPOSIX)
		if err != nil || !m.File(file) { // no shell of POSIX can name what has control characters
			return ""
		}
		return word
	}
	more := func(list func(string) []string) (envs []string) {
		if list != nil {
			envs = list(c.Folder)
		}
		return envs
	}
	var module string
	if words := strings.Fields(arguments); program == "python" && len(words) > 1 && words[0] == "-m" {
		module = words[1]
	}
	var without string // the first one, which has no such module
	for _, list := range []func() []string{
		func() []string { return places }, func() []string { return more(m.Elsewhere) }, func() []string { return more(m.Others) },
	} {
		for _, env := range list() {
			name := programOf(env, program)
			switch {
			case name == "":
			case module == "" || programOf(env, module) != "":
				return name
			case without == "" && !ofRunner(env):
				without = name
			}
		}
	}
	return without
}
