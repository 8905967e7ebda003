package agent

import (
	"context"
	"slices"

	"redline/internal/phrase"
)

// The queue of a conversation: its turns run one at a time, in the order in which
// their messages came.

// next starts the oldest waiting turn of a conversation if none runs. The
// caller holds a.mu.
func (a *Agent) next(conv *conversation) {
	if !conv.running && len(conv.queue) > 0 {
		t := conv.queue[0]
		conv.queue = slices.Clone(conv.queue[1:])
		conv.running, conv.turn = true, t
		work := a.undertaken(t, func(ctx context.Context) error { return a.runTurn(ctx, t) })
		if t.message.answers != nil { // if this is cut off, its question waits again
			work = func(ctx context.Context) error { return a.goOn(ctx, t) }
		}
		a.start(t, work, func() {
			a.mu.Lock()
			conv.running = false
			a.next(conv)
			a.mu.Unlock()
		})
		a.tellPlaces(conv.queue...)
	}
}

// place is how many turns of its conversation end before a turn begins, 0 when it
// does not wait. One that has ended and is only being put away does not count: who
// answers its end at once has nobody to wait for. The caller holds a.mu.
func (t *turn) place() int {
	if t.state != turnQueued {
		return 0
	}
	place := slices.Index(t.conv.queue, t)
	if t.conv.running && !t.conv.turn.ended() {
		place++
	}
	return max(place, 0)
}

// tellPlaces tells of turns where in the queue they are. The caller holds a.mu.
func (a *Agent) tellPlaces(turns ...*turn) {
	for _, t := range turns {
		place := t.place()
		if place == 0 || place == t.told {
			continue
		}
		t.told = place
		a.notify(Event{Kind: TurnQueued, Turn: t.id, Conversation: t.conv.id, Place: place, Summary: phrase.FirstLine(t.message.Text, 120)})
	}
}

// Cancel stops a turn that is queued or running, or gives up the question that it
// waits with; or all of them when id is "". It returns the turns that it stopped.
func (a *Agent) Cancel(id string) []string {
	return a.cancelTurns(func(t *turn) bool { return id == "" || t.id == id })
}

func (a *Agent) cancelTurns(match func(*turn) bool) []string {
	stopped := []string{}
	var queued []*turn
	var asked []*waiting
	a.update(func() {
		for _, t := range a.turns {
			if match(t) && t.state == turnWaiting {
				asked = append(asked, t.waits)
			}
			if !match(t) || t.ended() {
				continue
			}
			if t.state == turnQueued {
				t.state = turnCancelled
				queued = append(queued, t)
				t.conv.queue = slices.DeleteFunc(slices.Clone(t.conv.queue), func(other *turn) bool { return other == t })
			}
			t.cancel()
			stopped = append(stopped, t.id)
		}
		for _, t := range queued {
			a.tellPlaces(t.conv.queue...)
		}
	})
	for _, w := range asked {
		if a.giveUp(w) {
			stopped = append(stopped, w.turn.id)
		}
	}
	for _, t := range queued {
		close(t.done)
		a.notify(Event{Kind: TurnFinished, Turn: t.id, Conversation: t.conv.id, Usage: &Usage{}, State: turnCancelled})
	}
	return stopped
}
