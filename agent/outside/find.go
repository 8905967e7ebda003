package outside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"redline/workspace/world"
)

// Program is a program of an agent, as it was found.
type Program struct {
	Argv []string // the first is an absolute name
	Real string   // the file that the name leads to, without links
	ACP  bool
}

// Missing is the error for an agent whose programs are not installed.
type Missing struct{ Name, Program string }

func (m *Missing) Error() string {
	return fmt.Sprintf("%s is not installed: no folder of PATH outside of the workspace has a program %s", m.Name, m.Program)
}

// Find finds the program of an agent: its command if that is installed. workspaces are the
// folders of the workspace: a program in them counts as little as one that PATH reaches by way of them.
func (a *Agent) Find(path string, workspaces []string) (Program, error) {
	var missing error
	for _, way := range []struct {
		argv []string
		acp  bool
	}{{a.Command, false}, {a.ACP, true}} {
		if len(way.argv) == 0 {
			continue
		}
		name, real, err := find(way.argv[0], path, workspaces)
		if err == nil {
			return Program{append([]string{name}, way.argv[1:]...), real, way.acp}, nil
		}
		if missing == nil {
			missing = &Missing{a.Name, filepath.Base(way.argv[0])}
		}
	}
	return Program{}, missing
}

var errNotFound = errors.New("not found")

func find(program, path string, workspaces []string) (name, real string, err error) {
	candidates := []string{program}
	if !filepath.IsAbs(program) {
		candidates = nil
		for _, dir := range filepath.SplitList(path) {
			if filepath.IsAbs(dir) {
				candidates = append(candidates, filepath.Join(dir, program))
			}
		}
	}
	for _, name := range world.Outside(candidates, workspaces) {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(name); err == nil {
			return name, real, nil
		}
	}
	return "", "", errNotFound
}

// Line returns the command line for a shell that runs the program in the place of the shell, with these
// variables set besides, as NAME=VALUE. request replaces [RequestArg].
func (p Program) Line(set []string, request string) string {
	var words []string
	for _, v := range set {
		name, value, _ := strings.Cut(v, "=")
		words = append(words, name+"="+quoted(value))
	}
	words = append(words, "exec")
	for _, word := range p.Argv {
		if word == RequestArg {
			word = request
		}
		words = append(words, quoted(word))
	}
	line := strings.Join(words, " ")
	if !p.OnStdin() {
		return line
	}
	end := "REQUEST"
	for strings.Contains(request, end) {
		end += "_"
	}
	return line + " <<'" + end + "'\n" + strings.TrimSuffix(request, "\n") + "\n" + end + "\n"
}

// quoted quotes a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// OnStdin reports whether the program gets the request on its input.
func (p Program) OnStdin() bool {
	for _, word := range p.Argv {
		if word == RequestArg {
			return false
		}
	}
	return true
}
