package agent

import (
	"redline/agent/model"
)

// prompt returns a prompt by its name: the user's own if there is one. One of
// theirs that cannot be used is said, once in a session.
func (a *Agent) prompt(name string) string {
	text, err := a.prompts.Text(name)
	if err == nil {
		return text
	}
	a.mu.Lock()
	told := a.badPrompts[err.Error()]
	if a.badPrompts == nil {
		a.badPrompts = map[string]bool{}
	}
	a.badPrompts[err.Error()] = true
	a.mu.Unlock()
	if !told {
		a.notify(Event{Kind: Noticed, Error: sentence(err)})
	}
	return text
}

// history keeps what was said in a conversation, in bounds: the model sees the
// latest exchanges, whole.
type history []model.Message

const (
	maxHistory      = 20       // messages
	maxHistoryBytes = 64 << 10 // of their text
)

func (h history) add(request, answer string) history {
	h = append(h,
		model.Message{Role: model.RoleUser, Content: request},
		model.Message{Role: model.RoleAssistant, Content: answer})
	size := 0
	for i := len(h) - 2; i >= 0; i -= 2 {
		size += len(h[i].Content) + len(h[i+1].Content)
		if len(h)-i > maxHistory || (size > maxHistoryBytes && i < len(h)-2) {
			return append(history(nil), h[i+2:]...)
		}
	}
	return h
}
