package outside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/internal/phrase"
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
	if filepath.IsAbs(m.Program) {
		return fmt.Sprintf("%s is not installed: there is no program %s outside of the workspace", m.Name, m.Program)
	}
	return fmt.Sprintf("%s is not installed: no folder of PATH outside of the workspace has a program %s", m.Name, m.Program)
}

// Find finds the program of an agent: the one that speaks ACP if that is installed, else its command.
// workspaces are the folders of the workspace: a program in them counts as little as one that PATH reaches by way of them.
func (a *Agent) Find(path string, workspaces []string) (Program, error) {
	if a.Plain && !a.OnHost() {
		return Program{}, fmt.Errorf("in a plain copy (trials.isolation) nothing can limit the network of %s: write network = \"host\" in [outside.%s] if it may have all of it", a.Name, a.Name)
	}
	var missing error
	for _, way := range []struct {
		argv []string
		acp  bool
	}{{a.ACP, true}, {a.Command, false}} {
		if len(way.argv) == 0 {
			continue
		}
		name, real, err := find(way.argv[0], path, workspaces)
		if err == nil {
			return Program{append([]string{name}, way.argv[1:]...), real, way.acp}, nil
		}
		missing = &Missing{a.Name, way.argv[0]} // the command, if it has one: that is the usual one
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

// Path returns a PATH for an agent: the entries that are in the workspace, or reached by way of it, come last.
// What "#!/usr/bin/env node" names is then no more the workspace's than the program itself is.
func Path(path string, workspaces []string) string {
	all := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	first := world.Outside(all, workspaces)
	for _, dir := range all {
		if !slices.Contains(first, dir) {
			first = append(first, dir)
		}
	}
	return strings.Join(first, string(filepath.ListSeparator))
}

// maxLine is the size of a line for a shell, in bytes, with a margin for its other words: Linux allows 128 KiB
// in one argument.
const maxLine = 120 << 10

// Line returns the command line for a shell that runs the program in the place of the shell, with these
// variables set besides, as NAME=VALUE. request replaces [RequestArg], its end cut off if the line would be too
// long; a program on whose input it goes has none in the line, see [Program.OnStdin].
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
			for len(quoted(word)) > maxLine {
				word = phrase.ClipBytes(word, len(word)*3/4)
			}
		}
		words = append(words, quoted(word))
	}
	return strings.Join(words, " ")
}

// quoted quotes a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// OnStdin reports whether the request is all of the program's input.
func (p Program) OnStdin() bool { return !p.ACP && !slices.Contains(p.Argv, RequestArg) }
