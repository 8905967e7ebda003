package conversation_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
	"redline/agent/store"
)

func (f *fixture) stored() []store.Question {
	f.t.Helper()
	all, err := f.Session.Store.Questions(f.t.Context(), f.Key())
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// answer makes the running turn answer its question and end as end says.
func (f *fixture) answer(end func(*conversation.Turn, *conversation.Waiting)) {
	f.t.Helper()
	f.do(func(ctx context.Context, turn *conversation.Turn) error {
		err := turn.Request.Answers.Begin(ctx)
		if err == nil {
			end(turn, turn.Request.Answers)
		}
		return err
	})
}

// The next message in the conversation is the answer to its question.
func TestAQuestionIsAnswered(t *testing.T) {
	f := newFixture(t)
	asked, conv := f.asks("do it")
	if got := f.wait(asked); got.Question == nil || *got.Question != "Shall I?" || !slices.Equal(got.Options, []string{"yes", "no"}) {
		t.Errorf("the turn is %+v", got)
	}
	if len(f.stored()) != 1 || !f.IsOption(&conversation.Message{Text: "yes", Client: "me"}) || f.IsOption(&conversation.Message{Text: "maybe", Client: "me"}) {
		t.Errorf("stored are %+v", f.stored())
	}
	answer, got := f.say("perhaps")
	if turn := f.next(); turn.ID != answer || got != conv || turn.Request.Answers == nil || turn.Request.Answers.Question.Text != "Shall I?" {
		t.Errorf("the answer is %+v", turn.Request)
	}
	f.answer(func(_ *conversation.Turn, a *conversation.Waiting) { a.Done() })
	f.wantState(answer, conversation.Done)
	f.wantState(asked, conversation.Done)
	if len(f.stored()) != 0 {
		t.Errorf("stored are %+v", f.stored())
	}
}

// A choice in the editor is an answer, but not in the user's own words.
func TestAQuestionIsAnsweredInTheEditor(t *testing.T) {
	f := newFixture(t)
	f.Editor.OnAsk = func(context.Context, state.Question) (state.EditorAnswer, error) {
		return state.EditorAnswer{Choice: "no"}, nil
	}
	f.say("do it")
	f.next()
	f.do(func(ctx context.Context, t *conversation.Turn) error { return f.Ask(ctx, t, question(t)) })
	turn := f.next()
	if turn.Request.Text != "no" || turn.Request.Answers == nil || turn.Request.Own() != "" {
		t.Errorf("the answer is %+v", turn.Request)
	}
	f.answer(func(_ *conversation.Turn, a *conversation.Waiting) { a.Done() })
	f.wantState(turn.ID, conversation.Done)
}

// A request with another mode, or that quotes, is no answer; the question still waits.
func TestWhatIsNoAnswer(t *testing.T) {
	f := newFixture(t)
	asked, conv := f.asks("do it")
	for _, r := range []conversation.Request{
		{Message: conversation.Message{Text: "explain", Conversation: conv, Mode: "ask"}},
		{Message: conversation.Message{Text: "error: x", Conversation: conv, Quoted: true}},
		{Message: conversation.Message{Text: "plan", Conversation: conv}, Slash: "plan"},
	} {
		id, _, err := f.Send(r)
		if err != nil {
			t.Fatal(err)
		}
		if turn := f.next(); turn.Request.Answers != nil {
			t.Errorf("%+v is an answer", r)
		}
		f.end(nil)
		f.wantState(id, conversation.Done)
	}
	f.wantState(asked, conversation.Waits)
}

// A question that is given up is reported once, is removed from the store, and takes no
// answer.
func TestAQuestionIsGivenUp(t *testing.T) {
	f := newFixture(t)
	asked, conv := f.asks("do it")
	memory := f.Find(&conversation.Request{Message: conversation.Message{Conversation: conv}}).Memory
	if got := f.Cancel(func(turn *conversation.Turn) bool { return turn.ID == asked }); !slices.Equal(got, []string{asked}) {
		t.Errorf("cancelled %v", got)
	}
	f.wantState(asked, conversation.Cancelled)
	if len(f.stored()) != 0 || len(memory.Value().Exchanges) != 1 {
		t.Errorf("stored are %+v, said %+v", f.stored(), memory.Value())
	}
	f.GiveUpFor(&conversation.Message{Conversation: conv})
	var ends []string
	for _, e := range f.Editor.Events(state.TurnFinished) {
		ends = append(ends, e.State)
	}
	if !slices.Equal(ends, []string{conversation.Waits, conversation.Cancelled}) {
		t.Errorf("the ends are %q", ends)
	}
	if err := f.ReadQuestions(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	f.wantState(asked, conversation.Cancelled)
}

// A question that is given up before its turn has ended ends that turn, once.
func TestAQuestionIsGivenUpWhileItsTurnRuns(t *testing.T) {
	f := newFixture(t)
	asked, conv := f.say("do it")
	f.next()
	f.do(func(ctx context.Context, turn *conversation.Turn) error {
		err := f.Ask(ctx, turn, question(turn))
		f.GiveUpFor(&conversation.Message{Conversation: conv})
		return err
	})
	f.wantState(asked, conversation.Cancelled)
	<-f.ended
	if ends := f.Editor.Events(state.TurnFinished); len(ends) != 1 || ends[0].State != conversation.Cancelled {
		t.Errorf("the ends are %+v", ends)
	}
}

// An answer that is cancelled in the queue gives up its question for good.
func TestAnAnswerIsCancelledInTheQueue(t *testing.T) {
	f := newFixture(t)
	_, conv := f.asks("do it")
	reserved, _, err := f.Reserve(sessiontest.Timeout(t), conv)
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := f.say("yes")
	f.Cancel(func(turn *conversation.Turn) bool { return turn.ID == answer })
	reserved.Release()
	f.wantState(answer, conversation.Cancelled)
	if err := f.ReadQuestions(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if f.IsOption(&conversation.Message{Text: "yes", Client: "me"}) || len(f.stored()) != 0 {
		t.Errorf("the question waits again; stored are %+v", f.stored())
	}
}

// If the turn with the answer fails, the question waits again.
func TestAQuestionWaitsAgain(t *testing.T) {
	f := newFixture(t)
	asked, _ := f.asks("do it")
	first, _ := f.say("yes")
	f.next()
	var was *conversation.Waiting
	f.answer(func(turn *conversation.Turn, a *conversation.Waiting) {
		was = turn.Request.Answers
		a.WaitAgain(turn)
	})
	f.wantState(first, conversation.Done)
	f.wantState(asked, conversation.Waits)
	_, _, err := f.Send(conversation.Request{Message: conversation.Message{Text: "yes", Client: "me"}, Answers: was})
	wantRefused(t, err, plan.WrongState) // for the question as it was
	second, _ := f.say("yes")
	if f.next().Request.Answers == nil {
		t.Error("the question does not wait")
	}
	f.answer(func(_ *conversation.Turn, a *conversation.Waiting) { a.Done() })
	f.wantState(second, conversation.Done)
	if len(f.stored()) != 0 {
		t.Errorf("stored are %+v", f.stored())
	}
}

// A question still waits in the next session, for the client that was asked.
func TestAQuestionOfAnEarlierSession(t *testing.T) {
	f := newFixture(t)
	_, conv := f.asks("do it")
	f.End()
	again := on(t, f.Again())
	for range 2 { // the second finds nothing more
		if err := again.ReadQuestions(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	if got := again.IDFor(&conversation.Message{Client: "me"}); got != conv || len(again.States()) != 1 {
		t.Errorf("the client goes on in %q, turns are %+v", got, again.States())
	}
	again.Remind()
	if e := again.Editor.Await(t, 1, state.QuestionAsked)[0]; e.Text != "Shall I?" || e.Conversation != conv {
		t.Errorf("the user was told %+v", e)
	}
}

// A question that another session answers no longer waits here; only one session answers it.
func TestAQuestionIsAnsweredElsewhere(t *testing.T) {
	f := newFixture(t)
	asked, conv := f.asks("do it")
	again := on(t, f.Again())
	if err := again.ReadQuestions(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	there, _ := again.send(conversation.Message{Text: "yes", Conversation: conv})
	again.next()
	late := make(chan string)
	again.answer(func(_ *conversation.Turn, a *conversation.Waiting) {
		late <- "begun"
		<-late
		a.Done()
	})
	<-late
	here, _ := f.say("yes")
	f.next()
	f.answer(func(*conversation.Turn, *conversation.Waiting) { t.Error("both sessions answer") })
	f.wantState(here, conversation.Failed)
	if err := f.Failure(here); !errors.Is(err, conversation.ErrAnswered) {
		t.Errorf("the late answer ends with %v", err)
	}
	late <- "end"
	again.wantState(there, conversation.Done)
	if err := f.ReadQuestions(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	f.wantState(asked, conversation.Done)
}

// A session forgets its oldest turns, except those that wait for an answer: the user can
// still see them and give them up.
func TestATurnThatWaitsIsNotForgotten(t *testing.T) {
	f := newFixture(t)
	asked, _ := f.asks("change it")
	ended := ""
	for range 600 {
		turn, _ := f.Do(conversation.Request{Message: conversation.Message{Text: "/status", Client: "other"}}, func(context.Context, *conversation.Turn) error { return nil })
		f.wantState(turn, conversation.Done)
		<-f.ended
		if ended == "" {
			ended = turn
		}
	}
	turns := f.States()
	if len(turns) != 500 || turns[0].Turn != asked || turns[1].Turn == ended {
		t.Errorf("the session has %d turns, first %s and %s", len(turns), turns[0].Turn, turns[1].Turn)
	}
	if got := f.Cancel(func(turn *conversation.Turn) bool { return turn.ID == asked }); !slices.Equal(got, []string{asked}) {
		t.Errorf("given up were %q", got)
	}
}
