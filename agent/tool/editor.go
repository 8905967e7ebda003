package tool

import (
	"errors"
	"fmt"
)

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
