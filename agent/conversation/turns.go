package conversation

import (
	"context"

	"redline/agent/refusal"
	"redline/agent/state"
	"redline/internal/phrase"
)

// find returns a turn of this session, nil if there is none.
func (c *Conversations) find(id string) *Turn {
	s := c.lock()
	defer s.unlock()
	for _, t := range s.turns {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// Wait waits until a turn has ended and returns its state. It fails when ctx ends.
func (c *Conversations) Wait(ctx context.Context, id string) (state.Turn, error) {
	t := c.find(id)
	if t == nil {
		return state.Turn{}, refusal.New(refusal.Invalid, "There is no turn %s in this session.", id)
	}
	select {
	case <-t.done:
		s := c.lock()
		defer s.unlock()
		return s.stateOf(t), nil
	case <-ctx.Done():
		return state.Turn{}, ctx.Err()
	}
}

// Failure returns the error that a turn ended with, nil if it did not fail.
func (c *Conversations) Failure(id string) error {
	t := c.find(id)
	if t == nil {
		return nil
	}
	s := c.lock()
	defer s.unlock()
	return s.progress(t).err
}

// PlanOf returns the number of the plan that a turn made or changed, 0 for none.
func (c *Conversations) PlanOf(id string) int {
	t := c.find(id)
	if t == nil {
		return 0
	}
	return t.Result().Plan
}

// States returns the turns of this session, newest last.
func (c *Conversations) States() []state.Turn {
	s := c.lock()
	defer s.unlock()
	all := make([]state.Turn, 0, len(s.turns))
	for _, t := range s.turns {
		all = append(all, s.stateOf(t))
	}
	return all
}

// Running returns the turns that are queued or running, oldest first, and a number that
// differs after each change to a turn. The slice must not be changed.
func (c *Conversations) Running() (turns []state.Turn, changes int) {
	s := c.lock()
	defer s.unlock()
	if s.runningAt != s.changes {
		s.running, s.runningAt = nil, s.changes
		for _, t := range s.turns {
			if !s.ended(t) {
				s.running = append(s.running, s.stateOf(t))
			}
		}
	}
	return s.running, s.changes
}

// Busy reports whether a turn is queued or running.
func (c *Conversations) Busy() bool {
	turns, _ := c.Running()
	return len(turns) > 0
}

// Used returns the tokens that the turns of this session have used, and what they cost.
func (c *Conversations) Used() (sum state.Usage) {
	s := c.lock()
	defer s.unlock()
	for _, t := range s.turns {
		used := s.progress(t).result.Usage
		sum.Prompt += used.Prompt
		sum.Completion += used.Completion
		sum.Cost += used.Cost
	}
	return sum
}

// stateOf returns a turn as clients see it.
func (s locked) stateOf(t *Turn) state.Turn {
	p := s.progress(t)
	now := state.Turn{
		Turn: t.ID, Conversation: t.Conversation.ID, State: p.state, Usage: p.result.Usage, Message: phrase.FirstLine(t.Request.Text, 120),
		Place: s.place(t), Specialists: p.result.Specialists, Unfinished: p.result.Unfinished.Sentences(),
	}
	if p.result.Answer != "" {
		answer := p.result.Answer
		now.Answer = &answer
	}
	if p.err != nil {
		text := phrase.SentenceOf(p.err)
		now.Error = &text
	}
	if p.state == Waits {
		now.Question, now.Options = &p.asked.Question.Text, p.asked.Question.Options
	}
	return now
}
