package turn

import (
	"redline/agent/event"
	"redline/agent/prompts"
	"redline/agent/session"
	"redline/internal/phrase"
)

// texts are the prompts for models.
type texts struct {
	session *session.Session
	prompts prompts.Set
}

// prompt returns the prompt with a name: the user's own if there is one. If theirs cannot be
// used, it returns the built-in one and tells the user once in a session.
func (x *texts) prompt(name string) string {
	text, err := x.prompts.Text(name)
	if err == nil {
		return text
	}
	if sentence := phrase.SentenceOf(err); x.session.First(sentence) {
		x.session.Notify(event.Event{Kind: event.Noticed, Error: sentence})
	}
	return text
}
