package turn

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"redline/agent/editor"
	"redline/agent/event"
	"redline/agent/session"
	"redline/agent/tool"
)

// toolEditor is the editor for the tools of one turn: it shows places, and sends an event
// for each request of a tool.
type toolEditor struct{ w *work }

var _ tool.Editor = toolEditor{}

// OpenLocation implements tool.Editor. It does not wait for the editor.
func (e toolEditor) OpenLocation(path string, line int) {
	w := e.w
	w.notify(event.Event{Kind: event.LocationAsked, Turn: w.turn.ID, Conversation: w.turn.Conversation.ID, Path: path, URI: w.ws.URI(path), Line: line})
	w.Session.Spawn(func() {
		err := session.Contain(func() error {
			return w.Session.Editor().Show(w.Session.Context(), editor.Location{Path: path, Line: max(0, line-1)})
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			w.log.Debug("a place was not shown", zap.Error(err))
		}
	})
}

// ShowView implements tool.Editor. A plan that the model shows does not count as opened by the
// user.
func (e toolEditor) ShowView(view string) error {
	w := e.w
	event := event.Event{Kind: event.ViewAsked, Turn: w.turn.ID, Conversation: w.turn.Conversation.ID, View: view}
	switch view {
	case "plan":
		if h := w.Board.Undecided(w.turn.Conversation.ID); h != nil {
			event.PlanNumber, event.Path = h.Number(), w.Board.View(h).Preview
		}
		if event.Path == "" {
			return errors.New("this conversation has no plan to show yet")
		}
	case "chat":
		if !w.Chat.Exists() {
			return errors.New("there is no chat file to show yet")
		}
		event.Path = w.Chat.Path()
	}
	w.notify(event)
	return nil
}

// SetDiffMode implements tool.Editor. It only sends an event.
func (e toolEditor) SetDiffMode(mode string) {
	w := e.w
	w.notify(event.Event{Kind: event.DiffModeAsked, Turn: w.turn.ID, Conversation: w.turn.Conversation.ID, Mode: mode})
}
