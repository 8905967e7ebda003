package agent

import "redline/internal/phrase"

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
		a.notify(Event{Kind: Noticed, Error: phrase.SentenceOf(err)})
	}
	return text
}
