package specialists

import (
	"fmt"
	"slices"
	"strings"
)

// groups are the option groups: what a specialist may be given as a whole, by the word that an
// agent file has for it in `tools` and `permission`, in the order in which they are listed.
var groups = []struct {
	word  string
	kinds []ToolKind
}{
	{"files", []ToolKind{Reads}}, {"git", []ToolKind{Recalls}}, {"edit", []ToolKind{Edits}}, {"command", []ToolKind{Runs}},
	{"fetch", []ToolKind{Fetches}}, {"mcp", []ToolKind{Asks, Calls}},
}

// Groups returns the words for the kinds of tools that a specialist has any of.
func (r *Registry) Groups(s *Specialist) []string {
	var words []string
	for _, g := range groups {
		if slices.ContainsFunc(r.tools, func(t Tool) bool { return slices.Contains(g.kinds, t.Kind) && slices.Contains(s.Tools, t.Name) }) {
			words = append(words, g.word)
		}
	}
	return words
}

// Options returns what a planner reads of a specialist besides its description, in a few words:
// its option groups, or for a delegator the ones it chooses between.
func (r *Registry) Options(s *Specialist) string {
	if s.Delegates != nil {
		return "one of " + strings.Join(s.Delegates, ", ")
	}
	return strings.Join(r.Groups(s), ", ")
}

// ForImprovers returns what a specialist reads that writes agent files: the tools of each option
// group, and the specialists that there are with theirs.
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
