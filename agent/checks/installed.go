package checks

import (
	"os"
	"os/exec"
	"path"
	"strings"

	"redline/workspace"
)

// Machine says which programs can run checks.
type Machine struct {
	Program func(name string) bool // whether PATH has a program
	File    func(path string) bool // whether the workspace has a file, even an ignored one
}

// Here returns the programs of this machine for checks of a workspace.
func Here(ws *workspace.Workspace) Machine {
	return Machine{
		Program: func(name string) bool { _, err := exec.LookPath(name); return err == nil },
		File: func(path string) bool {
			name, err := ws.RealName(path)
			if err != nil {
				return false
			}
			_, err = os.Stat(name)
			return err == nil
		},
	}
}

// Installed returns the checks that a machine can run. If the project has a virtual environment
// of Python's, its programs are named by their paths in it. A check that does not begin with the
// name of a program stays unchanged.
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
var environments = []string{".venv", "venv"}

// on returns the command line of the check on a machine; ok is false if its program is missing.
func (c Check) on(m Machine) (line string, ok bool) {
	program, arguments, _ := strings.Cut(c.Command, " ")
	if strings.Contains(program, "/") {
		return c.Command, true
	}
	if pythonic[program] {
		for _, dir := range environments {
			if name := dir + "/bin/" + program; m.File(path.Join(c.Folder, name)) {
				return name + " " + arguments, true
			}
		}
	}
	switch {
	case m.Program(program):
		return c.Command, true
	case program == "python" && m.Program("python3"):
		return "python3 " + arguments, true
	}
	return "", false
}

// pythonic are programs that a virtual environment may have.
var pythonic = map[string]bool{"python": true, "ruff": true, "mypy": true, "tox": true}
