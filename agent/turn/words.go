package turn

import (
	"slices"

	"redline/agent/chat"
)

// Words returns the words that can complete a message at such a place, nil for commands, plans and names of
// files and symbols. The caller may change them.
func (ts *Turns) Words(what chat.What) []string {
	switch what {
	case chat.WayToDecide:
		return []string{"plan", "ask"}
	case chat.TemplateName:
		return slices.Clone(ts.Templates.Names())
	case chat.AgentName:
		return append(slices.Clone(ts.Agents.PrimaryNames()), "none")
	case chat.WithName:
		return slices.Clone(ts.Outsiders.Names())
	case chat.ModeName:
		return slices.Clone(chat.Modes)
	}
	return nil
}
