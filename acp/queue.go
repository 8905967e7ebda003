package acp

import (
	"slices"

	"redline/agent/state"
)

// queue has the events that wait until the client has read what came before, in order. However little it
// reads, the queue does not grow without bound: pieces of a text become one, of a plan only the newest state
// waits, and once the queue is full, progress is left out. The end of a turn has the whole answer, and is
// never left out.
type queue struct {
	events []state.Event
	size   int // bytes of the texts
}

// A queue is full with this many events, or this many bytes.
const (
	maxEvents = 1000
	maxTexts  = 1 << 20
)

func (q *queue) add(e state.Event) {
	full := len(q.events) >= maxEvents || q.size >= maxTexts
	switch e.Kind {
	case state.TurnFinished:
	case state.PlanChanged:
		q.events = slices.DeleteFunc(q.events, func(w state.Event) bool {
			older := w.Kind == e.Kind && w.PlanNumber == e.PlanNumber
			if older {
				q.size -= sizeOf(w)
			}
			return older
		})
	case state.TokenArrived, state.ModelThinks, state.CommandPrinted, state.ToolCalled, state.Traced, state.OutsideWorks, state.LocationAsked, state.Noticed:
		if full {
			return
		}
	default:
		return // nothing is shown of it
	}
	q.size += sizeOf(e)
	if last := len(q.events) - 1; last < 0 || !q.events[last].Join(e) {
		q.events = append(q.events, e)
	}
}

// take removes the oldest event; ok is false if none waits.
func (q *queue) take() (e state.Event, ok bool) {
	if len(q.events) == 0 {
		return e, false
	}
	e = q.events[0]
	q.events[0] = state.Event{} // the array may stay
	q.events = q.events[1:]
	q.size -= sizeOf(e)
	return e, true
}

// sizeOf counts the bytes of the texts of an event that can be left out.
func sizeOf(e state.Event) int {
	if e.Step != nil {
		return len(e.Text) + len(e.Step.Summary) + len(e.Step.Detail)
	}
	return len(e.Text)
}
