package slash

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/refusal"
	"redline/agent/template"
)

// Template returns the request that a template makes. Its text is never read as a command.
func (cs *Commands) Template(m conversation.Request, s chat.Slash) (conversation.Request, error) {
	name := strings.TrimSuffix(s.Args[0], ".md")
	t, own, err := cs.Templates.Find(name)
	if err != nil {
		return m, err
	}
	values, input, err := template.Values(s.Rest)
	if err != nil {
		return m, refusal.New(refusal.Invalid, "What follows /template %s %s.", name, err)
	}
	text, err := t.Fill(values, input)
	var missing *template.Missing
	switch {
	case errors.As(err, &missing):
		return m, refusal.New(refusal.Invalid, "The template %s %s: %s.", name, err, t.UsageOf(name))
	case err != nil:
		return m, refusal.New(refusal.Invalid, "The template %s %s.", name, err)
	}
	if m.Mode == "" || m.Mode == "auto" {
		m.Mode = t.Mode
	}
	if !own {
		said := strings.Join(append(slices.Sorted(maps.Values(values)), input), " ")
		m.Typed = &said
	}
	m.Text, m.Decides = text, false
	return m, nil
}
