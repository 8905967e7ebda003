package conversation

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// ReadQuestions reads the questions that wait from the store: those of an earlier session wait
// here from then on, and a question that was answered in another session no longer waits. first
// is true at the start of the session.
func (c *Conversations) ReadQuestions(ctx context.Context, first bool) error {
	waited := c.waitingStored() // before the store is read, so that a question asked meanwhile is not missed
	stored, err := c.session.Store.Questions(ctx, c.session.Key())
	if err != nil {
		return err
	}
	found := map[string]bool{} // clients whose current conversation is one of these
	for _, q := range stored {
		delete(waited, q.ID)
		s := c.lock()
		known := s.knows(q)
		s.unlock()
		if known {
			continue
		}
		asked, err := c.hooks.Read(q.Record)
		if err != nil {
			c.session.Log.Error("a question could not be read", zap.Error(err))
			continue
		}
		client := asked.Request.Client
		s = c.lock()
		if !s.knows(q) {
			s.waitFor(q, asked)
			if first && (found[client] || s.current[client] == "") {
				s.current[client], found[client] = q.Conversation, true // the client continues there
			}
		}
		s.unlock()
	}
	s := c.lock()
	defer s.unlock()
	for _, w := range waited {
		s.settle(w, Done) // it was answered or given up elsewhere
	}
	return nil
}

// waitingStored returns the questions that wait and are stored, by their ids in the store.
func (c *Conversations) waitingStored() map[int64]*Waiting {
	s := c.lock()
	defer s.unlock()
	all := map[int64]*Waiting{}
	for _, conv := range s.conversations {
		if w := s.thread(conv).waiting; w != nil && s.progress(w.turn).state == Waits && s.stored(w).id != 0 {
			all[s.stored(w).id] = w
		}
	}
	return all
}

// knows reports whether a stored question waits here already, was settled by this session, or
// belongs to a conversation that has queued or running turns.
func (s locked) knows(q store.Question) bool {
	if s.closed[q.ID] {
		return true
	}
	conv := s.conversations[q.Conversation]
	if conv == nil {
		return false
	}
	th := s.thread(conv)
	return th.waiting != nil && s.stored(th.waiting).id == q.ID || th.busy || len(th.queue) > 0
}

// waitFor makes a stored question of another session wait here.
func (s locked) waitFor(q store.Question, asked Question) {
	conv := s.conversation(q.Conversation)
	t := s.newTurn(conv, asked.Request)
	close(t.done)
	close(t.free)
	w, p := t.wait(asked, q.ID), s.progress(t)
	p.state, p.result.Answer, p.asked = Waits, asked.Shown, w
	s.thread(conv).waiting = w
}

// Remind tells the user, at the start of a session, of turns that were cut off and of waiting
// questions, and asks these in the editor.
func (c *Conversations) Remind() {
	notifyCutOff(c.session)
	s := c.lock()
	var all []*Waiting
	for _, t := range s.turns {
		if p := s.progress(t); p.state == Waits && s.thread(t.Conversation).waiting == p.asked {
			all = append(all, p.asked)
		}
	}
	s.unlock()
	for _, w := range all {
		w.notify()
		w.ask()
	}
}

// undertaken returns work with a record in the store while it runs, from which the next
// session learns of it if this process ends first.
func undertaken(s *session.Session, work func(context.Context, *Turn) error) func(context.Context, *Turn) error {
	return func(ctx context.Context, t *Turn) error {
		end, err := s.Store.Undertake(s.Key(), store.Underway{
			Began: s.Now(), Request: secrets.Masked(phrase.FirstLine(t.Request.Text, 120)),
		})
		if err != nil {
			s.Log.Debug("that a turn began could not be noted", zap.Error(err))
		}
		defer end()
		return work(ctx, t)
	}
}

// notifyCutOff tells the user which turns of earlier sessions were cut off and will have no
// answer. A revision that such a turn has made is stored; the rest of its work is lost.
func notifyCutOff(s *session.Session) {
	for _, u := range s.Store.CutOff(s.Key()) {
		s.Notify(state.Event{Kind: state.Noticed, Text: fmt.Sprintf("A turn was cut off when Redline ended: %q. Send it again if you still want it.", edits.Visible(u.Request))})
	}
}
