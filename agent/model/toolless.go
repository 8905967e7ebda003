package model

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed toolless.md
var toolless string

// withoutTools returns the messages for a model that takes no tools: the system prompt describes
// the tools, and earlier calls and their results become words.
func withoutTools(messages []Message, tools []Tool) []Message {
	var out []Message
	if len(tools) > 0 {
		system := Message{Role: RoleSystem}
		if len(messages) > 0 && messages[0].Role == RoleSystem {
			system, messages = messages[0], messages[1:]
		}
		system.Content = strings.TrimLeft(system.Content+"\n\n"+described(tools), "\n")
		out = append(out, system)
	}
	names := map[string]string{} // call → tool
	results := false             // the last of out holds results
	for _, m := range messages {
		if m.Role == RoleTool {
			result := fmt.Sprintf("Result of %s:\n%s", names[m.CallID], m.Content)
			if results {
				out[len(out)-1].Content += "\n\n" + result
			} else {
				out = append(out, Message{Role: RoleUser, Content: result})
			}
			results = true
			continue
		}
		results = false
		for _, c := range m.Calls {
			names[c.ID] = c.Name
		}
		m.Content, m.Calls = inWords(m), nil
		out = append(out, m)
	}
	return out
}

// described describes the tools, and how to call them.
func described(tools []Tool) string {
	var b strings.Builder
	b.WriteString(toolless)
	for _, t := range tools {
		schema := string(t.Parameters)
		if schema == "" {
			schema = noParameters
		}
		fmt.Fprintf(&b, "\n## %s\n%s\n%s\n", t.Name, strings.TrimSpace(t.Description), schema)
	}
	return b.String()
}

// inWords returns the text of a model's message, with its calls in the form in which it has to
// write them. Calls that were read from the text are in it already.
func inWords(m Message) string {
	type step struct {
		Action string          `json:"action"`
		Tool   string          `json:"tool"`
		Args   json.RawMessage `json:"args"`
	}
	var steps []step
	for _, c := range m.Calls {
		if !strings.Contains(m.Content, c.Name) {
			steps = append(steps, step{"tool", c.Name, json.RawMessage(wireArguments(c.Arguments))})
		}
	}
	if len(steps) == 0 {
		return m.Content
	}
	doc, err := json.Marshal(steps)
	if err != nil { // wireArguments is always JSON
		return m.Content
	}
	return strings.TrimLeft(fmt.Sprintf("%s\n\n```json\n%s\n```", m.Content, doc), "\n")
}
