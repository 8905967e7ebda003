package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/edits"
	"redline/internal/phrase"
)

// Question is a model's question to the user. It is data: neither the question nor the chosen
// answer can decide anything.
type Question struct {
	Text    string
	Options []string // suggested answers, one line each; nil for none. The user may answer anything else
}

// Limits of a question.
const (
	maxQuestion = 2000 // characters
	maxOption   = 200  // characters
	maxOptions  = 8
)

// AskUser is the name of the tool that ends the turn with a question to the user.
const AskUser = "ask_user"

var askUser = define(Tool{
	Name: AskUser,
	params: params{
		{name: "question", kind: stringKind, required: true, also: []string{"prompt", "message"}, about: "The question."},
		{name: "options", kind: stringsKind, also: []string{"choices", "follow_up", "suggestions"}, about: "A few short answers to choose from; any other is possible."},
	},
	run: func(_ context.Context, _ *Env, c call) Result {
		q, err := NewQuestion(c.text("question"), c.strings("options"))
		if err != nil {
			return failure(c.tool, err)
		}
		return Result{Text: "asked; you go on when the user has answered", Summary: "ask: " + phrase.ClipBytes(spaced(q.Text), 200), Asked: q}
	},
})

// NewQuestion checks a question and makes invisible characters in it visible.
func NewQuestion(text string, options []string) (*Question, error) {
	q := &Question{Text: strings.TrimSpace(edits.Visible(text))}
	switch {
	case q.Text == "":
		return nil, fmt.Errorf("the question is empty; say what you want to know")
	case utf8.RuneCountInString(q.Text) > maxQuestion:
		return nil, fmt.Errorf("the question has more than %d characters; ask a shorter one", maxQuestion)
	case len(options) > maxOptions:
		return nil, fmt.Errorf("there are more than %d options; give fewer, the user may answer anything else", maxOptions)
	}
	for _, o := range options {
		o = phrase.OneLine(edits.Visible(o))
		switch {
		case utf8.RuneCountInString(o) > maxOption:
			return nil, fmt.Errorf("an option has more than %d characters; give shorter ones", maxOption)
		case o != "" && !slices.Contains(q.Options, o):
			q.Options = append(q.Options, o)
		}
	}
	return q, nil
}
