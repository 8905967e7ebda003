package orchestrator

import (
	"fmt"
	"slices"
	"strings"
)

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
