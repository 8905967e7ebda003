package conversation

import (
	"context"
	"slices"

	"redline/agent/chat"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/internal/guarded"
	"redline/internal/phrase"
)

// Turn is one message and all that it causes.
type Turn struct {
	ID           string
	Request      Request
	Conversation *Conversation
	Quiet        bool // its answer is not written to the chat file

	owner  *Conversations
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when the turn has ended
	free   chan struct{} // closed when the conversation is free for the next turn

	progress guarded.Value[progress]
}

// progress is the changing part of a turn.
type progress struct {
	state  string
	result Result
	err    error
	told   int      // the place in the queue in the last event
	asked  *Waiting // the question that the turn has asked, nil for none
}

func (p *progress) ended() bool { return p.state != Queued && p.state != Running }

// Result is the result of a turn so far.
type Result struct {
	Answer      string
	Plan        int // the plan that it made or changed, 0 for none
	Usage       state.Usage
	Unfinished  plan.Unfinished    // what it left undone
	Specialists *state.PlanSummary // what specialists did, nil if none worked
	Choices     Choices            // what the user has chosen for the conversation
	With        string             // the outside agent that works, "" for the model
	AskedEach   bool               // the user was asked about each operation as it was staged
	Decided     plan.Verdict       // the decision that the message made: an approval or an undo; "" for none
	Printed     string             // the lines about the failure in the output of the command that ended the turn, "" for none
	Report      string             // the id of the turn that reports the results of its commands, "" for none
	Remembered  bool               // the conversation's memory has the request and the answer
}

// The states of a turn.
const (
	Queued    = "queued"
	Running   = "running"
	Waits     = "waiting" // ended with a question; the answer is a new turn, which continues
	Done      = "done"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// maxTurns is how many turns a session remembers.
const maxTurns = 500

// Notify sends an event of the turn, and sets its ids.
func (t *Turn) Notify(e state.Event) {
	e.Turn, e.Conversation = t.ID, t.Conversation.ID
	t.owner.session.Notify(e)
}

// NotifyOnly sends an event of the turn only to the editor, and sets its ids.
func (t *Turn) NotifyOnly(e state.Event) {
	e.Turn, e.Conversation = t.ID, t.Conversation.ID
	t.owner.session.NotifyOnly(e)
}

// Notice shows the user a sentence.
func (t *Turn) Notice(text string) { t.Notify(state.Event{Kind: state.Noticed, Text: text}) }

// Warn shows the user a sentence about a problem.
func (t *Turn) Warn(text string) { t.Notify(state.Event{Kind: state.Noticed, Error: text}) }

// Record adds a step to the trace of the turn.
func (t *Turn) Record(s trace.Step) {
	if r := t.owner.traces.Of(t.ID); r != nil {
		r.Record(s)
	}
}

// Update changes the result of the turn.
func (t *Turn) Update(change func(*Result)) {
	s := t.owner.lock()
	defer s.unlock()
	change(&s.progress(t).result)
	s.changes++
}

// Result returns the result of the turn so far.
func (t *Turn) Result() Result {
	s := t.owner.lock()
	defer s.unlock()
	return s.progress(t).result
}

// Asked reports whether the turn has asked its user a question.
func (t *Turn) Asked() bool {
	s := t.owner.lock()
	defer s.unlock()
	return s.progress(t).asked != nil
}

// Cancelled reports whether the turn was cancelled while the session goes on.
func (t *Turn) Cancelled() bool { return t.ctx.Err() != nil && !t.owner.session.Over() }

// find returns a turn of this session, nil if there is none.
func (s locked) find(id string) *Turn {
	i := slices.IndexFunc(s.turns, func(t *Turn) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return s.turns[i]
}

// Wait waits until a turn has ended and returns its state. It fails when ctx ends.
func (c *Conversations) Wait(ctx context.Context, id string) (state.Turn, error) {
	s := c.lock()
	t := s.find(id)
	s.unlock()
	if t == nil {
		return state.Turn{}, plan.Refuse(plan.Invalid, "There is no turn %s in this session.", id)
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

// Failure returns the error of a failed turn, else nil.
func (c *Conversations) Failure(id string) error {
	s := c.lock()
	defer s.unlock()
	if t := s.find(id); t != nil {
		return s.progress(t).err
	}
	return nil
}

// PlanOf returns the number of the plan that a turn made or changed, 0 for none.
func (c *Conversations) PlanOf(id string) int {
	s := c.lock()
	defer s.unlock()
	if t := s.find(id); t != nil {
		return s.progress(t).result.Plan
	}
	return 0
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
			if !s.progress(t).ended() {
				s.running = append(s.running, s.stateOf(t))
			}
		}
	}
	return s.running, s.changes
}

// Used returns the tokens that the turns of this session have used, and their cost.
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

// stateOf returns a turn in the form that clients see.
func (s locked) stateOf(t *Turn) state.Turn {
	p := s.progress(t)
	now := state.Turn{
		Turn: t.ID, Conversation: t.Conversation.ID, State: p.state, Usage: p.result.Usage, Message: phrase.FirstLine(t.Request.Text, 120),
		Place: s.place(t), Plan: p.result.Plan, Report: p.result.Report, Specialists: p.result.Specialists, Refused: p.result.Unfinished.Refused, Unfinished: p.result.Unfinished.Sentences(),
		Agent: p.result.Choices.Agent.Name, Mode: p.result.Choices.Mode, With: p.result.With,
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

// Message is what a client sends: the user's words, and the place that they are about.
type Message struct {
	Text         string
	Conversation string        // "" for the client's current one
	New          bool          // it begins a new conversation
	Mode         string        // "", auto, plan, text, ask or heap; "" for the conversation's
	Agent        string        // name of the primary agent that the conversation uses from now on; "" for no change
	With         string        // the outside agent, or [Own], that works in the conversation from now on; "" for no change
	Decide       string        // plan or ask: how the conversation's plans are decided on from now on; "" for no change
	AskAtOnce    bool          // the turn waits for the answer to each question, as at a terminal
	Client       string        // name of the client, to find its current conversation
	Path         string        // workspace path of the place, "" for none
	Lines        *[2]int       // first and last line of the selection, from 0; nil for none
	Selection    string        // the selected text
	Output       string        // what a command printed, such as a failed build: data, not the user's words; "" for none
	Comment      *chat.Request // the comment that asks, nil for none; applying the plan removes it

	// Quoted is true if the text is not the user's own words, as when it quotes a problem that
	// another program reports. Then it has no slash commands and decides nothing.
	Quoted bool

	// Shown returns the revision of a plan that this client saw last, for slash commands that
	// decide. If it is nil, the client saw the current one.
	Shown func(plan int) (revision int, hash string, ok bool)
}

// Request is a message with what the session knows about it: where the words come from, and
// their purpose.
type Request struct {
	Message

	FromChat      bool     // it was written in the chat file
	Decides       bool     // its slash commands may decide on plans: the user has just typed them
	TextWhenAsked string   // the text of the file with the comment that asks
	Typed         *string  // the user's own words in Text, if a repository's template has the rest; nil if all are
	Chosen        *Agent   // the agent that the message names, once it is known; nil for none
	Goal          string   // the goal of its revision in one line, "" for Text
	Remembered    string   // what the conversation remembers of Text, "" for all of it
	Slash         string   // the slash command that it came with, "" for none
	Report        int      // the plan whose finished commands the turn reports on; 0 for none
	Revise        int      // the plan to revise, 0 for the conversation's own
	Comments      []string // ids of the plan's comments that it sends
	Fresh         bool     // the session's plans were brought up to date for it, and it did not have to wait since
	Named         bool     // the client has named the conversation, so it is about that conversation's plan
	Apart         bool     // it begins a new plan, even if others are open
	Again         bool     // it is a retry: the user wants another answer

	Answers *Waiting // the question that it answers, set once known; nil for none
	Retries bool     // the user repeats an answer
}

// Own returns the user's own words in a request. Only these may name a file that may hold
// secrets: what a repository can write is data.
func (r *Request) Own() string {
	if r.Quoted {
		return ""
	}
	if r.Typed != nil {
		return *r.Typed
	}
	return r.Text
}
