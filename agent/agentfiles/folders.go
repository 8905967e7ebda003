// Package agentfiles reads agent files, which describe specialists, and says which
// specialists there are.
package agentfiles

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/agent/specialists"
	"redline/agent/tool"
	"redline/internal/smallfile"
	"redline/workspace"
)

// Folders are the two folders of agent files: the user's own, beside the settings, and
// .redline/agents of the workspace.
type Folders struct {
	Dir       string               // the user's own directory, "" for none
	Workspace *workspace.Workspace // has .redline/agents
}

const (
	repositoryFolder = "agents"
	ending           = ".md"
)

// Registry reads the agent files and returns the specialists, each with its permitted tools.
// notices says what is wrong with the files, one sentence each.
func (f Folders) Registry(tools []tool.Tool) (registry *specialists.Registry, notices []string) {
	known := make([]specialists.Tool, len(tools))
	for i, t := range tools {
		known[i] = specialists.Tool{Name: t.Name, Kind: kindOf(t)}
	}
	return specialists.NewRegistry(known, f.own(), f.repository())
}

// own reads the user's own agent files.
func (f Folders) own() []specialists.File {
	if f.Dir == "" {
		return nil
	}
	entries, _ := os.ReadDir(f.Dir) // a missing directory has no files
	var files []specialists.File
	for _, e := range entries {
		path := filepath.Join(f.Dir, e.Name())
		files = add(files, e.Name(), path, func() (string, error) { return smallfile.Read(path, specialists.MaxFile) })
	}
	return files
}

// repository reads the agent files of the repository.
func (f Folders) repository() []specialists.File {
	names, err := f.Workspace.Own().Names(repositoryFolder)
	if err != nil {
		return nil // no folder is open
	}
	slices.Sort(names)
	var files []specialists.File
	for _, n := range names {
		name := repositoryFolder + "/" + n
		files = add(files, n, ".redline/"+name, func() (string, error) {
			data, err := f.Workspace.Own().Read(name)
			return string(data), err
		})
	}
	return files
}

// add adds a file to a list if it is an agent file. A file that cannot be read gets a text that
// [specialists.NewRegistry] refuses.
func add(files []specialists.File, name, shown string, read func() (string, error)) []specialists.File {
	id, ok := strings.CutSuffix(name, ending)
	if !ok || strings.EqualFold(id, "readme") || len(files) > specialists.MaxFiles {
		return files
	}
	text, err := read()
	if err != nil {
		text = "---\n" // front matter without an end
	}
	return append(files, specialists.File{ID: id, Name: shown, Text: text})
}
