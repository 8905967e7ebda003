package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
)

// fixture has the conversations of a session. A queued turn runs what the test has set
// for its text with will, or ends at once.
type fixture struct {
	*sessiontest.Fixture
	*conversation.Conversations
	backlog *board.Backlog
	t       *testing.T
	begun   chan *conversation.Turn // receives each turn as it begins to run
	work    chan func(context.Context, *conversation.Turn) error
	ended   chan state.Event // receives the events of Worker.Ended
}

func newFixture(t *testing.T) *fixture { return on(t, sessiontest.New(t, "")) }

func on(t *testing.T, s *sessiontest.Fixture) *fixture {
	f := &fixture{
		Fixture: s, t: t, backlog: board.NewBacklog(s.Session), begun: make(chan *conversation.Turn, 100),
		work: make(chan func(context.Context, *conversation.Turn) error), ended: make(chan state.Event, 100),
	}
	f.Conversations = conversation.New(s.Session, conversation.NewTraces(s.Session), f.backlog, func(string) {})
	f.Serve(worker{f})
	return f
}

// worker works on the turns of a fixture.
type worker struct{ f *fixture }

func (w worker) Run(ctx context.Context, turn *conversation.Turn) error {
	w.f.begun <- turn
	select {
	case work := <-w.f.work:
		return work(ctx, turn)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w worker) Ended(_ *conversation.Turn, e state.Event) { w.f.ended <- e }

func (worker) ReadQuestion(record string) (q conversation.Question, err error) {
	err = json.Unmarshal([]byte(record), &q)
	q.Record = record
	return q, err
}

// end ends the running turn.
func (f *fixture) end(err error) {
	f.do(func(context.Context, *conversation.Turn) error { return err })
}

// do makes the running turn call work and then end.
func (f *fixture) do(work func(context.Context, *conversation.Turn) error) {
	f.t.Helper()
	select {
	case f.work <- work:
	case <-sessiontest.Timeout(f.t).Done():
		f.t.Fatal("no turn runs")
	}
}

func (f *fixture) send(m conversation.Message) (turn, conv string) {
	f.t.Helper()
	turn, conv, err := f.Send(conversation.Request{Message: m})
	if err != nil {
		f.t.Fatal(err)
	}
	return turn, conv
}

func (f *fixture) say(text string) (turn, conv string) {
	f.t.Helper()
	return f.send(conversation.Message{Text: text, Client: "me"})
}

// next returns the next turn that begins.
func (f *fixture) next() *conversation.Turn {
	f.t.Helper()
	select {
	case turn := <-f.begun:
		return turn
	case <-sessiontest.Timeout(f.t).Done():
		f.t.Fatal("no turn begins")
		return nil
	}
}

func (f *fixture) wait(id string) state.Turn {
	f.t.Helper()
	turn, err := f.Conversations.Wait(sessiontest.Timeout(f.t), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return turn
}

func (f *fixture) wantState(id, want string) {
	f.t.Helper()
	if got := f.wait(id); got.State != want {
		f.t.Errorf("%s is %s, want %s", id, got.State, want)
	}
}

func wantRefused(t *testing.T, err error, kind plan.RefusalKind) {
	t.Helper()
	if r, ok := errors.AsType[*plan.Refusal](err); !ok || r.Kind != kind {
		t.Errorf("got %v, want a refusal %s", err, kind)
	}
}

// question returns a question with the options yes and no.
func question(t *conversation.Turn) conversation.Question {
	q := conversation.Question{Text: "Shall I?", Options: []string{"yes", "no"}, Shown: "Shall I? yes or no", Request: conversation.Request{Message: t.Request.Message}}
	record, err := json.Marshal(struct {
		Text    string
		Options []string
		Told    string
		Request struct{ Text, Client string }
	}{q.Text, q.Options, q.Shown, struct{ Text, Client string }{t.Request.Text, t.Request.Client}})
	if err != nil {
		panic(err)
	}
	q.Record = string(record)
	return q
}

// asks begins a turn that asks a question, and returns it and its conversation when it waits.
func (f *fixture) asks(text string) (turn, conv string) {
	f.t.Helper()
	turn, conv = f.say(text)
	f.next()
	f.do(func(ctx context.Context, t *conversation.Turn) error { return f.Ask(ctx, t, question(t)) })
	f.wantState(turn, conversation.Waits)
	return turn, conv
}
