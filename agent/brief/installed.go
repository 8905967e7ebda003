package brief

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"redline/workspace"
)

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
