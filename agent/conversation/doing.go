package conversation

import (
	"sync"
	"time"

	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/tool"
)

// telling returns an observer that does what o does, and sends an event when the turn's activity
// changes: it waits for the model, receives thoughts or an answer, works on a call, or waits to
// retry. These are not steps of the trace; their results are. Specialists of one turn ask
// concurrently, so a lock guards the last activity.
func (t *Traces) telling(turn, conversation string, o *model.Observer) *model.Observer {
	var mu sync.Mutex
	told := state.Event{Kind: state.Doing, Turn: turn, Conversation: conversation}
	news := func(name, text string, wait time.Duration) (state.Event, bool) {
		mu.Lock()
		defer mu.Unlock()
		if name == told.Name && text == told.Text && wait == 0 {
			return told, false
		}
		told.Name, told.Text, told.Wait = name, text, wait.Milliseconds()
		return told, true
	}
	doing := func(name, text string, wait time.Duration) {
		if e, ok := news(name, text, wait); ok {
			t.session.NotifyOnly(e)
		}
	}
	return &model.Observer{
		Asked: func(name string, r model.Request) {
			o.Asked(name, r)
			doing("model", "waiting for the model", 0)
		},
		Called: o.Called,
		Begun:  func(c model.Call) { doing(c.Name, tool.Doing(c.Name, c.Arguments), 0) },
		Heard: func(e model.Event) {
			switch {
			case e.Call != nil:
				doing(e.Call.Name, tool.Doing(e.Call.Name, e.Call.Arguments), 0)
			case e.Thought != "":
				doing("model", "the model is thinking", 0)
			case e.Text != "":
				doing("model", "the model is answering", 0)
			}
		},
		Answered: o.Answered,
		Again:    func(_, why string, wait time.Duration) { doing("retry", why, wait) },
	}
}
