package conversation

import (
	"context"
	"slices"

	"go.uber.org/zap"

	"redline/agent/event"
	"redline/agent/model"
	"redline/agent/session"
	"redline/agent/state"
	"redline/internal/phrase"
)

// start runs the work of a turn on a goroutine of its own, records how it ended, sends the
// event of its end, and calls after.
func (s locked) start(t *Turn, work func(context.Context, *Turn) error, after func()) {
	s.progress(t).state = Running
	s.changes++
	c := s.c
	c.session.Spawn(func() {
		defer close(t.free)
		defer after()
		defer t.cancel()
		t.Notify(event.Event{Kind: event.TurnStarted, Summary: phrase.FirstLine(t.Request.Text, 120)})
		c.finish(t, session.Contain(func() error { return work(model.Labelled(t.ctx, t.ID), t) }))
	})
}

// finish records the end of a turn and sends the event of it. err is the error of its
// work.
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
		c.hooks.Ended(t, e)
	}
}

// end sets the state in which a turn has ended, and returns the event of its end.
func (s locked) end(t *Turn, cancelled bool, err error) event.Event {
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
	t.Request.TextWhenAsked = "" // a whole file, no longer needed
	s.changes++
	r := p.result
	e := event.Event{
		Kind: event.TurnFinished, Turn: t.ID, Conversation: t.Conversation.ID, State: p.state, PlanNumber: r.Plan, Answer: r.Answer, Usage: &r.Usage,
		Asked: r.AskedEach, Decided: r.Decided, Specialists: r.Specialists, Unfinished: r.Unfinished.Sentences(),
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

// Cancel cancels the turns that match and are queued or running, and gives up the questions
// of those that wait for an answer. It returns the ids of all these turns. A turn that is
// sent meanwhile may be left.
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
	t.Notify(event.Event{Kind: event.TurnFinished, Usage: &state.Usage{}, State: Cancelled})
}
