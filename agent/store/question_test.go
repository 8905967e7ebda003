package store

import (
	"testing"
	"time"
)

func ask(t *testing.T, s *Store, conversation string) *Question {
	t.Helper()
	q := &Question{Conversation: conversation, Asked: now, Record: `{"question":"Which?"}`}
	if err := s.Ask(t.Context(), ws, q); err != nil {
		t.Fatal(err)
	}
	return q
}

func waitingQuestions(t *testing.T, s *Store) []Question {
	t.Helper()
	list, err := s.Questions(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func answering(t *testing.T, s *Store, id int64) bool {
	t.Helper()
	ok, err := s.Answering(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestDatabaseOfVersion6(t *testing.T) {
	s := storeOfVersion(t, 6)
	same(t, waitingQuestions(t, s), []Question{{
		ID: 7, Conversation: "c1", Asked: time.Date(2026, 1, 2, 3, 4, 6, 678_912_345, time.UTC), Record: `{"question":"Which one?"}`,
	}})
}

// A conversation waits for one answer at a time, and each question has an id of its own, so that an
// answer is never taken as the answer to another question.
func TestAQuestionTakesThePlaceOfTheOneBefore(t *testing.T) {
	s := newStore(t)
	first, other := ask(t, s, "c1"), ask(t, s, "c2")
	second := ask(t, s, "c1")
	if second.ID == first.ID || answering(t, s, first.ID) {
		t.Errorf("the first question can still be answered: %d, %d", first.ID, second.ID)
	}
	list := waitingQuestions(t, s)
	if len(list) != 2 || list[0].ID != other.ID || list[1].ID != second.ID {
		t.Errorf("%+v wait", list)
	}
}

// One process at a time works out an answer; if it ends without an answer, the question is pending
// again.
func TestOneAnswersAQuestion(t *testing.T) {
	dir := t.TempDir()
	s := storeIn(t, dir)
	q := ask(t, s, "c1")
	other := New(dir)
	if !answering(t, other, q.ID) || answering(t, s, q.ID) {
		t.Error("not exactly one has the right to answer")
	}
	if list := waitingQuestions(t, s); len(list) != 0 {
		t.Errorf("%+v wait, though another answers", list)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if list := waitingQuestions(t, s); len(list) != 1 || !answering(t, s, q.ID) {
		t.Errorf("%+v wait after the other has ended", list)
	}
	s.Unanswered(q.ID)
	if !answering(t, s, q.ID) {
		t.Error("it cannot be answered again")
	}
	if err := s.Answered(t.Context(), q.ID); err != nil || answering(t, s, q.ID) || len(waitingQuestions(t, s)) != 0 {
		t.Errorf("it still waits: %v", err)
	}
}

// A revision that answers a question is stored in the same transaction as the answer.
func TestARevisionAnswersAQuestion(t *testing.T) {
	s := newStore(t)
	first, second := ask(t, s, "c1"), ask(t, s, "c2")
	p, texts := sample(1)
	if err := s.CreatePlan(t.Context(), ws, p, texts, first.ID); err != nil {
		t.Fatal(err)
	}
	if list := waitingQuestions(t, s); len(list) != 1 || list[0].ID != second.ID {
		t.Errorf("%+v wait", list)
	}
	stale := p.Clone()
	stale.Version--
	if err := s.AddRevision(t.Context(), ws, stale, texts, second.ID); err == nil {
		t.Fatal("a revision of an old plan was stored")
	}
	if len(waitingQuestions(t, s)) != 1 {
		t.Error("a revision that was not stored has answered the question")
	}
}
