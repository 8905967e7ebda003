package orchestrator

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"redline/internal/phrase"
)

// Origin says where the description of a specialist comes from.
type Origin string

// The origins.
const (
	BuiltIn    Origin = "built in"
	Own        Origin = "your own"   // the user's own agent file
	Repository Origin = "repository" // an agent file of the workspace
)

// Specialist is an agent for one kind of work.
type Specialist struct {
	ID          string
	Description string   // one line, for the planner
	Prompt      string   // its part of the system prompt
	Delegates   []string // if not nil, it does not work itself: one of these is chosen
	Keywords    []string // words of a request that ask for it
	Tools       []string // the tools that it may call, in the order of the known tools
	Model       string   // another model of the same provider, "" for the usual one
	Temperature *float64 // nil for the provider's default
	Primary     bool     // the user can choose it for a conversation; planners do not know it
	Origin      Origin
	File        string // the last agent file that describes it, "" for none
}

// ToolKind says what a tool does.
type ToolKind int

// The kinds of tools.
const (
	Reads   ToolKind = iota // reads files of the workspace
	Recalls                 // reads what the repository keeps of them
	Shows                   // shows the user something in their editor
	Edits                   // stages an edit
	Runs                    // stages a command
	Tries                   // tries a command before anything is approved
	Fetches                 // reads from the hosts that the user's own settings name
	Asks                    // reads through a tool server of the user's
	Calls                   // stages a call of a tool server
)

// configured reports whether tools of the kind use what the user's own settings name.
func (k ToolKind) configured() bool { return k == Fetches || k == Asks || k == Calls }

// Tool is a tool that a specialist may have.
type Tool struct {
	Name string
	Kind ToolKind
}

//go:embed builtin/*.md
var builtInFiles embed.FS

// builtInOrder is the order in which the built-in specialists are listed, and in which they work
// if keywords choose them. Those that review the work of others come last.
var builtInOrder = []string{General, "code", "tests", "docs", Agents, "run", "review", "improve"}

// builtIn returns the agent files of the built-in specialists.
func builtIn() []File {
	var files []File
	for _, id := range builtInOrder {
		text, err := builtInFiles.ReadFile("builtin/" + id + ".md")
		if err != nil {
			panic(err) // embedded at build time, so any test finds a missing file
		}
		files = append(files, File{ID: id, Name: id, Text: string(text)})
	}
	return files
}

// groups are groups of tools that a specialist can be given together, under the word for them in
// `tools` and `permission` of an agent file, in the order in which they are listed.
var groups = []struct {
	word  string
	kinds []ToolKind
}{
	{"files", []ToolKind{Reads}}, {"git", []ToolKind{Recalls}}, {"edit", []ToolKind{Edits}}, {"command", []ToolKind{Runs}}, {"try", []ToolKind{Tries}},
	{"fetch", []ToolKind{Fetches}}, {"mcp", []ToolKind{Asks, Calls}},
}

// Groups returns the names of the tool groups from which a specialist has at least one tool.
func (r *Registry) Groups(s *Specialist) []string {
	var words []string
	for _, g := range groups {
		if slices.ContainsFunc(r.tools, func(t Tool) bool { return slices.Contains(g.kinds, t.Kind) && slices.Contains(s.Tools, t.Name) }) {
			words = append(words, g.word)
		}
	}
	if slices.Contains(words, "command") { // who stages commands tries them too
		words = slices.DeleteFunc(words, func(word string) bool { return word == "try" })
	}
	return words
}

// Options describes a specialist to the planner, besides its description, in a few words: its
// groups of tools, or for a delegator the specialists that it chooses from.
func (r *Registry) Options(s *Specialist) string {
	if s.Delegates != nil {
		return "one of " + strings.Join(s.Delegates, ", ")
	}
	return strings.Join(r.Groups(s), ", ")
}

// ForImprovers returns what a specialist reads that writes agent files: the tools of each group,
// and all specialists with their groups.
func (r *Registry) ForImprovers() string {
	var b strings.Builder
	b.WriteString("The option groups, with the tools of each:\n")
	for _, g := range groups {
		var names []string
		for _, t := range r.tools {
			if slices.Contains(g.kinds, t.Kind) {
				names = append(names, t.Name)
			}
		}
		if names != nil {
			fmt.Fprintf(&b, "- %s: %s\n", g.word, strings.Join(names, ", "))
		}
	}
	b.WriteString("\nThe specialists that there are:\n")
	for _, s := range r.list {
		fmt.Fprintf(&b, "- %s [%s]\n", s.ID, r.Options(s))
	}
	return strings.TrimSpace(b.String())
}

// A primary agent is described by a file with mode: primary (or all, which makes a specialist of
// it too). The user, not a planner, chooses it by name for a conversation. Its text is added to
// the system prompt of a turn, and the turn may use no other tools than its.

// Reserved are the names that mean no agent.
var Reserved = []string{"none", "default"}

// putPrimary adds the primary agent of a file, or replaces the one of the same name. Unlike a
// specialist it has every tool that is not excluded, and needs no description, since no planner
// reads it.
func (r *Registry) putPrimary(file File, f *file, origin Origin, notice noticeFunc) {
	if slices.Contains(Reserved, file.ID) {
		notice(file.Name, "cannot be chosen: the words none and default mean no agent")
		return
	}
	if f.delegates != nil {
		f.ignore("the delegates (a primary agent works itself)")
	}
	s := &Specialist{
		ID: file.ID, Description: f.description, Prompt: f.body, Temperature: f.temperature,
		Primary: true, Origin: origin, File: file.Name,
	}
	if s.Description == "" {
		s.Description = phrase.FirstLine(f.body, maxDescription)
	}
	s.chooseModel(f)
	s.Tools = r.toolsOf(f, s, nil, origin)
	r.primary = append(slices.DeleteFunc(r.primary, func(old *Specialist) bool { return old.ID == s.ID }), s)
}

// Primary returns the primary agents, which the user can choose.
func (r *Registry) Primary() []*Specialist { return slices.Clone(r.primary) }

// FindPrimary returns the primary agent with an id, nil for none.
func (r *Registry) FindPrimary(id string) *Specialist {
	for _, s := range r.primary {
		if s.ID == id {
			return s
		}
	}
	return nil
}
