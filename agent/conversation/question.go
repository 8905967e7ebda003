package conversation

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/recall"
	"redline/agent/state"
	"redline/agent/store"
	"redline/internal/guarded"
	"redline/internal/phrase"
)

// A turn that asks the user a question ends with it, and its conversation waits. The next
// message there is the answer, and a new turn continues with the request. The question stays
// in the store until that turn is done: the transaction that stores the revision removes it.
// The process that works on an answer holds a lock until it ends, so if it is killed the
// question waits again.

// Question is a question to the user, with what a turn needs to continue after the answer.
type Question struct {
	Text    string
	Options []string
	Shown   string  // the text for the user: the model's words before the question, the question, and the options as a list
	Request Request // the request that the question is about
	Record  string  // what a turn needs to continue, in stored form
}

// Waiting is a question that waits for its answer.
type Waiting struct {
	Question Question

	turn *Turn              // the turn that has asked
	at   time.Time          // when it asked
	over context.Context    // ends when the question is answered or given up
	end  context.CancelFunc // ends over

	stored guarded.Value[stored]
}

// stored is the store's part of a waiting question.
type stored struct {
	id     int64 // 0 while the store cannot take it
	closed bool  // it was answered or given up, so it need not be stored
}

// ErrAnswered is the error of an answer that comes too late.
var ErrAnswered = errors.New("the question was answered elsewhere meanwhile")

// wait returns q as a question of the turn that waits until its end is called. id is its
// id in the store, 0 for none.
func (t *Turn) wait(q Question, id int64) *Waiting {
	w := &Waiting{Question: q, turn: t, at: t.owner.session.Now(), stored: guarded.New(stored{id: id})}
	w.over, w.end = context.WithCancel(t.owner.session.Context())
	return w
}

// Ask makes the conversation of a turn wait for the answer to q. The turn has to end then.
// Ask stores the question, or keeps it in memory until it can be stored.
func (c *Conversations) Ask(ctx context.Context, t *Turn, q Question) error {
	w := t.wait(q, 0)
	t.setAsked(w)
	if err := w.keep(context.WithoutCancel(ctx)); err != nil {
		t.setAsked(nil)
		return err
	}
	t.Update(func(r *Result) { r.Answer = q.Shown })
	w.notify()
	return nil
}

// keep stores the question, or adds it to the backlog.
func (w *Waiting) keep(ctx context.Context) error {
	c := w.turn.owner
	err := w.store(ctx)
	if board.MayPass(err) {
		c.backlog.Add(board.Unstored{Stored: "The question is kept now.", Store: w.store},
			"The question, and what was staged before it, cannot be kept yet, because the plan database cannot be written.", err)
		return nil
	}
	return err
}

// store stores the question, unless it is closed.
func (w *Waiting) store(ctx context.Context) error {
	c := w.turn.owner
	s := c.lock()
	closed := s.stored(w).closed
	s.unlock()
	if closed {
		return nil
	}
	record := &store.Question{Conversation: w.turn.Conversation.ID, Asked: w.at, Record: w.Question.Record}
	if err := c.session.Store.Ask(ctx, c.session.Key(), record); err != nil {
		return err
	}
	s = c.lock()
	now := s.stored(w)
	if closed = now.closed; !closed {
		now.id = record.ID
	}
	s.unlock()
	if closed { // while it was being stored
		return c.session.Store.Answered(ctx, record.ID)
	}
	return nil
}

// setAsked sets the question of the turn and of its conversation, nil for none.
func (t *Turn) setAsked(w *Waiting) {
	s := t.owner.lock()
	defer s.unlock()
	s.thread(t.Conversation).waiting, s.progress(t).asked = w, w
	s.changes++
}

// notify sends the event that the turn waits for an answer.
func (w *Waiting) notify() {
	w.turn.Notify(state.Event{Kind: state.QuestionAsked, Text: w.Question.Text, Options: w.Question.Options})
}

// ask shows the question in the editor if it has options. The user's choice counts like an
// answer in the chat; the first of the two wins. The options are the model's words, so a choice
// is never a command and names no file.
func (w *Waiting) ask() {
	if len(w.Question.Options) == 0 {
		return
	}
	c := w.turn.owner
	c.session.Spawn(func() {
		answer, err := c.session.Editor().Ask(w.over, state.Question{Conversation: w.turn.Conversation.ID, Text: w.Question.Text, Options: w.Question.Options, Open: true})
		if err != nil || answer.Choice == "" {
			return
		}
		none := ""
		m := Message{Text: answer.Choice, Conversation: w.turn.Conversation.ID, Client: w.turn.Request.Client}
		if _, _, err := c.Send(Request{Message: m, Typed: &none, Answers: w}); err != nil {
			w.turn.Warn(phrase.SentenceOf(err))
		}
	})
}

// waitingIn returns the question that waits in the conversation a message would go to, nil
// for none.
func (c *Conversations) waitingIn(m *Message) *Waiting {
	s := c.lock()
	defer s.unlock()
	conv := s.conversations[s.idFor(m)]
	if conv == nil {
		return nil
	}
	return s.thread(conv).waiting
}

// GiveUpFor gives up the question that waits in the conversation a message would go to.
func (c *Conversations) GiveUpFor(m *Message) {
	if w := c.waitingIn(m); w != nil {
		c.GiveUp(w)
	}
}

// GiveUp ends a question without an answer, notifies the user, and reports whether it still
// waited. What was staged before the question is discarded.
func (c *Conversations) GiveUp(w *Waiting) bool {
	waited, ended := w.giveUp()
	if ended {
		w.turn.notifyCancelled()
	}
	return waited
}

// giveUp ends a question without an answer. waited is true if it still waited, ended if its turn
// has ended: otherwise the turn itself sends the event of its end.
func (w *Waiting) giveUp() (waited, ended bool) {
	c := w.turn.owner
	s := c.lock()
	ended = s.progress(w.turn).state == Waits
	if !s.settle(w, Cancelled) {
		s.unlock()
		return false, false
	}
	id := s.close(w)
	s.unlock()
	w.turn.Conversation.Memory.Remember(w.Question.Request.Text, w.Question.Shown+"\n\n(The user gave this question up without an answer, and nothing came of the request.)", recall.Read{})
	c.unstore(id)
	return true, ended
}

// settle ends the wait for a question, and sets the state of the turn that has asked it. It
// reports whether the question still waited.
func (s locked) settle(w *Waiting, state string) bool {
	th := s.thread(w.turn.Conversation)
	if th.waiting != w {
		return false
	}
	th.waiting, s.progress(w.turn).state = nil, state
	w.end()
	s.changes++
	return true
}

// close records that a question was answered or given up for good, and returns its id in the
// store, 0 for none.
func (s locked) close(w *Waiting) (id int64) {
	now := s.stored(w)
	now.closed = true
	s.closed[now.id] = true
	return now.id
}

// unstore removes a question that was given up from the store, now or through the backlog.
func (c *Conversations) unstore(id int64) {
	if id == 0 {
		return
	}
	if err := c.session.Store.Answered(context.WithoutCancel(c.session.Context()), id); err != nil {
		c.session.Log.Warn("a question that was given up could not be removed", zap.Error(err))
		if board.MayPass(err) {
			c.backlog.Add(board.Unstored{
				Stored: "The question is given up for good now.",
				Store:  func(ctx context.Context) error { return c.session.Store.Answered(ctx, id) },
			}, "The question is given up, but that cannot be kept yet, because the plan database cannot be written.", err)
		}
	}
}

// ID returns the id of the question in the store, 0 for none.
func (w *Waiting) ID() int64 {
	s := w.turn.owner.lock()
	defer s.unlock()
	return s.stored(w).id
}

// Begin begins the work on the user's answer. It returns [ErrAnswered] if another process works on it
// or has finished.
func (w *Waiting) Begin(ctx context.Context) error {
	c := w.turn.owner
	s := c.lock()
	now := s.stored(w)
	now.closed = true
	id := now.id
	s.unlock()
	if id == 0 {
		return nil
	}
	ok, err := c.session.Store.Answering(ctx, id)
	if err == nil && !ok {
		err = ErrAnswered
	}
	return err
}

// Replaced ends the question, because the turn has asked another one about the same request.
func (w *Waiting) Replaced() { w.turn.owner.session.Store.Unanswered(w.ID()) }

// Done removes the question from the store: the work is finished, or the user gave up on it.
func (w *Waiting) Done() {
	c := w.turn.owner
	s := c.lock()
	id := s.close(w)
	s.unlock()
	if id == 0 {
		return
	}
	if err := c.session.Store.Answered(context.WithoutCancel(c.session.Context()), id); err != nil {
		c.session.Log.Warn("a question that was answered could not be removed", zap.Error(err))
	}
}

// WaitAgain makes the question wait for an answer again, since turn t has failed, unless
// another question waits. What was staged before the question stays.
func (w *Waiting) WaitAgain(t *Turn) {
	c, id := w.turn.owner, w.ID()
	if id != 0 {
		c.session.Store.Unanswered(id)
	}
	again := w.turn.wait(w.Question, id)
	s := c.lock()
	th, asked := s.thread(t.Conversation), s.progress(w.turn)
	other := th.waiting != nil
	if !other {
		th.waiting, asked.asked, asked.state = again, again, Waits
		s.changes++
	}
	s.unlock()
	if other {
		return
	}
	if id == 0 {
		if err := again.keep(context.WithoutCancel(c.session.Context())); err != nil {
			c.session.Log.Warn("a question that waits again could not be stored", zap.Error(err))
		}
	}
	if !c.session.Over() {
		t.Notice("The question waits again, and what was staged before it is kept: answer it once more, or give it up with /cancel.")
	}
}

// takeAnswer makes a request the answer to the question of its conversation, if it can be one.
// The first such message is the answer, whatever it says. It refuses an answer to a question
// that no longer waits.
func (s locked) takeAnswer(th *thread, r *Request) error {
	w := th.waiting
	if r.Answers != nil && r.Answers != w {
		return plan.Refuse(plan.WrongState, "The question was already answered or given up, so %q was ignored.", phrase.FirstLine(r.Text, 60))
	}
	if w == nil || r.Comment != nil || !r.answers(w) {
		r.Answers = nil
		return nil
	}
	r.Answers = w
	s.settle(w, Done)
	return nil
}

// answers reports whether a request in the conversation of a question is its answer. It is not
// if it names another mode than the question's, has a slash command, or quotes words that are
// not the user's.
func (r *Request) answers(w *Waiting) bool {
	if r.Answers == w || r.Retries {
		return true
	}
	return r.Slash == "" && !r.Quoted && (r.Mode == "" || r.Mode == "auto" || r.Mode == w.Question.Request.Mode)
}

// IsOption reports whether a message is one of the options of its conversation's waiting
// question. Such a text is the answer even if it reads like a command, since a model wrote it.
func (c *Conversations) IsOption(m *Message) bool {
	if m.New {
		return false
	}
	w := c.waitingIn(m)
	return w != nil && slices.Contains(w.Question.Options, m.Text)
}
