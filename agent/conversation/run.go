package conversation

import (
	"context"

	"go.uber.org/zap"

	"redline/agent/event"
	"redline/agent/model"
	"redline/agent/session"
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
		e := t.Event(event.TurnStarted)
		e.Summary = phrase.FirstLine(t.Request.Text, 120)
		c.session.Notify(e)
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
	s.end(t, cancelled, err)
	e := s.endEvent(t)
	s.unlock()
	if e.Error != "" {
		c.LogFailure(t, err)
	}
	c.session.Notify(e)
	c.traces.Keep(t.ID)
	close(t.done)
	if e.State == Waits { // returns at once if the question has been answered already
		asked.ask()
	}
	if !t.Quiet {
		c.hooks.Ended(t, e)
	}
}

// end sets the state in which a turn has ended.
func (s locked) end(t *Turn, cancelled bool, err error) {
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
}

// endEvent returns the event of the turn's end.
func (s locked) endEvent(t *Turn) event.Event {
	e, p := t.Event(event.TurnFinished), s.progress(t)
	usage := p.result.Usage
	e.PlanNumber, e.Answer, e.Usage, e.State = p.result.Plan, p.result.Answer, &usage, p.state
	e.Asked, e.Decided, e.Specialists = p.result.AskedEach, p.result.Decided, p.result.Specialists
	e.Unfinished = p.result.Unfinished.Sentences()
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
