package turn

import (
	"redline/agent/event"
	"redline/agent/prompts"
	"redline/internal/phrase"
)

// prompt returns the prompt with a name: the user's own if there is one. If theirs cannot be
// used, it returns the built-in one and tells the user once in a session.
func (ts *Turns) prompt(name string) string {
	text, err := prompts.Set{Dir: ts.settings.Prompts}.Text(name)
	if err == nil {
		return text
	}
	if sentence := phrase.SentenceOf(err); ts.Session.First(sentence) {
		ts.notify(event.Event{Kind: event.Noticed, Error: sentence})
	}
	return text
}
