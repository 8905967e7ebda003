// Package agentfiles reads agent files, which describe specialists, and says which
// specialists there are.

package turn

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/agent/orchestrator"
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
func (f Folders) Registry(tools []tool.Tool) (registry *orchestrator.Registry, notices []string) {
	known := make([]orchestrator.Tool, len(tools))
	for i, t := range tools {
		known[i] = orchestrator.Tool{Name: t.Name, Kind: kindOf(t)}
	}
	return orchestrator.NewRegistry(known, f.own(), f.repository())
}

// own reads the user's own agent files.
func (f Folders) own() []orchestrator.File {
	if f.Dir == "" {
		return nil
	}
	entries, _ := os.ReadDir(f.Dir) // a missing directory has no files
	var files []orchestrator.File
	for _, e := range entries {
		path := filepath.Join(f.Dir, e.Name())
		files = add(files, e.Name(), path, func() (string, error) { return smallfile.Read(path, orchestrator.MaxFile) })
	}
	return files
}

// repository reads the agent files of the repository.
func (f Folders) repository() []orchestrator.File {
	names, err := f.Workspace.Own().Names(repositoryFolder)
	if err != nil {
		return nil // no folder is open
	}
	slices.Sort(names)
	var files []orchestrator.File
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
// [orchestrator.NewRegistry] refuses.
func add(files []orchestrator.File, name, shown string, read func() (string, error)) []orchestrator.File {
	id, ok := strings.CutSuffix(name, ending)
	if !ok || strings.EqualFold(id, "readme") || len(files) > orchestrator.MaxFiles {
		return files
	}
	text, err := read()
	if err != nil {
		text = "---\n" // front matter without an end
	}
	return append(files, orchestrator.File{ID: id, Name: shown, Text: text})
}
