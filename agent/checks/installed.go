package checks

import (
	"os"
	"os/exec"
	"path"
	"strings"

	"redline/workspace"
)

// Machine says what there is to run checks with.
type Machine struct {
	Program func(name string) bool // whether a program is found by its name alone
	File    func(path string) bool // whether the workspace has a file, also an ignored one
}

// Here returns what this machine has for checks of a workspace.
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

// Installed returns the checks that can be run on a machine. Where the project has a virtual
// environment of Python's, its programs are named by their paths in it. A check that begins with
// anything but the name of a program is taken as it is.
func Installed(found []Check, m Machine) (installed []Check) {
	for _, c := range found {
		if line, ok := c.on(m); ok {
			c.Command = line
			installed = append(installed, c)
		}
	}
	return installed
}

// environments are the folders in which projects have their virtual environment.
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

// pythonic are the programs that a virtual environment may have.
var pythonic = map[string]bool{"python": true, "ruff": true, "mypy": true, "tox": true}
