package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/edits"
	"redline/internal/phrase"
)

var openLocation = define(Tool{
	Name: "open_location",
	params: params{
		pathParam,
		{name: "line", kind: integerKind, about: "The line, from 1."},
	},
	run: func(_ context.Context, env *Env, c call) Result {
		path, err := file(env, c.text("path"))
		if err != nil {
			return failure("open "+c.text("path"), err)
		}
		text, exists, err := env.Draft.Read(path)
		line := max(0, c.int("line"))
		switch {
		case err != nil:
			return failure("open "+path, err)
		case !exists:
			return failure("open "+path, fmt.Errorf("there is no file %s to open", path))
		case line > edits.CountLines(text)+1:
			return failure("open "+path, fmt.Errorf("%s has only %s", path, phrase.Count(edits.CountLines(text), "line")))
		}
		what := "open " + shown(path)
		if line > 0 {
			what += fmt.Sprintf(", line %d", line)
		}
		return show(env, what, func(e Editor) error { e.OpenLocation(path, line); return nil })
	},
})

// Editor has what tools can show in the user's editor. It cannot change a text.
type Editor interface {
	// OpenLocation shows the user a line of a file; line is from 1, 0 for none.
	OpenLocation(path string, line int)
	// ShowView shows one of Redline's own pages. The error is one sentence for the model.
	ShowView(view string) error
	// SetDiffMode sets how differences are shown. The error is one sentence for the model.
	SetDiffMode(mode string) error
}

// maxShown is how often a turn may show something, so that it does not keep moving the view of a
// user who is typing.
const maxShown = 8

// show calls the editor, at most maxShown times in a turn.
func show(env *Env, what string, do func(Editor) error) Result {
	if env.Editor == nil {
		return failure(what, errors.New("there is no editor that could show it; continue without it"))
	}
	if env.shown++; env.shown > maxShown {
		return failure(what, fmt.Errorf("only %d things can be shown in a turn; continue without it", maxShown))
	}
	if err := do(env.Editor); err != nil {
		return failure(what, err)
	}
	return Result{Text: "the editor was asked to show it", Summary: what}
}

// DiffModes are the ways to show differences.
var DiffModes = []string{"unified", "split"}

var setDiffMode = define(Tool{
	Name: "set_diff_mode",
	params: params{
		{name: "mode", kind: stringKind, required: true, oneOf: DiffModes, about: "unified: old and new lines below each other. split: side by side."},
	},
	run: func(_ context.Context, env *Env, c call) Result {
		mode := c.text("mode")
		return show(env, "show differences "+mode, func(e Editor) error { return e.SetDiffMode(mode) })
	},
})

// Views are the pages that show_view can show.
var Views = []string{"plan", "chat"}

var showView = define(Tool{
	Name: "show_view",
	params: params{
		{name: "view", kind: stringKind, required: true, oneOf: Views, about: "plan: the preview of this conversation's plan. chat: the conversation."},
	},
	run: func(_ context.Context, env *Env, c call) Result {
		view := c.text("view")
		return show(env, "show the "+view, func(e Editor) error { return e.ShowView(view) })
	},
})

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
		{name: "question", kind: stringKind, required: true, also: []string{"prompt", "message"}},
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
