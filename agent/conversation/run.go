package conversation

import (
	"context"
	"slices"
	"sync"

	"go.uber.org/zap"

	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/internal/guarded"
	"redline/internal/phrase"
)

// start runs the work of a turn on a goroutine of its own, records how it ended, sends the
// event of its end, and calls after.
func (s locked) start(t *Turn, work func(context.Context, *Turn) error, after func()) {
	s.progress(t).state = Running
	if a := t.Request.Chosen; a != nil { // from now on; earlier turns keep theirs
		s.thread(t.Conversation).chosen.agent = a
	}
	if with := t.Request.With; with != "" {
		s.thread(t.Conversation).chosen.with = &with
	}
	s.changes++
	c := s.c
	c.session.Spawn(func() {
		defer close(t.free)
		defer after()
		defer t.cancel()
		t.Notify(state.Event{Kind: state.TurnStarted, Summary: phrase.FirstLine(t.Request.Text, 120)})
		c.finish(t, session.Contain(func() error { return work(model.Labelled(t.ctx, t.ID), t) }))
	})
}

// finish records the end of a turn and sends the event about it. err is the error of its work.
func (c *Conversations) finish(t *Turn, err error) {
	cancelled := t.ctx.Err() != nil
	s := c.lock()
	asked := s.progress(t).asked
	s.unlock()
	if asked != nil && cancelled && !c.session.Over() {
		asked.giveUp()
	}
	s = c.lock()
	e := s.end(t, cancelled, err)
	s.unlock()
	if e.Error != "" {
		c.LogFailure(t, err)
	}
	t.Notify(e)
	c.traces.Keep(t.ID)
	close(t.done)
	if e.State == Waits { // returns at once if the question has been answered already
		asked.ask()
	}
	if !t.Quiet {
		c.worker.Ended(t, e)
	}
}

// end sets the state in which a turn has ended, and returns the event of its end.
func (s locked) end(t *Turn, cancelled bool, err error) state.Event {
	p := s.progress(t)
	switch {
	case p.asked != nil && s.thread(t.Conversation).waiting == p.asked:
		p.state = Waits
	case cancelled, p.asked != nil && p.state == Cancelled: // its question may have been given up already
		p.state, p.err = Cancelled, nil
	case err != nil:
		p.state, p.err = Failed, err
	default:
		p.state = Done
	}
	t.Request.TextWhenAsked = "" // the text of a whole file, no longer needed
	s.changes++
	r := p.result
	e := state.Event{
		Kind: state.TurnFinished, Turn: t.ID, Conversation: t.Conversation.ID, State: p.state, PlanNumber: r.Plan, Answer: r.Answer, Usage: &r.Usage,
		Asked: r.AskedEach, Decided: r.Decided, Printed: r.Printed, Specialists: r.Specialists, Unfinished: r.Unfinished.Sentences(),
		Trace: s.c.traces.Name(t.ID),
	}
	if p.state == Waits {
		e.Text, e.Options = p.asked.Question.Text, p.asked.Question.Options
	}
	if p.err != nil {
		e.Error = phrase.SentenceOf(p.err)
	}
	return e
}

// LogFailure logs the error of a turn, and where a panic was.
func (c *Conversations) LogFailure(t *Turn, err error) {
	if !c.session.LogPanic("a turn panicked", err, zap.String("turn", t.ID)) {
		c.session.Log.Info("a turn failed", zap.String("turn", t.ID), zap.Error(err))
	}
}

// Cancel cancels the turns that match and are queued or running, and gives up the questions of
// those that wait for an answer. It returns the ids of all these turns. It may miss a turn that
// is sent meanwhile.
func (c *Conversations) Cancel(match func(*Turn) bool) []string {
	s := c.lock()
	turns := slices.Clone(s.turns)
	s.unlock()
	turns = slices.DeleteFunc(turns, func(t *Turn) bool { return !match(t) })

	var queued []*Turn
	var answered []int64 // ids in the store of the questions that the queued ones were to answer
	var asked []*Waiting // questions that wait for an answer
	ids := []string{}
	s = c.lock()
	for _, t := range turns {
		switch p := s.progress(t); p.state {
		case Waits:
			asked = append(asked, p.asked)
		case Queued:
			p.state = Cancelled
			queued = append(queued, t)
			if w := t.Request.Answers; w != nil {
				answered = append(answered, s.close(w))
			}
			th := s.thread(t.Conversation)
			th.queue = slices.DeleteFunc(slices.Clone(th.queue), func(other *Turn) bool { return other == t })
			fallthrough
		case Running:
			t.cancel()
			ids = append(ids, t.ID)
		}
	}
	for _, t := range queued {
		s.notifyPlaces(s.thread(t.Conversation).queue...)
	}
	s.changes++
	s.unlock()
	for _, id := range answered {
		c.unstore(id)
	}
	for _, w := range asked {
		if c.GiveUp(w) {
			ids = append(ids, w.turn.ID)
		}
	}
	for _, t := range queued {
		close(t.done)
		t.notifyCancelled()
	}
	return ids
}

// notifyCancelled sends the event that the turn ended without having run.
func (t *Turn) notifyCancelled() {
	t.Notify(state.Event{Kind: state.TurnFinished, Usage: &state.Usage{}, State: Cancelled})
}

// A conversation runs its turns one at a time, in the order of their messages.

// next starts the first turn in the queue of a conversation if none runs.
func (s locked) next(conv *Conversation) {
	th := s.thread(conv)
	if th.busy || len(th.queue) == 0 {
		return
	}
	t := th.queue[0]
	th.queue = slices.Clone(th.queue[1:])
	th.busy, th.turn = true, t
	work := s.c.worker.Run
	if t.Request.Answers == nil && t.Request.Report == 0 { // the answer is not lost, since its question waits again; only a report is lost
		work = undertaken(s.c.session, work)
	}
	s.start(t, work, func() { t.owner.release(conv) })
	s.notifyPlaces(th.queue...)
}

// release lets the next turn of a conversation run.
func (c *Conversations) release(conv *Conversation) {
	s := c.lock()
	defer s.unlock()
	s.thread(conv).busy = false
	s.next(conv)
}

// place returns how many turns of the conversation have to end before this one begins, 0 if
// it does not wait. A turn that has ended but is still being cleaned up does not count.
func (s locked) place(t *Turn) int {
	if s.progress(t).state != Queued {
		return 0
	}
	th := s.thread(t.Conversation)
	place := slices.Index(th.queue, t)
	if th.busy && (th.turn == nil || !s.progress(th.turn).ended()) {
		place++
	}
	return max(place, 0)
}

// notifyPlaces sends the places of turns in the queue that have changed. It does so under
// the lock, so that no turn.queued comes after the turn.started of its turn; Notify never
// blocks.
func (s locked) notifyPlaces(turns ...*Turn) {
	for _, t := range turns {
		p, place := s.progress(t), s.place(t)
		if place == 0 || place == p.told {
			continue
		}
		p.told = place
		t.Notify(state.Event{Kind: state.TurnQueued, Place: place, Summary: phrase.FirstLine(t.Request.Text, 120)})
	}
}

// Conversation is a thread of turns that run one at a time, in order.
type Conversation struct {
	ID     string
	Memory *Memory // its earlier messages

	choosing sync.Mutex // held while its choices are read or stored, see [Conversations.Choices]

	thread guarded.Value[thread]
}

// thread is the changing part of a conversation.
type thread struct {
	queue   []*Turn  // turns that wait, oldest first
	busy    bool     // a turn runs, or the conversation is reserved
	turn    *Turn    // the one that runs, or ran last; nil while the conversation is reserved
	waiting *Waiting // the question that the user has to answer, nil for none
	last    Request  // the last request, for /retry
	decide  string   // the way to decide on its plans, "" for the user's default
	chosen  chosen   // what the user has chosen for it that is not stored yet
	choices Choices  // the last known stored choices, without chosen
}

// Reservation is a conversation in which no turn runs until it is released.
type Reservation struct {
	owner *Conversations
	conv  *Conversation
}

// Reserve keeps turns from running in a conversation until the reservation begins one or is
// released. It waits for a turn that has ended until its cleanup is done. If a turn runs,
// busy is true and nothing is reserved.
func (c *Conversations) Reserve(ctx context.Context, conversation string) (r *Reservation, busy bool, err error) {
	for {
		r, last, err := c.reserve(conversation)
		if last == nil {
			return r, r == nil && err == nil, err
		}
		select {
		case <-last.free:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// reserve reserves a conversation unless a turn runs in it. last is a turn that has ended
// but is still being cleaned up, nil for none.
func (c *Conversations) reserve(conversation string) (r *Reservation, last *Turn, err error) {
	s := c.lock()
	defer s.unlock()
	conv := s.conversation(conversation)
	th := s.thread(conv)
	switch {
	case th.busy && th.turn != nil && s.progress(th.turn).ended():
		return nil, th.turn, nil
	case c.session.Over():
		return nil, nil, plan.Refuse(plan.NotAllowed, "Redline is shutting down.")
	case th.busy:
		return nil, nil, nil
	}
	th.busy, th.turn = true, nil
	return &Reservation{c, conv}, nil, nil
}

// Release starts the next turn of the conversation, if one waits.
func (r *Reservation) Release() { r.owner.release(r.conv) }

// Begin runs work as a turn of the conversation, and releases the conversation at its end.
func (r *Reservation) Begin(request Request, work func(context.Context, *Turn) error) *Turn {
	s := r.owner.lock()
	defer s.unlock()
	t := s.newTurn(r.conv, request)
	s.thread(r.conv).turn = t
	s.start(t, work, r.Release)
	return t
}
