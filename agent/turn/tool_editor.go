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
type toolEditor struct{ *work }

var _ tool.Editor = toolEditor{}

// OpenLocation implements tool.Editor. It does not wait for the editor.
func (e toolEditor) OpenLocation(path string, line int) {
	e.notify(event.Event{Kind: event.LocationAsked, Turn: e.turn.ID, Conversation: e.turn.Conversation.ID, Path: path, URI: e.ws.URI(path), Line: line})
	e.Session.Spawn(func() {
		err := session.Contain(func() error {
			return e.Session.Editor().Show(e.Session.Context(), editor.Location{Path: path, Line: max(0, line-1)})
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			e.log.Debug("a place was not shown", zap.Error(err))
		}
	})
}

// ShowView implements tool.Editor. A plan that the model shows does not count as opened by the
// user.
func (e toolEditor) ShowView(view string) error {
	event := event.Event{Kind: event.ViewAsked, Turn: e.turn.ID, Conversation: e.turn.Conversation.ID, View: view}
	switch view {
	case "plan":
		if h := e.Board.Undecided(e.turn.Conversation.ID); h != nil {
			event.PlanNumber, event.Path = h.Number(), e.Board.View(h).Preview
		}
		if event.Path == "" {
			return errors.New("this conversation has no plan to show yet")
		}
	case "chat":
		if !e.Chat.Exists() {
			return errors.New("there is no chat file to show yet")
		}
		event.Path = e.Chat.Path()
	}
	e.notify(event)
	return nil
}

// SetDiffMode implements tool.Editor. It only sends an event.
func (e toolEditor) SetDiffMode(mode string) {
	e.notify(event.Event{Kind: event.DiffModeAsked, Turn: e.turn.ID, Conversation: e.turn.Conversation.ID, Mode: mode})
}
