package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/agent/mcp"
	"redline/agent/specialists"
	"redline/agent/tool"
	"redline/internal/smallfile"
)

// Agent files describe specialists. They are in two places, as templates are: the
// user's own directory, beside their settings, and .redline/agents.
const (
	agentFolder = "agents"
	agentEnding = ".md"
)

// notForSpecialists are tools that concern a turn as a whole: the steps of a plan
// with specialists are the specialists. Whom of them may ask the user is not said by
// agent files: all may.
var notForSpecialists = []string{"submit_plan", tool.AskUser}

// forSpecialists returns those of the tools that specialists may be given.
func forSpecialists(all []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool { return slices.Contains(notForSpecialists, t.Name) })
}

// kindOf says what a tool is there for.
func kindOf(t tool.Tool) specialists.ToolKind {
	_, ofServer := mcp.ServerOf(t.Name)
	switch {
	case ofServer && t.Buffered:
		return specialists.Calls
	case ofServer:
		return specialists.Asks
	case t.Name == "fetch_url":
		return specialists.Fetches
	case t.Name == "run_command":
		return specialists.Runs
	case t.Buffered:
		return specialists.Edits
	}
	return specialists.Reads
}

// specialists reads the agent files and returns who there is, with which of the
// tools, and what is wrong with the files.
func (a *Agent) specialists(tools []tool.Tool) (*specialists.Registry, []string) {
	known := make([]specialists.Tool, len(tools))
	for i, t := range tools {
		known[i] = specialists.Tool{Name: t.Name, Kind: kindOf(t)}
	}
	return specialists.NewRegistry(known, a.ownAgentFiles(), a.repositoryAgentFiles())
}

func (a *Agent) ownAgentFiles() []specialists.File {
	if a.agents == "" {
		return nil
	}
	entries, _ := os.ReadDir(a.agents) // one that is not there has none
	var files []specialists.File
	for _, e := range entries {
		path := filepath.Join(a.agents, e.Name())
		files = withAgentFile(files, e.Name(), path, func() (string, error) { return smallfile.Read(path, specialists.MaxFile) })
	}
	return files
}

func (a *Agent) repositoryAgentFiles() []specialists.File {
	names, err := a.ws.Own().Names(agentFolder)
	if err != nil {
		return nil // no folder is open
	}
	slices.Sort(names)
	var files []specialists.File
	for _, n := range names {
		name := agentFolder + "/" + n
		files = withAgentFile(files, n, ".redline/"+name, func() (string, error) {
			data, err := a.ws.Own().Read(name)
			return string(data), err
		})
	}
	return files
}

// withAgentFile adds a file to a list if it is an agent file. One that cannot be
// read has a text that is refused.
func withAgentFile(files []specialists.File, name, shown string, read func() (string, error)) []specialists.File {
	id, ok := strings.CutSuffix(name, agentEnding)
	if !ok || strings.EqualFold(id, "readme") || len(files) > specialists.MaxFiles {
		return files
	}
	text, err := read()
	if err != nil {
		text = "---\n" // has no end
	}
	return append(files, specialists.File{ID: id, Name: shown, Text: text})
}

// sayAgentFiles tells what is wrong with agent files, each thing once a session.
func (a *Agent) sayAgentFiles(t *turn, notices []string) {
	for _, n := range notices {
		if a.session.First(n) {
			t.Warn(n)
		}
	}
}

// listSpecialists tells who there is, and what is wrong with the agent files.
func (a *Agent) listSpecialists() string {
	r, notices := a.specialists(forSpecialists(tool.All()))
	var b strings.Builder
	for _, s := range r.All() {
		fmt.Fprintf(&b, "- `%s`: %s", s.ID, s.Description)
		switch {
		case s.Delegates != nil:
			fmt.Fprintf(&b, "; it chooses one of %s", strings.Join(s.Delegates, ", "))
		case len(s.Tools) == 0:
			b.WriteString("; without tools")
		}
		if s.Model != "" {
			fmt.Fprintf(&b, "; model %s", s.Model)
		}
		if s.Origin != specialists.BuiltIn {
			fmt.Fprintf(&b, " (%s)", s.File)
		}
		b.WriteString("\n")
	}
	for _, n := range notices {
		b.WriteString("\n" + n)
	}
	return strings.TrimSpace(b.String())
}
