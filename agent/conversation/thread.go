package conversation

import (
	"slices"

	"redline/internal/guarded"
)

// Conversation is a thread of turns that run one at a time, in order.
type Conversation struct {
	ID     string
	Memory *Memory // what was said

	thread guarded.Value[thread]
}

// thread is what changes of a conversation.
type thread struct {
	queue   []*Turn  // turns that wait, oldest first
	busy    bool     // a turn runs, or the conversation is reserved
	turn    *Turn    // the one that runs, or ran last; nil while the conversation is reserved
	waiting *Waiting // the question that the user has to answer, nil for none
	last    Request  // the last request, for /retry
	decide  string   // the way to decide on its plans, "" for the user's default
}

// next takes the first turn from the queue, which may run now; nil if none waits or one runs.
func (th *thread) next() *Turn {
	if th.busy || len(th.queue) == 0 {
		return nil
	}
	t := th.queue[0]
	th.queue = slices.Clone(th.queue[1:])
	th.busy, th.turn = true, t
	return t
}

// remove removes a turn from the queue.
func (th *thread) remove(t *Turn) {
	th.queue = slices.DeleteFunc(slices.Clone(th.queue), func(other *Turn) bool { return other == t })
}
