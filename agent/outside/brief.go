package outside

import (
	"fmt"
	"strings"

	"redline/internal/fence"
	"redline/internal/phrase"
)

// Brief is the prompt for an outside agent.
type Brief struct {
	Request string
	Place   string // where the user asked: a path of the workspace, with its lines; "" for none
	Chosen  string // the selected text, "" for none
	Output  string // what a command printed, that the user gave along; "" for none
	Plan    string // the goal of the plan that waits and that the copy has already, "" for none
	Answers bool   // a question: nothing is to be changed
	Earlier string // what was said in the conversation before, which a new session does not know; "" for nothing
	Differs string // see [Differs]; "" for nothing
}

// MaxBrief is the size limit of a brief, in bytes: one argument of a program has at most 128 KiB. maxBefore is
// that of each part before the request.
const (
	MaxBrief  = 100 << 10
	maxBefore = 24 << 10
)

// Text returns the brief for a new session.
func (b Brief) Text() string {
	rules := "You work in a copy of the user's workspace. Work freely there: edit files, run the tests. " +
		"When you are done, the user is shown what you have changed, and nothing is in their own files before they approve it; " +
		"so do not commit, and do not ask before you change something. " +
		"Say in your last message, in a few sentences, what you have changed and why: it becomes the description."
	if b.Answers {
		rules = "You work in a copy of the user's workspace. Answer a question about it. Change nothing: what you change is thrown away."
	}
	if b.Earlier != "" {
		rules += "\n\nEarlier in this conversation:\n\n" + phrase.ClipBytes(strings.TrimSpace(b.Earlier), maxBefore)
	}
	return phrase.ClipBytes(rules+"\n\n"+b.rest(), MaxBrief)
}

// Again returns the brief for a session that continues.
func (b Brief) Again() string {
	rules := "You work in a new copy of the user's workspace, as before; your last message becomes the description."
	if b.Answers {
		rules = "This is a question. Change nothing: what you change is thrown away."
	}
	return phrase.ClipBytes(rules+"\n\n"+b.rest(), MaxBrief)
}

func (b Brief) rest() string {
	var s strings.Builder
	if b.Differs != "" {
		fmt.Fprintf(&s, "%s\n\n", phrase.ClipBytes(strings.TrimSpace(b.Differs), maxBefore))
	}
	if b.Plan != "" {
		fmt.Fprintf(&s, "The files have the changes of a plan that waits for the user: %s. Your changes become its next revision.\n\n", phrase.TrimStop(b.Plan))
	}
	fmt.Fprintf(&s, "The request:\n\n%s\n", strings.TrimSpace(b.Request))
	if b.Place != "" {
		fmt.Fprintf(&s, "\nIt was asked at %s.\n", b.Place)
	}
	for _, part := range []struct{ what, text string }{{"The selected text:", b.Chosen}, {"Output that the user gave along:", b.Output}} {
		if part.text != "" {
			marks := fence.Around(part.text)
			fmt.Fprintf(&s, "\n%s\n\n%s\n%s\n%s\n", part.what, marks, strings.TrimSuffix(part.text, "\n"), marks)
		}
	}
	return s.String()
}
