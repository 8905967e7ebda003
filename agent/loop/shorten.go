package loop

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/internal/phrase"
)

const (
	// leftOf divides the size of the tools' answers if the request is too long: half stays,
	// since the size of the model's window is unknown.
	leftOf = 2
	// smallest is the size in bytes from which leaving out a tool's answer is worthwhile.
	smallest = 200
)

// tooLong reports whether the request exceeded the model's window.
func tooLong(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	return ok && e.Kind == model.KindTooLong
}

// shorten replaces the oldest tool answers in the request with notes until about half of their
// text is gone; the model may call again. The answers to its last calls go last, because it has
// not seen them yet. shorten reports whether it left anything out.
func (r *run) shorten() bool {
	messages := slices.Clone(r.request.Messages)
	size := 0
	var answers []int
	for i, m := range messages {
		if m.Role == model.RoleTool && len(m.Content) >= smallest {
			answers = append(answers, i)
			size += len(m.Content)
		}
	}
	if len(answers) == 0 {
		return false
	}
	for keep := size / leftOf; size > keep && len(answers) > 0; answers = answers[1:] {
		m := &messages[answers[0]]
		size -= len(m.Content)
		m.Content = leftOut(m.Content)
	}
	r.request.Messages = messages
	r.governor.repeats.changed("")
	if r.hooks.Notice != nil {
		r.hooks.Notice("The request had become longer than the model can read at once: the oldest of what it has looked at in this turn was left out, and it may look again.")
	}
	return true
}

// leftOut returns the note that replaces an answer: its first line, which says what was read or
// staged.
func leftOut(answer string) string {
	first, _, _ := strings.Cut(answer, "\n")
	return fmt.Sprintf("%s\n(the rest is left out for lack of room: call again for what you still need of it)", phrase.StartBytes(first, smallest/2))
}
