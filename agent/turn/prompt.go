package turn

import (
	"redline/agent/event"
	"redline/internal/phrase"
)

// prompt returns a prompt by its name: the user's own if there is one. If theirs cannot be
// used, it says so once in a session.
func (ts *Turns) prompt(name string) string {
	text, err := ts.prompts.Text(name)
	if err == nil {
		return text
	}
	if sentence := phrase.SentenceOf(err); ts.session.First(sentence) {
		ts.notify(event.Event{Kind: event.Noticed, Error: sentence})
	}
	return text
}
