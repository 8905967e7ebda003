package model

import "strings"

// withoutSystem returns the messages for a model that knows no system role: the system text
// goes before the first words of the user. Consecutive messages of one side become one, since
// such models want the sides to alternate.
func withoutSystem(messages []Message) []Message {
	var out []Message
	for _, m := range messages {
		if m.Role == RoleSystem {
			m.Role = RoleUser
		}
		last := len(out) - 1
		if last >= 0 && m.Role == out[last].Role && m.Role != RoleTool && len(out[last].Calls) == 0 {
			m.Content = strings.Trim(out[last].Content+"\n\n"+m.Content, "\n")
			m.Thought = out[last].Thought + m.Thought
			out[last] = m
			continue
		}
		out = append(out, m)
	}
	return out
}
