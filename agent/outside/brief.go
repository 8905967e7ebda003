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
}

// MaxBrief is the size limit of a brief, in bytes: one argument of a program has at most 128 KiB.
const MaxBrief = 100 << 10

// Text returns the brief for a new session.
func (b Brief) Text() string {
	rules := "You work in a copy of the user's workspace. Work freely there: edit files, run the tests. " +
		"When you are done, the user is shown what you have changed, and nothing is in their own files before they approve it; " +
		"so do not commit, and do not ask before you change something. " +
		"Say in your last message, in a few sentences, what you have changed and why: it becomes the description."
	if b.Answers {
		rules = "You work in a copy of the user's workspace. Answer a question about it. Change nothing: what you change is thrown away."
	}
	return phrase.ClipBytes(rules+"\n\n"+b.Again(), MaxBrief)
}

// Again returns the brief for a session that continues.
func (b Brief) Again() string {
	var s strings.Builder
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
	return phrase.ClipBytes(s.String(), MaxBrief)
}
